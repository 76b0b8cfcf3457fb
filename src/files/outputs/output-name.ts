import { shortId } from '../../kernel/ids.ts';
import { stemOf } from '../message-name.ts';
import { displayName } from '../display-name.ts';

/**
 * Name of an output file: the sender's name first, then the file id that keeps it apart, then what it is, such as
 * `monday__1a2b3c4d.result.csv`. The sender's name must come in masked, as it may hold a card number.
 *
 * @param kind `ack`, `result`, `result.c01`, `summary` and so on
 */
export function outputName(
  originalName: string,
  fileId: string,
  kind: string,
  extension: 'csv' | 'json' | 'txt' = 'csv',
): string {
  return `${safeStem(originalName)}__${shortId(fileId)}.${kind}.${extension}`;
}

/**
 * A name that no system stumbles over: nothing that Windows forbids, since the folder may be shared with it; no half
 * characters, which would be written as others than they are read; no leading dot, which would hide the file; no leading dash, which commands would read as an option.
 */
function safeStem(originalName: string): string {
  const stem = displayName(stemOf(originalName)).replace(/[<>:"|?*]|\p{Cs}/gu, '_');
  const guarded = stem.replace(/^[.\-\s]/, (first) => `_${first.trim()}`);
  return cutToBytes(guarded, LONGEST_STEM_BYTES) || 'file';
}

/** Names end at 255 bytes; id, kind, extension and the wrapping of a temporary name come on top of this. */
const LONGEST_STEM_BYTES = 150;

/** Cuts between characters, never inside one. */
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
