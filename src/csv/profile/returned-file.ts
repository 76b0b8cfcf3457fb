import { REASON_TITLE } from '../../../schemas/layouts.ts';
import { type Profile, SEPARATORS } from '../../../schemas/profiles.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { toWindows1252 } from '../../rows/windows-1252.ts';
import { guardCell } from '../write/guard-cell.ts';
import { quoteCell } from '../write/write-csv.ts';

/** Digits of the hash of a version that name it in titles and notices. */
const VERSION_DIGITS = 8;

/** Returns how a version of a profile is named where its hash would be too long. */
export function startOfHash(sha256: string): string {
  return sha256.slice(0, VERSION_DIGITS);
}

/** Returns the last title of rejects and retry files, which tells which version of the profile read their rows. */
export function returnedTitle(sha256: string): string {
  return `${REASON_TITLE} (paydrop ${startOfHash(sha256)})`;
}

const RETURNED_TITLE = new RegExp(`^${REASON_TITLE} \\(paydrop ([0-9a-f]{${VERSION_DIGITS}})\\)$`);

/** Returns the version that a title names, by the beginning of its hash; undefined for any other title. */
export function versionInTitle(title: string): string | undefined {
  return RETURNED_TITLE.exec(title.trim())?.[1];
}

type TextForm = Extract<Profile['read'], { kind: 'text' }>;

/** Returns the form of files with returned rows. It is the sender's own, except for workbooks. */
export function returnedForm({ read }: Pick<Profile, 'read'>): TextForm {
  return read.kind === 'text' ? read : FORM_OF_WORKBOOKS;
}

const FORM_OF_WORKBOOKS: TextForm = {
  kind: 'text',
  charset: 'utf-8',
  separator: 'comma',
  quotes: 'double',
  sepLine: 'refuse',
  lineBreaks: 'refuse',
};

/**
 * Returns a function that writes a line of a file with returned rows: cells of the sender, then the reason, whose
 * characters must fit the form. Formulas are guarded; the reader takes the apostrophe off.
 */
export function returnedLines(profile: Pick<Profile, 'read'>): (cells: readonly string[], reason: string) => Buffer {
  const { charset, separator, quotes } = returnedForm(profile);
  const mark = SEPARATORS[separator];
  const encode = ENCODERS[charset];
  const quote = quotes === 'none' ? (cell: string) => cell : (cell: string) => quoteCell(cell, mark);
  const unwritable = quotes === 'none' ? new RegExp(`[${mark}"]|${CONTROL.source}`, 'gu') : CONTROL;
  return (cells, reason) => {
    const plain = [...reason.replace(unwritable, ' ')].map((sign) => (encode(sign) ? sign : '?')).join('');
    const text = [...cells, plain].map((cell) => quote(guardCell(cell))).join(mark);
    const bytes = encode(`${text}\r\n`);
    if (bytes) return bytes;
    throw new PipelineError('INTERNAL', 'write rows in the form of the sender', `a character is not in ${charset}`);
  };
}

/** What no line may hold. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\ufffd]/gu;

/** Each returns undefined for a character outside its set. */
const ENCODERS: { readonly [Charset in TextForm['charset']]: (text: string) => Buffer | undefined } = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16': (text) => Buffer.from(text, 'utf16le'),
  'windows-1252': toWindows1252,
  'iso-8859-1': (text) => (/[^\0-\xff]/.test(text) ? undefined : Buffer.from(text, 'latin1')),
};

/** Returns the byte order mark, which UTF-16 needs, and which would contradict single-byte characters. */
export function returnedMark(profile: Pick<Profile, 'read'>): Buffer {
  return Buffer.from(returnedForm(profile).charset === 'utf-16' ? '\ufeff' : '', 'utf16le');
}
