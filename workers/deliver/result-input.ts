import { columnsOf, type LayoutName, REASON_TITLE } from '../../schemas/layouts.ts';
import type { Profile } from '../../schemas/profiles.ts';
import type { App } from '../../src/app.ts';
import { readProfileLines } from '../../src/csv/profile/read-profile.ts';
import { profileHash } from '../../src/csv/profile/profile-text.ts';
import { titlesOf as titlesOfProfile } from '../../src/csv/profile/profile-titles.ts';
import type { LineBuffer } from '../../src/csv/read/line-buffer.ts';
import { putText } from '../../src/csv/read/line-buffer.ts';
import { cellsOf, type RawLines } from '../../src/csv/read/read-raw-lines.ts';
import { type CsvForm, csvLines, DELIMITERS } from '../../src/csv/write/write-csv.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { titlesOf } from '../../src/reconcile/outputs/result-row.ts';
import { senderMasker } from '../../src/csv/profile/mask-sender-row.ts';
import { profileContext, profileOf } from '../file-profile.ts';
import { openContent } from '../open-original.ts';
import { shownRow } from './copy-plain-row.ts';

/** How the rows of a file stand in its outputs: as in its layout, or as the sender wrote them. */
export type ResultInput = {
  /** Titles of their columns. */
  readonly titles: readonly string[];
  /** Column of the amount as a plain decimal, from 0. */
  readonly amountAt: number;
  /** Returns the cells of a row. `isValid` if it passed the check; `clear` shows numbers whole. */
  readonly cells: (rows: RawLines, place: number, shown: { isValid: boolean; clear?: boolean }) => readonly string[];
  /** Title of the reason in rejects and retry files, whose other columns are those of the sender. */
  readonly reasonTitle: string;
  /** Set for rows in a layout, which can be copied as bytes. */
  readonly layout?: LayoutName;
};

/** Returns how the rows of a file stand in its outputs. A file read by a profile keeps its own columns and words. */
export async function resultInput(app: App, file: FileRow): Promise<ResultInput> {
  const layout = file.layout!;
  const profile = await profileOf(app.ledger.pool, file);
  return profile ? senderInput(profile, await readTitles(app, file, profile)) : layoutInput(layout);
}

function layoutInput(layout: LayoutName): ResultInput {
  return {
    layout,
    titles: titlesOf(layout),
    reasonTitle: REASON_TITLE,
    amountAt: columnsOf(layout).indexOf('amount'),
    cells: (rows, place, shown) => shownRow(layout, cellsOf(rows, place), shown),
  };
}

/** The amount that was read, because the sender may write it in any way. */
const AMOUNT_TITLE = 'Amount (paydrop)';

function senderInput(profile: Profile, titles: readonly string[]): ResultInput {
  const mask = senderMasker(profile, titles);
  const amountAt = columnsOf(profile.layout).indexOf('amount');
  return {
    titles: [...titles, AMOUNT_TITLE],
    reasonTitle: `${REASON_TITLE} (paydrop ${profileHash(profile).slice(0, 8)})`,
    amountAt: titles.length,
    cells: (rows, place, { isValid, clear = false }) => {
      const made = cellsOf(rows, place);
      const cells = rows.sender?.get(place) ?? [];
      return [...(clear ? cells : mask(cells, { made, isValid })), made[amountAt] ?? ''];
    },
  };
}

/** Returns the titles as they stand in the file, in its order; numbers where it has none. */
async function readTitles(app: App, file: FileRow, profile: Profile): Promise<readonly string[]> {
  const original = openContent(app, file);
  try {
    for await (const lines of readProfileLines(original, profile, profileContext(file))) {
      const found = lines.find(({ kind }) => kind === 'titles');
      if (found) return found.cells.map((cell) => cell.trim());
      if (profile.head.titles === 'none') break;
    }
    return titlesOfProfile(profile).map((title) => (typeof title === 'number' ? `Column ${title}` : title));
  } finally {
    original.destroy();
  }
}

/** Adds to a title of ours what tells it from one of the sender. */
export function ownTitles(titles: readonly string[], { titles: theirs }: Pick<ResultInput, 'titles'>): string[] {
  const taken = new Set(theirs.map((title) => title.toLowerCase()));
  return titles.map((title) => (taken.has(title.toLowerCase()) ? `${title} (paydrop)` : title));
}

/**
 * Returns a function that writes the cells of a row, each followed by the delimiter.
 * @param options.isDropped for a file to be dropped again, which has the columns of the sender alone
 */
export function senderRowPutter(
  input: ResultInput,
  { clear = false, isDropped = false, form }: { clear?: boolean; isDropped?: boolean; form: CsvForm },
): (into: LineBuffer, rows: RawLines, place: number, isValid: boolean) => void {
  const line = csvLines({ guard: true, form });
  const amountAt = new Set([input.amountAt]);
  return (into, rows, place, isValid) => {
    const cells = input.cells(rows, place, { clear, isValid });
    const shown = isDropped ? cells.slice(0, input.amountAt) : cells;
    putText(into, line(shown, amountAt).slice(0, -2) + DELIMITERS[form.delimiter]);
  };
}
