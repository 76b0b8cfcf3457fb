import { isUtf8 } from 'node:buffer';

/** The rows of a batch file. `charset` is how the bytes were read and how to write the result. */
export type BatchFile = { readonly rows: readonly (readonly string[])[]; readonly charset: 'utf8' | 'latin1' };

/**
 * Splits a batch file into rows and cells, at line ends and at every comma, because nothing is known about quotes.
 * Skips blank lines. Bytes that are not UTF-8 are read as Latin-1, which returns the same bytes in the result file.
 */
export function readBatchFile(bytes: Buffer): BatchFile {
  const charset = isUtf8(bytes) ? 'utf8' : 'latin1';
  const lines = bytes.toString(charset).split(/\r?\n/);
  return { rows: lines.filter((line) => line.trim() !== '').map((line) => line.split(',')), charset };
}
