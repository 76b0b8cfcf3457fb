import type { ResultInput } from './result-input.ts';
import { type Outcome, outcomeOfLabel } from '../../schemas/lifecycle.ts';
import { cellsOf, type RawLines, standsInBytes, readRawLines } from '../../src/csv/read/read-raw-lines.ts';
import { openPlainText } from '../../src/csv/read/open-plain-text.ts';
import { readBlocks } from '../../src/csv/read/read-blocks.ts';
import { endOfCell, splitSeparated } from '../../src/csv/read/split-cells.ts';
import { unguardCell } from '../../src/csv/write/guard-cell.ts';
import { type CsvForm, DELIMITERS } from '../../src/csv/write/write-csv.ts';
import { POINT, ZERO } from '../../src/kernel/byte-names.ts';
import { parseAmount } from '../../src/kernel/money.ts';
import type { OutcomeTotals } from '../../src/rows/rows.ts';

/**
 * Counts rows and money per outcome as a reader of the result file finds them (control total H8).
 * @param bytes of the file as read back from disk, never those just written
 * @param writeToo gets the cells of each line that is counted, the titles first
 */
export async function countDelivered(
  bytes: AsyncIterable<Uint8Array>,
  { titles, amountAt }: Pick<ResultInput, 'titles' | 'amountAt'>,
  delimiter: CsvForm['delimiter'] = 'comma',
  writeToo?: (rows: AsyncIterable<readonly string[]>) => Promise<void>,
): Promise<OutcomeTotals> {
  const counter = cellCounter(1 + amountAt, 1 + titles.length);
  if (writeToo) {
    await writeToo(eachSeen(separatedCells(bytes, DELIMITERS[delimiter]), counter.countCells));
    return counter.totals();
  }
  if (delimiter !== 'comma') {
    for await (const cells of separatedCells(bytes, DELIMITERS[delimiter])) counter.countCells(cells);
    return counter.totals();
  }
  for await (const rows of readRawLines(bytes, { charset: 'utf-8', headerLine: 1 })) {
    for (let place = 0; place < rows.lines.length; place += 1) counter.count(rows, place);
  }
  return counter.totals();
}

async function* eachSeen<Item>(items: AsyncIterable<Item>, see: (item: Item) => void): AsyncGenerator<Item> {
  for await (const item of items) {
    see(item);
    yield item;
  }
}

/** Yields the cells of each line, the titles first. No cell of our own files holds a line end. */
async function* separatedCells(bytes: AsyncIterable<Uint8Array>, delimiter: string): AsyncGenerator<readonly string[]> {
  const text = await openPlainText(bytes, 'utf-8');
  for await (const block of readBlocks(text.source)) {
    for (const line of text.decodeLine(block.bytes).split('\r\n')) {
      if (line !== '') yield splitSeparated(line, delimiter).map(unguardCell);
    }
  }
}

/** Counts rows by their amount and outcome cells. In a plain row it looks at nothing else. */
function cellCounter(amountAt: number, outcomeAt: number) {
  const sums = new Map<Outcome, { rows: number; cents: number }>();
  /** Kept between rows: consecutive rows mostly share an outcome. */
  let label = '';
  let outcome: Outcome | undefined;

  function add(amount: string): void {
    if (!outcome) return;
    const cents = parseAmount(amount.trim());
    addCents(typeof cents === 'number' ? cents : 0);
  }

  function addCents(cents: number): void {
    if (!outcome) return;
    const sum = sums.get(outcome) ?? { rows: 0, cents: 0 };
    sums.set(outcome, sum);
    sum.rows += 1;
    sum.cents += cents;
  }

  function setLabel(text: string): void {
    label = text;
    outcome = outcomeOfLabel(text);
  }

  function countCells(cells: readonly string[]): void {
    setLabel(cells[outcomeAt] ?? '');
    add(cells[amountAt] ?? '');
  }

  function count(rows: RawLines, place: number): void {
    if (!standsInBytes(rows, place)) {
      countCells(cellsOf(rows, place));
      return;
    }
    const { bytes } = rows;
    const end = rows.ends[place]!;
    const amountFrom = skipCells(bytes, rows.starts[place]!, end, amountAt);
    const amountTo = endOfCell(bytes, amountFrom, end);
    const labelFrom = skipCells(bytes, amountTo + 1, end, outcomeAt - amountAt - 1);
    const labelTo = endOfCell(bytes, labelFrom, end);
    if (!stands(label, bytes, labelFrom, labelTo)) setLabel(bytes.toString('latin1', labelFrom, labelTo));
    const cents = plainCents(bytes, amountFrom, amountTo);
    if (cents === undefined || outcome === undefined) countCells(cellsOf(rows, place));
    else addCents(cents);
  }

  return { count, countCells, totals: (): OutcomeTotals => Object.fromEntries(sums) };
}

/** Returns where the cell `count` cells further on begins, or a place past `end` when there are too few. */
function skipCells(bytes: Buffer, start: number, end: number, count: number): number {
  let place = start;
  for (let left = count; left > 0 && place <= end; left -= 1) place = endOfCell(bytes, place, end) + 1;
  return place;
}

function stands(text: string, bytes: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let place = start; place < end; place += 1) if (bytes[place] !== text.charCodeAt(place - start)) return false;
  return true;
}

/** Parses one to seven digits, a point and two digits as cents; undefined for the rest, which `parseAmount` reads. */
function plainCents(bytes: Buffer, start: number, end: number): number | undefined {
  const point = end - 3;
  if (point <= start || point - start > 7 || bytes[point] !== POINT) return undefined;
  let cents = 0;
  for (let place = start; place < end; place += 1) {
    if (place === point) continue;
    const digit = bytes[place]! - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    cents = cents * 10 + digit;
  }
  return cents;
}
