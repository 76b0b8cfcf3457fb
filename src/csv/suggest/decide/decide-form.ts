import { type Profile, SEPARATORS, type SeparatorName, type Title } from '../../../../schemas/profiles.ts';
import { counted } from '../../../kernel/counted.ts';
import { namesSecurityCode } from '../../check/column-titles.ts';
import { titlesOf } from '../../profile/profile-titles.ts';
import { endsInQuotes } from '../../profile/read/split-dialect.ts';
import { findTitles, type Tried, trySeparators } from '../form.ts';
import { type ColumnEvidence, evidenceOf, type FoundSum, sumsIn } from '../kinds-of-columns.ts';
import { kindsOfRows, type RowKinds } from '../kinds-of-rows.ts';
import type { Memo } from '../memo.ts';
import { OPEN, type Asker } from '../question.ts';
import { charsetsOf, decodeSample, isBlank, linesOf, rowsOf, type SampleRow } from '../sample-rows.ts';
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
  readonly sums: readonly FoundSum[];
};

/** Why no profile can be made of a sample, for a person. */
export type Stop = { readonly stop: string };

const MOST_SHOWN = 3;

/**
 * Decides how the bytes become a table. Nothing else can be asked before.
 * @returns undefined while a question about it is open
 */
export function decideForm({ bytes, memo }: { bytes: Buffer; memo: Memo }, ask: Asker): Table | Stop | undefined {
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\x03\x04')
    return { stop: 'it is a workbook, and only text files can be looked at' };
  const charset = decideCharset(bytes, memo, ask);
  if (charset === undefined) return undefined;
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

type Charset = ReturnType<typeof charsetsOf>[number];

function decideCharset(bytes: Buffer, memo: Memo, ask: Asker): Charset | undefined {
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
      .flatMap((line) => /\S*[^\0-\x7f]\S*/.exec(line)?.[0] ?? [])
      .slice(0, MOST_SHOWN)
      .map(shownText),
    options: charsets.map((value) => ({ value, label: value })),
    preselected: charsets[0],
  });
  return charsets.find((charset) => charset === answer);
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
  const columns = titles.map((_, place) =>
    evidenceOf(
      sorted.ordinary.map(({ cells }) => cells[place]!),
      place,
      sorted.totals.flatMap(({ row }) => (row.cells.length === width ? [row.cells[place]!.trim()] : [])),
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

/** Returns which texts must stand above the titles. */
export function decideAbove({ above }: Table, ask: Asker): readonly string[] | undefined {
  if (above.length === 0) return [];
  return ask.pick({
    id: 'above',
    step: 'rows',
    about: 'Texts above the titles',
    text: 'Which of these texts must stand above the titles in every file, so that no other export is read?',
    evidence: [],
    options: above.map((value) => ({ value, label: shownText(value) })),
    preselected: above.slice(0, 1),
  });
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
    String(read['separator']),
    String(read['charset']),
    head,
    [counted(rows.ordinary.length, 'row'), ...others].join(', '),
  ].join('; ');
}
