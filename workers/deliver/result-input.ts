import { type ColumnKind, COLUMNS, columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import type { Profile } from '../../schemas/profiles.ts';
import type { App } from '../../src/app.ts';
import { readProfileLines } from '../../src/csv/profile/read-profile.ts';
import { returnedLines, returnedMark, returnedTitle } from '../../src/csv/profile/returned-file.ts';
import { titlePlaces } from '../../src/csv/profile/read/find-titles.ts';
import type { WorkbookType } from '../../src/csv/workbook/write-workbook.ts';
import type { LineBuffer } from '../../src/csv/read/line-buffer.ts';
import { putText } from '../../src/csv/read/line-buffer.ts';
import { cellsOf, type RawLines } from '../../src/csv/read/read-raw-lines.ts';
import { type CsvForm, csvLines, DELIMITERS } from '../../src/csv/write/write-csv.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { titlesOf } from '../../src/reconcile/outputs/result-row.ts';
import { senderMasker } from '../../src/csv/profile/mask-sender-row.ts';
import { profileContext, type Version, versionOf } from '../file-profile.ts';
import { openContent } from '../open-original.ts';
import { shownRow } from './copy-plain-row.ts';

/** How the rows of a file stand in its outputs: as in its layout, or as the sender wrote them. */
export type ResultInput = {
  /** Titles of their columns. */
  readonly titles: readonly string[];
  /** What their cells are in a workbook. */
  readonly types: readonly WorkbookType[];
  /** Column of the amount as a plain decimal, from 0. */
  readonly amountAt: number;
  /** Returns the cells of a row. `isValid` if it passed the check; `clear` shows numbers whole. */
  readonly cells: (rows: RawLines, place: number, shown: Shown) => readonly string[];
  /** Set for rows in a layout, which can be copied as bytes. */
  readonly layout?: LayoutName;
  /** Set for rows that a profile reads: the form in which they can be dropped again. */
  readonly returned?: ReturnedRows;
};

/** Writes the file of rejected rows as the sender would have written it, with a reason in the last column. */
export type ReturnedRows = {
  /** The first line. */
  readonly head: Buffer;
  readonly row: (rows: RawLines, place: number, shown: Shown, reason: string) => Buffer;
};

type Shown = { readonly isValid: boolean; readonly clear?: boolean };

/** Returns how the rows of a file stand in its outputs. A file read by a profile keeps its own columns and words. */
export async function resultInput(app: App, file: FileRow): Promise<ResultInput> {
  const layout = file.layout!;
  const version = await versionOf(app.ledger.pool, file);
  return version ? senderInput(version, await readTitles(app, file, version.profile)) : layoutInput(layout);
}

function layoutInput(layout: LayoutName): ResultInput {
  return {
    layout,
    titles: titlesOf(layout),
    types: columnsOf(layout).map((column) => TYPES[COLUMNS[column].kind] ?? 'text'),
    amountAt: columnsOf(layout).indexOf('amount'),
    cells: (rows, place, shown) => shownRow(layout, cellsOf(rows, place), shown),
  };
}

const TYPES: { readonly [Kind in ColumnKind]?: WorkbookType } = { amount: 'number', date: 'date' };

/** The amount that was read, because the sender may write it in any way. */
const AMOUNT_TITLE = 'Amount (paydrop)';

function senderInput({ row: version, profile }: Version, titles: readonly string[]): ResultInput {
  const isUntitled = profile.head.titles === 'none';
  const shownTitles = isUntitled ? titles.map((number) => `Column ${number}`) : titles;
  const mask = senderMasker(profile, shownTitles);
  const amountAt = columnsOf(profile.layout).indexOf('amount');
  const senderCells = (rows: RawLines, place: number, { isValid, clear = false }: Shown): readonly string[] => {
    const cells = rows.sender?.get(place) ?? [];
    return clear ? cells : mask(cells, { made: cellsOf(rows, place), isValid });
  };
  const line = returnedLines(profile);
  return {
    titles: [...shownTitles, AMOUNT_TITLE],
    types: [...senderTypes(profile, titles), 'number'],
    amountAt: titles.length,
    cells: (rows, place, shown) => [...senderCells(rows, place, shown), cellsOf(rows, place)[amountAt] ?? ''],
    returned: {
      head: Buffer.concat([returnedMark(profile), line(titles, returnedTitle(version.sha256))]),
      row: (rows, place, shown, reason) => {
        const cells = senderCells(rows, place, shown);
        const misread = rows.misread?.get(place);
        // As text they could be read without a fault, so a person must enter them again.
        return line(misread ? cells.map((cell, at) => (misread.has(at) ? '' : cell)) : cells, reason);
      },
    },
  };
}

/** Returns what the cells of the sender are. Only those of a workbook certainly have the type of their rule. */
function senderTypes({ read, columns, head }: Profile, titles: readonly string[]): WorkbookType[] {
  const placeOf = titlePlaces({ head }, titles);
  const typed = Object.values(columns).flatMap(({ type, from, positive, negative }) =>
    [from, positive, negative].flatMap((title) =>
      type && title !== undefined ? [[placeOf(title), type] as const] : [],
    ),
  );
  const types = new Map(read.kind === 'workbook' ? typed : []);
  return titles.map((_, place) => types.get(place) ?? 'text');
}

/** Returns the titles as they stand in the file, in its order; the numbers of its columns where it has none. */
async function readTitles(app: App, file: FileRow, profile: Profile): Promise<readonly string[]> {
  const { titles, count = 0 } = profile.head;
  if (titles === 'none') return Array.from({ length: count }, (_, place) => String(place + 1));
  const original = openContent(app, file);
  try {
    for await (const lines of readProfileLines(original, profile, profileContext(file))) {
      const found = lines.find(({ kind }) => kind === 'titles');
      if (found) return found.cells.map((cell) => cell.trim());
    }
    return titles;
  } finally {
    original.destroy();
  }
}

/** Adds to a title of ours what tells it from one of the sender. */
export function ownTitles(titles: readonly string[], { titles: theirs }: Pick<ResultInput, 'titles'>): string[] {
  const taken = new Set(theirs.map((title) => title.toLowerCase()));
  return titles.map((title) => (taken.has(title.toLowerCase()) ? `${title} (paydrop)` : title));
}

/** Returns a function that writes the cells of a row into the result, each followed by the delimiter. */
export function senderRowPutter(
  input: ResultInput,
  form: CsvForm,
): (into: LineBuffer, rows: RawLines, place: number, isValid: boolean) => void {
  const line = csvLines({ guard: true, form });
  const amountAt = new Set([input.amountAt]);
  return (into, rows, place, isValid) => {
    const cells = input.cells(rows, place, { isValid });
    putText(into, line(cells, amountAt).slice(0, -2) + DELIMITERS[form.delimiter]);
  };
}

/** Returns how a row that a profile made is shown as it is sent, in the layout. */
export function sentLines(layout: LayoutName, form: CsvForm) {
  const line = csvLines({ guard: true, form });
  const amountAt = new Set([1 + columnsOf(layout).indexOf('amount')]);
  return {
    head: Buffer.from(line(['Line', ...titlesOf(layout)])),
    line: (number: number, made: readonly string[]): string =>
      line([String(number), ...shownRow(layout, made, { isValid: true })], amountAt),
  };
}
