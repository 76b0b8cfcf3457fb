import { type Profile, SEPARATORS } from '../../../../schemas/profiles.ts';
import { CR, LF } from '../../../kernel/byte-names.ts';
import { continued, readStart } from '../../read/open-plain-text.ts';
import { LONGEST_LINE } from '../../read/split-lines.ts';
import { returnedForm } from '../returned-file.ts';
import { findReturned } from './find-titles.ts';
import { cellSplitter } from './split-dialect.ts';
import { readTextRows, type SourceRow, type TextShape } from './text-rows.ts';

/**
 * Reads the rows of the sender's file, or of a file with returned rows.
 * @param takeRow called for each row
 * @returns yields after each block of rows
 */
export async function* readSourceRows(
  source: AsyncIterable<Uint8Array>,
  profile: Profile,
  shape: TextShape,
  takeRow: (row: SourceRow) => void,
): AsyncGenerator<void> {
  const { read, head } = profile;
  if (read.kind === 'text') return yield* readTextRows(source, read, shape, takeRow);
  const { start, pieces } = await readStart(source, holdsFirstLine);
  const whole = continued(start, pieces);
  if (isReturned(profile, start)) return yield* readTextRows(whole, returnedForm(profile), shape, takeRow);
  const width = head.titles === 'none' ? (head.count ?? 0) : head.titles.length;
  // Loaded only for a workbook.
  const { readWorkbookRows } = await import('../../workbook/workbook-rows.ts');
  yield* readWorkbookRows(whole, { sheet: read.sheet, width }, shape, takeRow);
}

/** Long titles have bytes of several to a character. */
const LONGEST_FIRST_LINE = 4 * LONGEST_LINE;

function holdsFirstLine(start: Buffer): boolean {
  const isWorkbook = start.toString('latin1', 0, 2) === 'PK';
  return isWorkbook || start.includes(LF) || start.includes(CR) || start.length > LONGEST_FIRST_LINE;
}

/** Rows of a workbook are returned as text. */
function isReturned(profile: Profile, start: Buffer): boolean {
  const [line = ''] = start
    .toString()
    .replace(/^\ufeff/, '')
    .split(/[\r\n]/, 1);
  const { separator, quotes } = returnedForm(profile);
  const cells = cellSplitter({ separator: SEPARATORS[separator], quotes })(line);
  return typeof cells !== 'string' && findReturned(profile, cells) !== undefined;
}
