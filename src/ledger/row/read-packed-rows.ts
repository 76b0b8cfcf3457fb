import { areSameBytes } from '../../rows/cut-cells.ts';
import { NO_CODE, OUTCOME_NAMES } from '../../rows/packed-outcomes.ts';
import { copyOut, NULL_CELL, tupleReader } from '../copy/copy-out.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import {
  type AsOf,
  type KeptRow,
  type LineRange,
  NO_OUTCOME,
  NOW,
  readChanged,
  type RowOutcome,
} from './read-kept-rows.ts';

/** Rows of a line range with their outcomes, packed: all texts in one run of bytes, the rest in columns. Refillable. */
export type RowPack = {
  count: number;
  lines: Uint32Array;
  /** NO_BATCH for a withheld row. */
  batchNos: Uint32Array;
  /** Integer cents; NaN when the amount of a withheld row is unreadable. */
  cents: Float64Array;
  /** Index in OUTCOME_NAMES, or NO_OUTCOME_YET. */
  outcomes: Uint8Array;
  /** Rejection code, or NO_CODE. */
  codes: Int32Array;
  /** UTF-8: for each row its message, then its authorization. */
  texts: Buffer;
  /** Ends of the texts: `ends[2 * n]` for the message of row `n`, the next one for its authorization. */
  ends: Uint32Array;
  /** Outcomes that changed later, by line; they take precedence over the columns. */
  changes: ReadonlyMap<number, RowOutcome>;
};

export const NO_BATCH = 0;
export const NO_OUTCOME_YET = 255;

/** @param rows initial capacity */
export function newRowPack(rows: number): RowPack {
  return {
    count: 0,
    lines: new Uint32Array(rows),
    batchNos: new Uint32Array(rows),
    cents: new Float64Array(rows),
    outcomes: new Uint8Array(rows),
    codes: new Int32Array(rows),
    texts: Buffer.allocUnsafe(Math.max(1, rows) * USUAL_TEXT_BYTES),
    ends: new Uint32Array(2 * rows),
    changes: new Map(),
  };
}

/** Bytes per row: an approval with its code, twice. */
const USUAL_TEXT_BYTES = 32;

/** Unpacks the row at a position. */
export function keptRowAt(pack: RowPack, place: number): KeptRow {
  const line = pack.lines[place]!;
  const cents = pack.cents[place]!;
  const row = {
    line,
    batch_no: pack.batchNos[place] === NO_BATCH ? null : pack.batchNos[place]!,
    amount_cents: Number.isNaN(cents) ? null : cents,
  };
  const outcome = OUTCOME_NAMES[pack.outcomes[place]!];
  if (outcome === undefined) return { ...row, ...NO_OUTCOME };
  const changed = pack.changes.get(line);
  if (changed) return { ...row, ...changed };
  const code = pack.codes[place]!;
  const [messageEnd, end] = [pack.ends[2 * place]!, pack.ends[2 * place + 1]!];
  return {
    ...row,
    outcome,
    code: code === NO_CODE ? null : code,
    message: pack.texts.toString('utf8', textsFrom(pack, place), messageEnd),
    authorization: pack.texts.toString('utf8', messageEnd, end),
  };
}

/** Returns where the texts of a row begin. */
export function textsFrom(pack: RowPack, place: number): number {
  return place === 0 ? 0 : pack.ends[2 * place - 1]!;
}

/**
 * Reads what `readKeptRows` reads, for a whole file, range by range. Binary COPY costs the server a third of the work,
 * and no object per row is needed.
 * @param into its old content is lost; it grows as needed
 * @param options.isSmall the rows are so few that it does not matter how they are found
 */
export async function readPackedRows(
  ledger: Ledger,
  fileNo: number,
  range: LineRange,
  into: RowPack,
  { correctionNo = NOW, isSmall = false }: AsOf & { isSmall?: boolean } = {},
): Promise<RowPack> {
  into.count = 0;
  const [changes] = await Promise.all([
    correctionNo === 0 ? NO_CHANGES : readChanged(ledger, fileNo, range, correctionNo),
    copyRows(ledger, rowsBetween(fileNo, range), { isSmall, add: tupleReader(COLUMNS, rowTaker(into)) }),
  ]);
  into.changes = changes;
  return into;
}

const NO_CHANGES: RowPack['changes'] = new Map();

/**
 * Reads the first outcomes of all rows of several small files at once.
 * @param files with the numbers of their lines, at least about
 * @returns a pack for each, by the number of the file
 */
export async function readSmallPacks(
  ledger: Ledger,
  files: readonly { fileNo: number; lines: number }[],
): Promise<ReadonlyMap<number, RowPack>> {
  const packs = new Map(files.map(({ fileNo, lines }) => [fileNo, newRowPack(lines)]));
  const takers = new Map([...packs].map(([fileNo, pack]) => [fileNo, rowTaker(pack)]));
  const add = tupleReader(COLUMNS + 1, (bytes, cells) => {
    takers.get(readLong(bytes, cells[2 * COLUMNS]!))!(bytes, cells);
  });
  if (files.length > 0) await copyRows(ledger, rowsOfFiles([...packs.keys()]), { isSmall: true, add });
  return packs;
}

async function copyRows(
  ledger: Ledger,
  query: string,
  { isSmall, add }: { isSmall: boolean; add: (piece: Buffer) => void },
): Promise<void> {
  const client = await ledger.pool.connect();
  let failure: Error | undefined;
  try {
    if (!isSmall) await client.query(`BEGIN READ ONLY; ${SIDE_BY_SIDE}`);
    await copyOut(client, query, add);
    if (!isSmall) await client.query('COMMIT');
  } catch (error) {
    failure = error as Error;
    throw error;
  } finally {
    client.release(failure);
  }
}

/**
 * Leaves the planner one way: walking both tables side by side, in key order. A file may have a million new rows that
 * the planner does not know about yet. It would sort them or look each outcome up separately.
 */
const SIDE_BY_SIDE = ['hashjoin', 'nestloop', 'sort', 'bitmapscan', 'seqscan']
  .map((way) => `SET LOCAL enable_${way} = off`)
  .join('; ');

/** Puts the values into the text, because COPY takes none beside it; all three are our own integers. */
function rowsBetween(fileNo: number, { from, to }: LineRange): string {
  const between = (table: string) =>
    `${table}.file_no = ${Math.trunc(fileNo)} AND ${table}.line BETWEEN ${Math.trunc(from)} AND ${Math.trunc(to)}`;
  return `SELECT r.line, r.batch_no, o.outcome, o.code, o.message, o."authorization", r.amount_cents
          FROM payment_row r LEFT JOIN row_outcome o ON o.line = r.line AND ${between('o')}
          WHERE ${between('r')} ORDER BY r.line`;
}

/** Same for whole files, with the number of the file in the last column. */
function rowsOfFiles(fileNos: readonly number[]): string {
  // Named for both tables: the planner would look for the outcomes everywhere.
  const these = (table: string) => `${table}.file_no IN (${fileNos.map(Math.trunc).join(', ')})`;
  return `SELECT r.line, r.batch_no, o.outcome, o.code, o.message, o."authorization", r.amount_cents, r.file_no
          FROM payment_row r LEFT JOIN row_outcome o ON o.file_no = r.file_no AND o.line = r.line AND ${these('o')}
          WHERE ${these('r')} ORDER BY r.file_no, r.line`;
}

const NAMES = OUTCOME_NAMES.map((name) => Buffer.from(name));

const COLUMNS = 7;

/** Returns a function that appends rows to a pack one by one, with the columns of `rowsBetween`. */
function rowTaker(into: RowPack): (bytes: Buffer, cells: Int32Array) => void {
  let textEnd = 0;

  function addText(bytes: Buffer, from: number, to: number): number {
    if (textEnd + to - from > into.texts.length) {
      const larger = Buffer.allocUnsafe((textEnd + to - from) * 2);
      larger.set(into.texts.subarray(0, textEnd));
      into.texts = larger;
    }
    const { texts } = into;
    // Byte by byte: they are few, so a view of them would cost more.
    for (let at = from; at < to; at += 1, textEnd += 1) texts[textEnd] = bytes[at]!;
    return textEnd;
  }

  return (bytes, cells) => {
    if (into.count === into.lines.length) enlarge(into);
    const row = into.count;
    into.count += 1;
    into.lines[row] = bytes.readInt32BE(cells[0]);
    into.batchNos[row] = cells[3] === NULL_CELL ? NO_BATCH : bytes.readInt32BE(cells[2]);
    const isOpen = cells[5] === NULL_CELL;
    into.outcomes[row] = isOpen ? NO_OUTCOME_YET : outcomeAt(bytes, cells[4]!, cells[5]!);
    into.cents[row] = cells[13] === NULL_CELL ? NaN : readLong(bytes, cells[12]!);
    into.codes[row] = cells[7] === NULL_CELL ? NO_CODE : bytes.readInt32BE(cells[6]);
    into.ends[2 * row] = isOpen ? textEnd : addText(bytes, cells[8]!, cells[9]!);
    into.ends[2 * row + 1] = isOpen ? textEnd : addText(bytes, cells[10]!, cells[11]!);
  };
}

/** Reads eight bytes without an object per row; amounts of payments are exact numbers. */
function readLong(bytes: Buffer, at: number): number {
  return bytes.readInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4);
}

function outcomeAt(bytes: Buffer, from: number, to: number): number {
  const place = NAMES.findIndex((name) => areSameBytes(name, 0, name.length, bytes, from, to));
  if (place < 0) throw new Error('a row has an outcome that is not in the table of outcomes');
  return place;
}

/** Enlarges the pack: the last range of a file has no end, so it may hold more rows than expected. */
function enlarge(pack: RowPack): void {
  const larger = newRowPack(Math.max(FEWEST_ROWS, 2 * pack.count));
  for (const column of ['lines', 'batchNos', 'cents', 'outcomes', 'codes', 'ends'] as const)
    larger[column].set(pack[column]);
  const { count, texts, changes } = pack;
  Object.assign(pack, larger, { count, texts, changes });
}

const FEWEST_ROWS = 128;
