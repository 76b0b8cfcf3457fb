import { CR, LF } from '../../kernel/byte-names.ts';
import type { Fault } from '../../rows/rows.ts';
import type { ProfileReading } from '../profile/read-profile.ts';
import type { recordChecker } from './check-records.ts';
import { cellFault, type CheckedRow } from './check-row.ts';
import type { CheckRules } from './check-rules.ts';
import type { faultTally } from './fault-effect.ts';
import { cellEnd, cellStart, newRowPack, type PackedRows, packRow, packScanned } from '../write/packed-rows.ts';
import { behindLineEnd, type Block, findLineEnd } from '../read/read-blocks.ts';
import {
  compileBlockScan,
  ENDS_WITH,
  LINE_ENDS,
  newScannedRows,
  REPLACED,
  REPLACED_WORDS,
  ROWS,
  type ScannedRows,
} from '../scan/scan-block.ts';
import { splitPayments } from '../read/split-cells.ts';
import { blankFilter, type FileShape, type Line, LONGEST_LINE, newFileShape } from '../read/split-lines.ts';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { placesOf } from '../scan/row-scan.ts';

type Parts = {
  /** Lines searched for header and layout. */
  readonly groupLines: number;
  readonly rules: CheckRules;
  readonly checker: ReturnType<typeof recordChecker>;
  readonly tally: ReturnType<typeof faultTally>;
  readonly shape: FileShape;
  readonly decodeLine: (bytes: Uint8Array) => string;
  /** Knows which lines of the block an import profile cannot read. */
  readonly reading?: Pick<ProfileReading, 'nextFaulty'> | undefined;
};

/**
 * Checks blocks of lines. Once header and layout are known, the byte scanner sees each block first. Lines that it
 * declines are decoded, split into cells and checked by the rules, line by line, so the rows stay in order.
 */
export function blockChecker({ groupLines, rules, checker, tally, shape, decodeLine, reading }: Parts) {
  const filter = blankFilter(shape);
  const pack = newRowPack();
  let lineEnds = 0;
  let input: Buffer;
  let withheld: CheckedRow[] = [];
  let faults: Fault[] = [];
  let waiting: Line[] = [];
  /** The layout, once lines can be scanned. */
  let plain: LayoutName | undefined;
  let scanner: ReturnType<typeof openScanner> | undefined;
  let isFirst = true;

  function checkBlock(block: Block): CheckedGroup {
    withheld = [];
    faults = [];
    pack.count = 0;
    input = block.bytes;
    const end = block.isLast ? endOfClosedLines(input) : input.length;
    if (isFirst) lookAhead(block, end);
    isFirst = false;
    let at = 0;
    while (at < end && !plain) at = checkLine(at);
    if (plain && at < end) {
      scanner ??= openScanner(plain, rules, checker.hashKey, block);
      checkScanned(scanner, at, end);
    }
    if (block.isLast) checkRest(input.subarray(end));
    return { layout: checker.layout(), packed: pack, withheld, faults };
  }

  /** Finds header and layout in the first lines, if they stand in this block, so that these lines are scanned too. */
  function lookAhead(block: Block, end: number): void {
    const ahead = blankFilter(newFileShape());
    const first: Line[] = [];
    let at = 0;
    let number = 0;
    while (at < end && first.length < groupLines) {
      const lineEnd = findLineEnd(input, at);
      number += 1;
      ahead.take(readLine(number, at, lineEnd), first);
      at = behindLineEnd(input, lineEnd);
    }
    if (first.length < groupLines) {
      if (!block.isLast) return;
      ahead.takeLast(end < input.length ? readLine(number + 1, end, input.length) : undefined, first);
    }
    if (first.length === 0) return;
    const group = first.slice(0, groupLines);
    checker.settle(splitPayments(group), group);
    notePlain();
  }

  function checkScanned({ scanBlock, rows, tellBlock }: NonNullable<typeof scanner>, start: number, end: number): void {
    scanBlock(input, start, end, rows);
    lineEnds |= rows.counts[LINE_ENDS]!;
    const count = rows.counts[ROWS]!;
    const tell = tellBlock(rows, input);
    let next = 0;
    for (let at = start; at < end; ) {
      // A held-back line comes before those that follow.
      const most = rows.places[next] === at ? linesToFaulty() : 0;
      if (next < count && most > 0 && !filter.isWaiting()) {
        const runEnd = endOfRun(rows, next, most);
        const added = addRows(rows, next, runEnd, tell);
        if (added > next) at = rows.nextPlaces[added - 1]!;
        next = added;
        if (added === runEnd) continue;
      }
      if (rows.places[next] === at) next += 1;
      at = checkLine(at);
    }
  }

  /** Returns how many lines follow before one that the import profile cannot read, or enough for a run. */
  function linesToFaulty(): number {
    return reading ? reading.nextFaulty(shape.physicalLines + 1) - shape.physicalLines - 1 : RUN_ROWS;
  }

  /** @returns the first row that was not added, because only the rules can say what is wrong with it */
  function addRows(rows: ScannedRows, from: number, to: number, tell: TellReplaced): number {
    const firstLine = shape.physicalLines + 1;
    const added = checker.addPayments(rows, from, to, firstLine);
    packScanned(pack, rows, { from, to: added, firstLine });
    shape.physicalLines += added - from;
    for (const fault of tell(from, added, firstLine)) {
      faults.push(fault);
      tally.count(fault);
    }
    return added;
  }

  function checkLine(start: number): number {
    const end = findLineEnd(input, start);
    const behind = behindLineEnd(input, end);
    lineEnds |= input[end] === LF ? ENDS_WITH.lf : behind - end === 2 ? ENDS_WITH.crlf : ENDS_WITH.cr;
    shape.physicalLines += 1;
    filter.take(readLine(shape.physicalLines, start, end), waiting);
    takeWaiting();
    return behind;
  }

  function readLine(number: number, start: number, end: number): Line {
    const text = decodeLine(input.subarray(start, end));
    const tooLong = text.length > LONGEST_LINE;
    return { number, text: tooLong ? '' : text, tooLong };
  }

  /** Checks waiting lines. Until header and layout are known, it waits for `groupLines` lines. */
  function takeWaiting(): void {
    const needed = checker.isSettled() ? 1 : groupLines;
    if (waiting.length < needed) return;
    checkLines(waiting.slice(0, groupLines));
    waiting = waiting.slice(groupLines);
    takeWaiting();
  }

  function checkLines(lines: readonly Line[]): void {
    for (const row of checker.checkGroup(splitPayments(lines), lines)) {
      if (row.payment) packRow(pack, row.payment);
      else withheld.push(row);
      faults.push(...row.faults);
    }
    notePlain();
  }

  function notePlain(): void {
    const layout = checker.layout();
    if (layout && checker.isPlain()) plain = layout;
  }

  function checkRest(rest: Buffer): void {
    let last: Line | undefined;
    if (rest.length > 0) {
      shape.physicalLines += 1;
      input = rest;
      last = readLine(shape.physicalLines, 0, rest.length);
    }
    filter.takeLast(last, waiting);
    // More than one bit is set.
    shape.mixesLineEnds = (lineEnds & (lineEnds - 1)) !== 0;
    for (let start = 0; start < waiting.length; start += groupLines) {
      checkLines(waiting.slice(start, start + groupLines));
    }
  }

  return { checkBlock };
}

function openScanner(layout: LayoutName, rules: CheckRules, hashKey: Uint32Array, first: Block) {
  return {
    scanBlock: compileBlockScan({ layout, rules, hashKey }),
    // The last block needs room for itself alone; another may be followed by larger ones.
    rows: newScannedRows(first.isLast ? first.bytes.length : undefined),
    tellBlock: replacedFaults(layout),
  };
}

/** Rows looked up together: enough to be fast, few enough that they are still cached when they are packed. */
const RUN_ROWS = 64;

function endOfRun({ counts, places, nextPlaces }: ScannedRows, from: number, rows: number): number {
  const most = Math.min(counts[ROWS]!, from + Math.min(rows, RUN_ROWS));
  let to = from + 1;
  while (to < most && places[to] === nextPlaces[to - 1]) to += 1;
  return to;
}

function endOfClosedLines(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
}

type TellReplaced = (from: number, to: number, firstLine: number) => Fault[];

/**
 * Builds the faults of scanned rows.
 * @returns a function that starts a block and returns the function to call for its rows, in order. `firstLine` is the
 *   line of the row `from`; the others follow without gaps
 */
export function replacedFaults(layout: LayoutName): (rows: ScannedRows, block: Buffer) => TellReplaced {
  const columns = columnsOf(layout);
  const { number } = placesOf(columns);

  return (rows, block) => {
    const { replaced } = rows;
    const end = rows.counts[REPLACED]! * REPLACED_WORDS;
    let next = 0;
    return (from, to, firstLine) => {
      const faults: Fault[] = [];
      for (; next < end && replaced[next]! < to; next += REPLACED_WORDS) {
        const row = replaced[next]!;
        if (row < from) continue;
        const line = firstLine + row - from;
        const column = columns[replaced[next + 1]!]!;
        const cell = block.toString('latin1', replaced[next + 2], replaced[next + 3]).trim();
        // Masking the row's own number takes time, and the cell needs at least four digits to hold it.
        const ownNumber = FOUR_DIGITS.test(cell) ? numberOf(rows, row) : undefined;
        faults.push(cellFault({ code: 'TEXT_REPLACED', line, column, cell, number: ownNumber }));
      }
      return faults;
    };
  };

  function numberOf({ bytes, starts }: ScannedRows, row: number): string | undefined {
    if (number < 0) return undefined;
    const start = cellStart(bytes, starts[row]!, number);
    // Scanned cells are ASCII.
    return Buffer.from(bytes.subarray(start, cellEnd(bytes, start))).toString('latin1');
  }
}

const FOUR_DIGITS = /(?:\d\D*){4}/;

/**
 * A checked part of a payment file. Its number of rows depends only on their length, not on how the bytes arrive.
 *
 * The next group reuses the buffers of `packed`, so the caller copies what it keeps first. The objects of `withheld`
 * and `faults` are the caller's own.
 */
export type CheckedGroup = {
  /** Layout of the file; undefined until a row has the columns of one. Groups with valid rows have one. */
  readonly layout: LayoutName | undefined;
  /** The valid rows, in line order. */
  readonly packed: PackedRows;
  /** Rows without a payment, in line order. */
  readonly withheld: readonly CheckedRow[];
  /** Faults of all rows of the group, including warnings of valid rows: in line order, within a row as found. */
  readonly faults: readonly Fault[];
};
