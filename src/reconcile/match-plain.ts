import { isUtf8 } from 'node:buffer';
import { type ColumnName, columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import type { FolderOperation } from '../../schemas/operations.ts';
import { areSameBytes, cutCells, dropSpaces, readCents, readDigits, skipSpaces } from '../rows/cut-cells.ts';
import { outcomePacker, type PackedOutcomes } from '../rows/packed-outcomes.ts';
import type { OutcomeTotals, Totals } from '../rows/rows.ts';
import { type SentText, sentTextReader } from '../rows/sent-text.ts';
import type { SentOutcome } from '../../schemas/lifecycle.ts';
import { keptMessage } from './kept-message.ts';
import { readOutcome, type RowOutcome } from './read-outcome.ts';

export type PlainMatch = { outcomes: PackedOutcomes; totals: OutcomeTotals };

/**
 * Reads and matches a typical result file: plain lines, as many as were sent, every row in its place. It scans the
 * bytes once. `readResultFile`, `matchResults` and `reconcileRows` make objects of each row and take over four times the
 * processor time (`docs/decisions/fast-reader-before-full-reader.md`). They would match whatever it accepts with the
 * same outcomes; anything unusual is left to them.
 * @returns undefined for a result that is not plain, or does not match these rows
 */
export function matchPlain(
  { layout, operation, sent }: { layout: LayoutName; operation: FolderOperation; sent: SentText },
  bytes: Buffer,
): PlainMatch | undefined {
  if (!isUtf8(bytes) || bytes[0] === MARK) return undefined;
  const isSameRow = rowComparer(layout, sent, bytes);
  const messages = messagePacker(operation, outcomePacker(sent.rows), bytes);
  const columns = columnsOf(layout).length;
  const cells = new Uint32Array(columns + 3);
  const totals: OutcomeTotals = {};
  let rows = 0;
  for (let next = 0; next < bytes.length; next = cells[columns + 2]!) {
    const found = cutCells(bytes, next, cells);
    if (found === 1 && cells[columns + 1] === next + 1) continue;
    if (found <= columns || cells[columns + 2]! - next > LONGEST_LINE) return undefined;
    const row = isSameRow(cells);
    if (!row) return undefined;
    const endsOpen = cells[columns + 2]! > bytes.length;
    const outcome = messages.add(row.line, cells[columns]!, cells[columns + 1]! - 1, endsOpen);
    addTo((totals[outcome] ??= { rows: 0, cents: 0 }), row.cents);
    rows += 1;
  }
  return rows === sent.rows ? { outcomes: messages.finish(), totals } : undefined;
}

/** First byte of a byte order mark, which the reader of any result removes. */
const MARK = 0xef;
/** In bytes; longer lines follow rules of their own (`csv/read/split-lines.ts`). */
const LONGEST_LINE = 16_000;

function addTo(total: { -readonly [Part in keyof Totals]: Totals[Part] }, cents: number): void {
  total.rows += 1;
  total.cents += cents;
}

/**
 * Returns a function that compares the next sent row with a line cut into cells. Invoice, customer code and cents must
 * match, and the number must end alike (control total H6). Spaces around a cell do not count.
 * @returns the row, or undefined when they differ or no row is left
 */
function rowComparer(layout: LayoutName, sent: SentText, bytes: Buffer) {
  const placeOf = (column: ColumnName) => columnsOf(layout).indexOf(column);
  const [invoice, code, amount] = [placeOf('invoice'), placeOf('customerCode'), placeOf('amount')];
  const number = Math.max(placeOf('cardNumber'), placeOf('accountNumber'));
  const row = sentTextReader(sent);

  const isSameCell = (cells: Uint32Array, column: number, kept: number, mayBeLonger: boolean): boolean => {
    const keptFrom = row.places[kept]!;
    const keptTo = row.places[kept + 1]! - 1;
    if (column < 0) return keptFrom === keptTo;
    const from = skipSpaces(bytes, cells[column]!, cells[column + 1]! - 1);
    const to = dropSpaces(bytes, from, cells[column + 1]! - 1);
    const start = mayBeLonger && keptTo > keptFrom ? Math.max(from, to - (keptTo - keptFrom)) : from;
    return areSameBytes(bytes, start, to, row.bytes, keptFrom, keptTo);
  };

  return (cells: Uint32Array): typeof row | undefined => {
    if (!row.read()) return undefined;
    const from = skipSpaces(bytes, cells[amount]!, cells[amount + 1]! - 1);
    const isSame =
      readCents(bytes, from, dropSpaces(bytes, from, cells[amount + 1]! - 1)) === row.cents &&
      isSameCell(cells, invoice, row.invoice, false) &&
      isSameCell(cells, code, row.customerCode, false) &&
      isSameCell(cells, number, row.lastFour, true);
    return isSame ? row : undefined;
  };
}

type MessagePacker = {
  /**
   * @param from start of the message, including the spaces around it
   * @param endsOpen whether its line has no end
   */
  add(line: number, from: number, to: number, endsOpen: boolean): SentOutcome;
  finish(): PackedOutcomes;
};

/**
 * Creates a packer. Most messages are approvals, each with its own code, and are packed as they are. `readOutcome` and
 * `keptMessage` read all others, once for each text: there are a few dozen.
 */
export function messagePacker(
  operation: FolderOperation,
  packer: ReturnType<typeof outcomePacker>,
  bytes: Buffer,
): MessagePacker {
  const told = new Map<string, ReadOutcome>();

  const tell = (text: string, endsOpen: boolean): ReadOutcome => {
    const known = endsOpen ? undefined : told.get(text);
    if (known) return known;
    const cells = text.split(',').map((cell) => cell.trim());
    const message = cells.join(',');
    const one = { ...readOutcome(operation, message, endsOpen), message: keptMessage(message) };
    if (!endsOpen && told.size < MOST_TEXTS) told.set(text, one);
    return one;
  };

  return {
    add(line, from, to, endsOpen) {
      const start = skipSpaces(bytes, from, to);
      const stop = dropSpaces(bytes, start, to);
      const code = operation === 'card' ? findApprovalCode(bytes, start, stop) : undefined;
      if (code !== undefined) {
        packer.addRow(line, 'approved', null);
        packer.addBytes('message', bytes, start, stop);
        packer.addBytes('authorization', bytes, code, codeEnd(bytes, code, stop));
        return 'approved';
      }
      const one = tell(bytes.toString('utf8', from, to), endsOpen);
      packer.addRow(line, one.outcome, one.code);
      packer.addText('message', one.message);
      packer.addText('authorization', one.authorization);
      return one.outcome;
    },
    finish: () => packer.finish(),
  };
}

type ReadOutcome = RowOutcome & { readonly message: string };

/** A service that writes a different text in each row must not fill the memory. */
const MOST_TEXTS = 500;

/**
 * Finds the start of an approval code: `OK: 678594`, also without the space, or followed by a colon or a colon and a
 * letter. Longer codes are masked when they are kept, so they are left to `readOutcome` and `keptMessage`.
 */
function findApprovalCode(bytes: Buffer, from: number, to: number): number | undefined {
  if (bytes[from] !== LETTER_O || bytes[from + 1] !== LETTER_K || bytes[from + 2] !== COLON) return undefined;
  const code = skipSpaces(bytes, from + 3, Math.min(to, from + 4));
  const end = codeEnd(bytes, code, to);
  if (end - code > LONGEST_CODE || readDigits(bytes, code, end) < 0) return undefined;
  const isWhole = end === to || end + 1 === to || (end + 2 === to && isLetter(bytes[end + 1]!));
  return isWhole ? code : undefined;
}

function codeEnd(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== COLON) at += 1;
  return at;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

const LETTER_O = 0x4f;
const LETTER_K = 0x4b;
const COLON = 0x3a;
const LONGEST_CODE = 6;
