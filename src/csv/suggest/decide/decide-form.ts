import { type Profile, SEPARATORS, type SeparatorName, type Title } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import { namesSecurityCode } from '../../check/column-titles.ts';
import { titlesOf } from '../../profile/profile-titles.ts';
import { endsInQuotes } from '../../profile/read/split-dialect.ts';
import { FEWEST_CELLS, findTitles, type Tried, trySeparators } from '../form.ts';
import { type ColumnEvidence, evidenceOf, type FoundSum, sumsIn } from '../kinds-of-columns.ts';
import type { Memo } from '../memo.ts';
import { OPEN, type Asker } from '../question.ts';
import {
  charsetsOf,
  type ColumnType,
  decodeSample,
  isBlank,
  kindsOfRows,
  linesOf,
  refuseBytes,
  type RowKinds,
  rowsOf,
  rowsOfSheet,
  type SampleRow,
  typeOfColumn,
} from '../sample-rows.ts';
import type { Sheet } from '../../workbook/workbook-rows.ts';
import type { OpenSample } from './decide.ts';
import { holdsNumber, shownText } from '../shown.ts';

/** A sample as a table. */
export type Table = {
  /** The keys `read` and `head` of a draft. */
  readonly read: Record<string, unknown>;
  readonly head: Record<string, unknown>;
  readonly lines: number;
  /** Line of the titles; 0 without. */
  readonly titleLine: number;
  /** Texts above the titles, each once. */
  readonly above: readonly string[];
  /** How rules name the columns. */
  readonly titles: readonly Title[];
  readonly rows: RowKinds;
  readonly columns: readonly ColumnEvidence[];
  /** What the cells of each column of a workbook are; all texts in a text file. */
  readonly types: readonly ColumnType[];
  /** Columns with results of formulas. */
  readonly formulas: ReadonlySet<number>;
  readonly sums: readonly FoundSum[];
};

/** Why no profile can be made of a sample, for a person. */
export type Stop = { readonly stop: string };

const MOST_SHOWN = 3;

type Opened = Pick<OpenSample, 'bytes' | 'sheets' | 'memo'>;

/**
 * Decides how the bytes become a table. Nothing else can be asked before.
 * @returns undefined while a question about it is open
 */
export function decideForm({ bytes, sheets, memo }: Opened, ask: Asker): Table | Stop | undefined {
  if (typeof sheets === 'string') return { stop: sheets };
  if (sheets) return decideSheet(sheets, memo, ask);
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04')
    return { stop: 'it is a workbook, and its sheets were not read' };
  const refused = memo('bytes', () => refuseBytes(bytes));
  if (refused !== undefined) return { stop: refused };
  const charset = decideCharset(bytes, memo, ask);
  if (charset === undefined) return undefined;
  if (charset === 'other') return { stop: 'its character set cannot be read; export it as UTF-8' };
  const lines = memo(`lines ${charset}`, () => linesOf(decodeSample(bytes, charset)));
  const tried = memo(`separators ${charset}`, () => trySeparators(lines));
  const separator = decideSeparator(tried, ask);
  if (separator === undefined) return undefined;
  if (separator === 'none') return { stop: 'no line has three cells or more, by any separator' };
  const joinsLines = decideLineBreaks(lines, ask);
  if (joinsLines === undefined) return undefined;
  const isNamed = /^"?sep=/i.test(lines[0] ?? '');
  const rows = rowsOf(lines, separator, joinsLines).filter((row) => !(isNamed && row.line === 1));
  const width = tried.trials.find((trial) => trial.separator === separator)?.width ?? 0;
  const place = decideTitles(
    rows.filter((row) => !isBlank(row)),
    width,
    ask,
  );
  if (place === undefined) return undefined;
  const read = {
    charset,
    separator,
    ...(isNamed && { sepLine: 'allow' }),
    ...(joinsLines && { lineBreaks: 'space' }),
  };
  return memo(`table ${JSON.stringify(read)} ${place}`, () =>
    tableOf({ read, lines: lines.length, rows, width, titleLine: place, isNamed }),
  );
}

function decideSheet(sheets: readonly Sheet[], memo: Memo, ask: Asker): Table | Stop | undefined {
  if (sheets.length === 0) return { stop: 'no sheet of it holds anything, or all are hidden' };
  const sheet = sheets.length === 1 ? sheets[0] : askSheet(sheets, ask);
  if (!sheet) return undefined;
  const { width, rows } = memo(`sheet ${sheet.name}`, () => rowsOfSheet(sheet));
  if (width < FEWEST_CELLS) return { stop: `no row has ${FEWEST_CELLS} cells or more` };
  const titleLine = decideTitles(rows, width, ask);
  if (titleLine === undefined) return undefined;
  const read = { kind: 'workbook', sheet: sheet.name };
  const lines = rows.at(-1)?.line ?? 0;
  return memo(`table ${JSON.stringify(read)} ${titleLine}`, () =>
    tableOf({ read, lines, rows, width, titleLine, isNamed: false }),
  );
}

function askSheet(sheets: readonly Sheet[], ask: Asker): Sheet | undefined {
  const longest = sheets.reduce((best, sheet) => (sheet.rows.length > best.rows.length ? sheet : best));
  const answer = ask.choose({
    id: 'sheet',
    step: 'form',
    about: 'Sheet',
    text: 'Which sheet holds the payments?',
    evidence: [],
    options: sheets.map(({ name, rows }) => ({
      value: name,
      label: `${shownText(name)}: ${counted(rows.length, 'row')}`,
    })),
    preselected: longest.name,
  });
  return sheets.find(({ name }) => name === answer);
}

type Charset = ReturnType<typeof charsetsOf>[number];

function decideCharset(bytes: Buffer, memo: Memo, ask: Asker): Charset | 'other' | undefined {
  const charsets = memo('charsets', () => charsetsOf(bytes));
  if (charsets.length === 1) return charsets[0];
  const odd = memo(`lines ${charsets[0]}`, () => linesOf(decodeSample(bytes, charsets[0]))).filter((line) =>
    /[^\0-\x7f]/.test(line),
  );
  const answer = ask.choose({
    id: 'charset',
    step: 'form',
    about: 'Character set',
    text: 'Which character set does the accounting system write? Its letters must read right here.',
    evidence: odd
      .flatMap((line) => /[^\s,;|"]*[^\0-\x7f][^\s,;|"]*/.exec(line)?.[0] ?? [])
      .slice(0, MOST_SHOWN)
      .map(shownText),
    options: [
      ...charsets.map((value) => ({ value, label: value })),
      { value: 'other', label: 'another: the letters here are wrong' },
    ],
    preselected: charsets[0],
  });
  return answer === 'other' ? answer : charsets.find((charset) => charset === answer);
}

function decideSeparator({ trials, isSure }: Tried, ask: Asker): SeparatorName | 'none' | undefined {
  const [best] = trials;
  if (!best) return 'none';
  if (isSure) return best.separator;
  const answer = ask.choose({
    id: 'separator',
    step: 'form',
    about: 'Separator',
    text: 'What stands between two cells?',
    evidence: trials.map(
      ({ separator, width, lines: count }) => `${separator}: ${counted(count, 'line')} of ${width} cells`,
    ),
    options: trials.map(({ separator }) => ({ value: separator, label: `${separator} (${shownMark(separator)})` })),
    preselected: best.separator,
  });
  return trials.find(({ separator }) => separator === answer)?.separator;
}

function shownMark(separator: SeparatorName): string {
  return separator === 'tab' ? 'a tab' : SEPARATORS[separator];
}

function decideLineBreaks(lines: readonly string[], ask: Asker): boolean | undefined {
  const open = lines.filter(endsInQuotes).length;
  // Such lines come in pairs; a lone one is a fault of its line.
  if (open < 2) return false;
  return ask.confirm({
    id: 'line-breaks',
    step: 'form',
    about: 'Line ends within cells',
    text: 'Some cells have line ends within quotes. Read each as a space?',
    evidence: [`${counted(open, 'line')} ${open === 1 ? 'begins or ends' : 'begin or end'} within quotes`],
    preselected: 'yes',
  });
}

/** @returns the line of the titles, or 0 for none */
function decideTitles(rows: readonly SampleRow[], width: number, ask: Asker): number | undefined {
  const found = findTitles(rows, width);
  if (found.isSure) return rows[found.place]?.line ?? 0;
  const shown = rows.slice(0, 6).filter(({ cells }) => cells.length === width);
  const answer = ask.choose({
    id: 'titles',
    step: 'form',
    about: 'Titles',
    text: 'Which line holds the titles of the columns?',
    evidence: [],
    options: [
      ...shown.map(({ line, cells }) => ({
        value: String(line),
        label: `line ${line}: ${cells.slice(0, 5).map(shownText).join(' | ')}`,
      })),
      { value: 'none', label: 'none: the file has no titles' },
    ],
    preselected: rows[found.place] ? String(rows[found.place]!.line) : 'none',
  });
  return answer === undefined ? undefined : answer === 'none' ? 0 : Number(answer);
}

type Parts = {
  readonly read: Table['read'];
  readonly lines: number;
  readonly rows: readonly SampleRow[];
  readonly width: number;
  readonly titleLine: number;
  readonly isNamed: boolean;
};

/** Titles may move by so many lines when the texts above them grow. */
const LINES_TO_SPARE = 3;

function tableOf({ read, lines, rows, width, titleLine, isNamed }: Parts): Table | Stop {
  const isUntitled = titleLine === 0;
  const titleRow = rows.find(({ line }) => line === titleLine);
  const head: Profile['head'] = {
    titles: titleRow?.cells.map((cell) => cell.trim()) ?? 'none',
    order: 'exact',
    above: [],
  };
  const stop = titleRow && refuseTitles(titleRow.cells);
  if (stop) return stop;
  const titles = titlesOf({ head: isUntitled ? { ...head, count: width } : head });
  const sorted = kindsOfRows(
    rows.filter(({ line }) => line > titleLine),
    width,
    isUntitled,
  );
  if (sorted.ordinary.length === 0) return { stop: 'there is no row below the titles' };
  const above = rows.filter(({ line }) => line < titleLine).flatMap(({ cells }) => cells.map((cell) => cell.trim()));
  const line = titleLine - (isNamed ? 1 : 0);
  const types = titles.map((_, place) => typeOfColumn(sorted.ordinary, place));
  const columns = titles.map((_, place) =>
    evidenceOf(
      sorted.ordinary.map(({ cells }) => cells[place]!),
      place,
      sorted.totals.flatMap(({ row }) => (row.cells.length === width ? [row.cells[place]!.trim()] : [])),
      types[place]!.type,
    ),
  );
  return {
    read,
    head: isUntitled
      ? { titles: 'none', count: width }
      : { titles: head.titles, ...(line > 1 && { within: Math.min(100, line + LINES_TO_SPARE), above: OPEN }) },
    lines,
    titleLine,
    above: [...new Set(above.filter((text) => text !== '' && text.length <= 200 && !holdsNumber(text)))],
    titles,
    rows: sorted,
    columns,
    types: types.map(({ type }) => type),
    formulas: new Set(types.flatMap(({ hasFormulas }, place) => (hasFormulas ? [place] : []))),
    sums: sumsIn(columns),
  };
}

function refuseTitles(cells: readonly string[]): Stop | undefined {
  const code = cells.find(namesSecurityCode);
  if (code !== undefined) {
    return { stop: `"${shownText(code)}" is a security code, which must not be exported; make the export without it` };
  }
  const number = cells.findIndex(holdsNumber);
  if (number >= 0) return { stop: `the title of column ${number + 1} holds a long number; that line has no titles` };
  const empty = cells.findIndex((cell) => cell.trim() === '');
  return empty < 0
    ? undefined
    : { stop: `column ${empty + 1} has no title; give it one in the export, or leave it out` };
}

/** Says how many rows and lines there are, for the head of a report. */
export function sayTable({ lines, titleLine, rows, read }: Table): string {
  const others = [
    ...(rows.totals.length > 0 ? [counted(rows.totals.length, 'total row')] : []),
    ...(rows.tail.length > 0 ? [`${counted(rows.tail.length, 'line')} behind the rows`] : []),
    ...(rows.odd.length > 0 ? [`${counted(rows.odd.length, 'row')} of another width`] : []),
  ];
  const head = titleLine === 0 ? 'no titles' : `titles on line ${titleLine}`;
  return [
    counted(lines, 'line'),
    ...(read['kind'] === 'workbook'
      ? [`sheet "${shownText(String(read['sheet']))}"`]
      : [String(read['separator']), String(read['charset'])]),
    head,
    [counted(rows.ordinary.length, 'row'), ...others].join(', '),
  ].join('; ');
}
