import { displayName } from '../../files/display-name.ts';
import { isIgnoredName } from '../../files/ignored-name.ts';
import { SIDECAR } from '../../files/scan-folder.ts';
import type { Folder } from '../../config/config.ts';
import { holdsCardNumber } from '../../kernel/mask.ts';

/** Returns the fault of a dropped file's name; undefined when the name is fine. */
export function findNameFault(name: string, { complete }: Pick<Folder, 'complete'>): string | undefined {
  if (name === '') return 'it has no name';
  if (/[/\\]/.test(name) || name === '..') return 'it holds a path; a file in a folder has a name alone';
  if (displayName(name) !== name || /\p{Cs}/u.test(name)) return 'it holds signs that cannot be seen or written';
  if (name.startsWith('.')) return 'it begins with a point, and such files are never taken';
  if (isIgnoredName(Buffer.from(name).toString('latin1')))
    return 'programs give such a name to files they are still writing, so it would never be taken';
  if (name.endsWith(SIDECAR)) return `${SIDECAR} is the ending of control files; choose the payment file`;
  if (complete.by === 'marker' && name.endsWith(complete.suffix))
    return `${complete.suffix} is the ending of markers here; choose the payment file`;
  if (Buffer.byteLength(name) > LONGEST_BYTES) return `it is longer than ${LONGEST_BYTES} bytes`;
  if (holdsCardNumber(name)) return 'it holds what looks like a card number';
  return undefined;
}

/** File systems allow 255 bytes; unfinished files and markers add to the name. */
const LONGEST_BYTES = 200;
