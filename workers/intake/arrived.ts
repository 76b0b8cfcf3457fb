import type { Folder } from '../../src/config/config.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { type Arrival, insideOf } from './check-arrival.ts';
import type { Refusal } from './find-duplicate.ts';

/** A claimed file that may be read, and how it arrived. */
export type Arrived = {
  readonly file: FileRow;
  readonly folder: Folder;
  /** The claimed file differs from what was sealed. */
  readonly changed: boolean;
  readonly arrival: Arrival;
};

/** A claimed file that is not read, and why. Bytes that came before are refused rather than held. */
export type Unreadable = { readonly file: FileRow; readonly refusal: Refusal; readonly verdict: 'reject' | 'hold' };

/** Returns whether a file is read. */
export function isReadable(one: Arrived | Unreadable): one is Arrived {
  return 'arrival' in one;
}

/** Returns the SHA-256 of what is inside a file; undefined when nobody has opened it. */
export function contentOf(one: Arrived | Unreadable): string | undefined {
  return isReadable(one) ? insideOf(one.arrival) : undefined;
}
