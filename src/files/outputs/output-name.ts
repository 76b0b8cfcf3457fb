import { shortId } from '../../kernel/ids.ts';
import { displayName, stemOf } from '../file-names.ts';

export type OutputExtension = 'csv' | 'json' | 'txt' | 'xlsx';

/**
 * Returns the name of an output file, such as `monday__1a2b3c4d.result.csv`: the sender's name, the file id that keeps
 * it unique, and the kind. The caller must mask the sender's name, because it may hold a card number.
 *
 * @param kind `ack`, `result`, `result.c01`, `summary` and so on
 */
export function outputName(
  originalName: string,
  fileId: string,
  kind: string,
  extension: OutputExtension = 'csv',
): string {
  return `${safeStem(originalName)}__${shortId(fileId)}.${kind}.${extension}`;
}

/**
 * Returns a name that every system accepts. It has no character that Windows forbids, since the folder may be shared.
 * It has no lone surrogates, which change when written. It has no leading dot, which hides a file, and no leading dash,
 * which commands read as an option.
 */
function safeStem(originalName: string): string {
  const stem = displayName(stemOf(originalName)).replace(/[<>:"|?*]|\p{Cs}/gu, '_');
  const guarded = stem.replace(/^[.\-\s]/, (first) => `_${first.trim()}`);
  return cutToBytes(guarded, LONGEST_STEM_BYTES) || 'file';
}

/** File names may have 255 bytes; id, kind, extension and the temporary wrapping come on top of this. */
const LONGEST_STEM_BYTES = 150;

function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0;
  let kept = '';
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    kept += character;
  }
  return kept;
}
