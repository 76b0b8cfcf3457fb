import type { ColumnName } from '../../schemas/columns.ts';
import { columnsOf } from '../../schemas/layouts.ts';
import type { Fault } from '../kernel/rows.ts';
import { blankFilter } from './blank-lines.ts';
import type { recordChecker } from './check-records.ts';
import type { CheckedRow } from './check-row.ts';
import type { CheckRules } from './check-rules.ts';
import type { CheckedGroup } from './checked-group.ts';
import { HASH_WORDS } from './duplicate-rows.ts';
import type { faultTally } from './fault-tally.ts';
import { closeRow, makeRoom, newRowPack, packRow } from './packed-rows.ts';
import { type Block, findLineEnd } from './read-blocks.ts';
import type { FileShape } from './read-records.ts';
import { CR, LF } from '../kernel/byte-names.ts';
import { compileRowScan } from './scan/compile-row-scan.ts';
import { DECLINED, newRowDesk } from './scan/row-desk.ts';
import { cellFault } from './row-notes.ts';
import { splitCells } from './split-cells.ts';
import { type Line, LONGEST_LINE } from './split-lines.ts';

type Parts = {
  readonly rules: CheckRules;
  /** Lines in which header and layout are looked for. */
  readonly groupLines: number;
  readonly checker: ReturnType<typeof recordChecker>;
  readonly tally: ReturnType<typeof faultTally>;
  readonly shape: FileShape;
  readonly decodeLine: (bytes: Uint8Array) => string;
};

/**
 * Checks blocks of lines. Once header and layout are known, each line is first shown to the scanner of bytes. What it
 * declines is decoded, cut into cells and put through the rules, line by line, so that the rows stay in order.
 */
export function blockChecker({ rules, groupLines, checker, tally, shape, decodeLine }: Parts) {
  const filter = blankFilter(shape);
  const desk = newRowDesk();
  const pack = newRowPack();
  const ends = { lf: false, crlf: false, cr: false };
  /** Of the rows of a run, where they begin and the hashes of their payments. */
  const starts = new Uint32Array(RUN_ROWS);
  const hashes = new Uint32Array(RUN_ROWS * HASH_WORDS);
  let columns: readonly ColumnName[] = [];
  let scanRow: ReturnType<typeof compileRowScan> | undefined;
  let withheld: CheckedRow[] = [];
  let faults: Fault[] = [];
  /** Lines that are read before header and layout are known. */
  let waiting: Line[] = [];

  function checkBlock({ bytes, isLast }: Block): CheckedGroup {
    withheld = [];
    faults = [];
    pack.count = 0;
    // No row grows to more than this, whatever its character set. A row has at least four bytes.
    makeRoom(pack, { rows: Math.ceil(bytes.length / 4), bytes: 3 * bytes.length });
    const end = isLast ? endOfClosedLines(bytes) : bytes.length;
    desk.input = bytes;
    for (let at = 0; at < end; ) {
      // A line that is held back comes before those that follow.
      if (scanRow && !filter.isWaiting()) at = scanRows(at, end);
      if (at < end) at = checkLine(at);
    }
    if (isLast) checkRest(bytes.subarray(end));
    return { layout: checker.layout(), packed: pack, withheld, faults };
  }

  /** @returns where the first line begins that is no row for the scanner */
  function scanRows(start: number, end: number): number {
    let at = start;
    while (at < end) {
      const firstRow = pack.count;
      const firstFault = faults.length;
      at = scanRun(at, end);
      const scanned = pack.count - firstRow;
      const added = checker.addPayments(pack, firstRow, hashes) - firstRow;
      if (added < scanned) {
        at = starts[added]!;
        forgetRows(firstRow + added);
      }
      for (let fault = firstFault; fault < faults.length; fault += 1) tally.count(faults[fault]!);
      if (added < RUN_ROWS) return at;
    }
    return at;
  }

  /** Forgets the rows that were scanned from this place on. */
  function forgetRows(from: number): void {
    const line = pack.lines[from]!;
    pack.count = from;
    shape.physicalLines = line - 1;
    while (faults.length > 0 && faults.at(-1)!.line >= line) faults.pop();
  }

  /** Scans rows one after another until one is declined, but not more than a few. */
  function scanRun(start: number, end: number): number {
    let at = start;
    desk.output = pack.bytes;
    for (let row = 0; row < RUN_ROWS && at < end; row += 1) {
      desk.to = pack.starts[pack.count]!;
      const lineEnd = scanRow!(desk, at);
      if (lineEnd === DECLINED || lineEnd - at > LONGEST_LINE) break;
      starts[row] = at;
      checker.hashPayment(desk, hashes, row);
      if (desk.replaced.length > 0) reportReplaced(shape.physicalLines + 1);
      closeRow(pack, { end: desk.to, line: shape.physicalLines + 1, cents: desk.cents });
      at = passLineEnd(lineEnd);
    }
    return at;
  }

  function reportReplaced(line: number): void {
    for (const { column, start, end } of desk.replaced) {
      const cell = desk.input.toString('latin1', start, end).trim();
      // Its own number is starred in it, which takes time and needs four digits at least.
      const number = /\d{4}/.test(cell) ? textAt(desk.output, desk.payerStart, desk.payerEnd) : '';
      faults.push(cellFault({ code: 'TEXT_REPLACED', line, column: columns[column]!, cell, number }));
    }
  }

  /** Checks the line that begins here by the rules. */
  function checkLine(start: number): number {
    const end = findLineEnd(desk.input, start);
    const behind = passLineEnd(end);
    filter.take(readLine(start, end), waiting);
    takeWaiting();
    return behind;
  }

  function readLine(start: number, end: number): Line {
    const text = decodeLine(desk.input.subarray(start, end));
    const tooLong = text.length > LONGEST_LINE;
    return { number: shape.physicalLines, text: tooLong ? '' : text, tooLong };
  }

  /** Counts a line and its end. */
  function passLineEnd(at: number): number {
    shape.physicalLines += 1;
    if (desk.input[at] === LF) ends.lf = true;
    else if (desk.input[at + 1] !== LF) ends.cr = true;
    else {
      ends.crlf = true;
      return at + 2;
    }
    return at + 1;
  }

  /** Header and layout are looked for in as many lines as the reference would take. */
  function takeWaiting(): void {
    const needed = checker.isSettled() ? 1 : groupLines;
    if (waiting.length < needed) return;
    checkLines(waiting.slice(0, groupLines));
    waiting = waiting.slice(groupLines);
    takeWaiting();
  }

  function checkLines(lines: readonly Line[]): void {
    for (const row of checker.checkGroup(splitCells(lines))) {
      if (row.payment) packRow(pack, row.payment);
      else withheld.push(row);
      faults.push(...row.faults);
    }
    const layout = checker.layout();
    if (scanRow || !layout || !checker.isPlain()) return;
    scanRow = compileRowScan(layout, rules);
    columns = columnsOf(layout);
  }

  /** What stands behind the last line end, and what was waiting for more lines. */
  function checkRest(rest: Buffer): void {
    let last: Line | undefined;
    if (rest.length > 0) {
      shape.physicalLines += 1;
      desk.input = rest;
      last = readLine(0, rest.length);
    }
    filter.takeLast(last, waiting);
    shape.mixesLineEnds = Object.values(ends).filter(Boolean).length > 1;
    for (let start = 0; start < waiting.length; start += groupLines) {
      checkLines(waiting.slice(start, start + groupLines));
    }
  }

  return { checkBlock };
}

/** Rows that are scanned before their payments are looked up: enough to do it fast, few enough to do it again. */
const RUN_ROWS = 32;

function endOfClosedLines(bytes: Buffer): number {
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
}

/** Cells that were scanned are ASCII. */
function textAt(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}
