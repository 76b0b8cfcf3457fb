import type { Profile } from '../../../schemas/profiles.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { findProfileFaults, findWriterFaults, type Reread } from '../../../workers/file-profile.ts';
import type { FileCheck } from '../../csv/check/check-payment-file.ts';
import { profileHash } from '../../csv/profile/profile-text.ts';
import type { Queryable } from '../../ledger/engine/transaction.ts';
import { findReading } from '../../ledger/profile/read-profiles.ts';
import type { Fault } from '../../rows/rows.ts';

/** A file that was read by a profile. `open` reads it once more; undefined when it was too large to keep. */
export type ReadFile = {
  readonly profile: Profile;
  readonly check: FileCheck;
  readonly rules: Reread['context'];
  readonly open: Reread['open'];
};

/**
 * Returns why a file would be held for its profile if it were dropped now. A profile that is not the one that reads in
 * the folder has no first files.
 * @param queryable left out, no other version is known
 */
export async function faultsOfProfile(
  queryable: Queryable | undefined,
  { profile: name, operation }: { readonly profile?: string | undefined; readonly operation: FolderOperation },
  { profile, check, rules, open }: ReadFile,
): Promise<Fault[]> {
  const reread = { open, context: rules, writtenBy: check.profile?.writtenBy };
  const sha256 = profileHash(profile);
  const row = queryable && name !== undefined ? await findReading(queryable, { profile: name, operation }) : undefined;
  return queryable && row?.sha256 === sha256
    ? findProfileFaults(queryable, { row, profile }, check, reread)
    : findWriterFaults(queryable, { name: name ?? '', sha256, profile, says: 'this profile' }, reread);
}

/**
 * Passes a file on, and keeps a copy of one that is not too large.
 * @param mostBytes of the copy
 */
export function keepCopy(source: AsyncIterable<Uint8Array>, mostBytes: number) {
  let kept: Uint8Array[] = [];
  let bytes = 0;

  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      bytes += piece.length;
      // The next piece may come in the same memory.
      if (bytes <= mostBytes) kept.push(Uint8Array.from(piece));
      else kept = [];
      yield piece;
    }
  }

  async function* again(): AsyncGenerator<Uint8Array> {
    yield* kept;
  }

  /** Returns what reads the copy; call it after the last byte. */
  return { source: pass(), reopener: () => (bytes <= mostBytes ? again : undefined) };
}
