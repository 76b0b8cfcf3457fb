import { type Profile, SEPARATORS, type Title } from '../../../../schemas/profiles.ts';
import { CR, LF } from '../../../kernel/byte-names.ts';
import { continued, readStart } from '../../read/open-plain-text.ts';
import { LONGEST_LINE } from '../../read/split-lines.ts';
import { returnedForm } from '../returned-file.ts';
import { findReturned } from './find-titles.ts';
import { cellSplitter } from './split-dialect.ts';
import { readTextRows, type SourceRow, type TextShape } from './text-rows.ts';
import { type ColumnKind, COLUMNS } from '../../../../schemas/layouts.ts';
import { mentionsOf } from '../profile-titles.ts';

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

/** Kinds whose beginning can be another number or code. Of the others a part fits no rule, or is only a text. */
const CUTTABLE: readonly ColumnKind[] = ['invoice', 'customerCode', 'accountNumber', 'amount'];

/**
 * Returns whether the cell of a column may be the beginning of a longer one that reads otherwise. So it matters whether
 * the last line of the file has an end.
 */
export function mayBeCut(profile: Profile, title: Title | undefined): boolean {
  const columns = mentionsOf(profile).flatMap((mention) => (mention.title === title ? (mention.column ?? []) : []));
  return columns.some((column) => CUTTABLE.includes(COLUMNS[column].kind) && !isWholeOnly(profile, title));
}

/** An amount that must have its decimals, and no sign behind them, fits no longer when it is cut. */
function isWholeOnly({ columns: { amount } }: Profile, title: Title | undefined): boolean {
  if (!amount?.number || ![amount.from, amount.positive, amount.negative].includes(title)) return false;
  const { unit, places, whole, negative } = amount.number;
  return unit === 'cents' || (places === 2 && whole === 'refuse' && !negative.includes('trailing-minus'));
}
