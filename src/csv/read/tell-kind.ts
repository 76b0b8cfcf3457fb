/**
 * Files that are often dropped in place of CSV, by their first bytes as Latin-1 text. No good payment file begins like
 * one: each pattern has a control character, a tag, or a line that cannot be a row. They are never opened or unpacked.
 */
const KINDS: readonly (readonly [begins: RegExp, is: string])[] = [
  [
    /^PK\x03\x04[^]{26}(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/)/,
    'an Excel workbook or other Office file (.xlsx)',
  ],
  [/^PK\x03\x04[^]{26}mimetypeapplication\/vnd\.oasis/, 'an OpenDocument file (.ods)'],
  [/^PK(?:\x03\x04|\x05\x06)/, 'a ZIP archive'],
  [/^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/, 'an Excel workbook or other Office file of the former kind (.xls)'],
  [/^\x1f\x8b/, 'a gzip archive'],
  [/^BZh[1-9]1AY&SY/, 'a bzip2 archive'],
  [/^\xfd7zXZ\0/, 'an xz archive'],
  [/^\x28\xb5\x2f\xfd[^]{0,12}[\0-\x08]/, 'a Zstandard archive'],
  [/^7z\xbc\xaf'\x1c/, 'a 7-Zip archive'],
  [/^[^]{257}ustar(?:\0| {2}\0)/, 'a tar archive'],
  [/^%PDF-\d\.\d\s/, 'a PDF'],
  [/^(?:\x89PNG\r\n\x1a\n|\xff\xd8\xff[^]{0,3}\0|II\*\0|MM\0\*|GIF8[79]a[^]{0,8}\0)/, 'an image'],
  [/^\s*\{\\rtf1/, 'a text of a word processor (.rtf)'],
  [/^-----BEGIN PGP/, 'an encrypted message, whose name must end in .pgp, .gpg or .asc'],
];

/** The same of texts, without the zeros of UTF-16 and without a byte order mark. */
const TEXTS: readonly (readonly [begins: RegExp, is: string])[] = [
  [/^\s*<(?:!doctype html|html|head|body|table|meta|style|div)\b/i, 'an HTML table or page'],
  [/^\s*<\?xml\b/i, 'an XML file'],
];

/** Number of bytes needed to recognize a kind. */
export const TELLING_BYTES = 512;

/** Returns the kind of a file that is not CSV, as a phrase; undefined when it is not recognized. */
export function tellKind(head: Uint8Array): string | undefined {
  const bytes = Buffer.from(head.subarray(0, TELLING_BYTES)).toString('latin1');
  const text = bytes.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '').replaceAll('\0', '');
  const found = KINDS.find(([begins]) => begins.test(bytes)) ?? TEXTS.find(([begins]) => begins.test(text));
  return found?.[1];
}
