import { isUtf8 } from 'node:buffer';

/** A batch file as its rows. `charset` is how the bytes were read, and how the result is to be written. */
export type BatchFile = { readonly rows: readonly (readonly string[])[]; readonly charset: 'utf8' | 'latin1' };

/**
 * Splits a batch file into rows and cells: at line ends, and at every comma, because nothing is known of quotes
. Blank lines are passed over. Bytes that are no UTF-8 are read one by one as Latin-1, which gives
 * the very same bytes back in the result file.
 */
export function readBatchFile(bytes: Buffer): BatchFile {
  const charset = isUtf8(bytes) ? 'utf8' : 'latin1';
  const lines = bytes.toString(charset).split(/\r?\n/);
  return { rows: lines.filter((line) => line.trim() !== '').map((line) => line.split(',')), charset };
}
