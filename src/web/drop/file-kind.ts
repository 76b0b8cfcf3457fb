/** Kinds of files often mistaken for CSV, by their first bytes. They are never opened or unpacked. */
const KINDS: readonly { readonly is: string; readonly at: number; readonly bytes: string; readonly advice: string }[] =
  [
    kind(
      'a ZIP archive or an Excel workbook',
      '504b0304',
      'Save the sheet as CSV, or take the CSV file out of the archive',
    ),
    kind('an empty ZIP archive', '504b0506', 'Choose the CSV file itself'),
    kind('an old Excel workbook', 'd0cf11e0', 'Save the sheet as CSV'),
    kind('a gzip archive', '1f8b', 'Unpack it first'),
    kind('a bzip2 archive', '425a68', 'Unpack it first'),
    kind('an xz archive', 'fd377a585a00', 'Unpack it first'),
    kind('a Zstandard archive', '28b52ffd', 'Unpack it first'),
    kind('a 7-Zip archive', '377abcaf271c', 'Unpack it first'),
    kind('a tar archive', hexOf('ustar'), 'Take the CSV file out of it', 257),
    kind('a PDF', hexOf('%PDF-'), 'Export the payments as CSV'),
    kind('an encrypted message', hexOf('-----BEGIN PGP'), 'Give it a name that ends in .pgp, .gpg or .asc'),
  ];

/** Number of bytes needed to recognize a kind. */
export const TELLING_BYTES = 262;

/** Returns the kind of a file that is not CSV and what to do; undefined when it is not recognized. */
export function tellKind(head: Uint8Array): { is: string; advice: string } | undefined {
  const found = KINDS.find(({ at, bytes }) => Buffer.from(head).toString('hex', at, at + bytes.length / 2) === bytes);
  return found && { is: found.is, advice: `${found.advice}, and choose that.` };
}

function kind(is: string, bytes: string, advice: string, at = 0) {
  return { is, at, bytes, advice };
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}
