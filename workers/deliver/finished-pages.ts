import { cellsOf, type RawLines, readRawLines } from '../../src/csv/read/read-raw-lines.ts';
import type { App } from '../../src/app.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { readBatches, readFaults } from '../../src/ledger/file/read-file.ts';
import type { AsOf, KeptRow } from '../../src/ledger/row/read-kept-rows.ts';
import {
  keptRowAt,
  newRowPack,
  NO_BATCH,
  readPackedRows,
  type RowPack,
} from '../../src/ledger/row/read-packed-rows.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import type { FinishedRow } from '../../src/reconcile/outputs/result-row.ts';
import { profileContext, versionOf } from '../file-profile.ts';
import { openContent } from '../open-original.ts';
import { readMadeLines } from '../../src/csv/profile/read-made-lines.ts';
import { ERRORS, type FaultCode } from '../../schemas/errors.ts';
import type { Fault } from '../../src/rows/rows.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { Outcome } from '../../schemas/lifecycle.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';

/**
 * Rows of a finished file as they arrived, starting at `from`, and their outcomes. Memory is reused: finish with a page
 * before asking for the next.
 */
export type FinishedPage = { readonly input: RawLines; readonly from: number; readonly rows: FinishedRows };

export type FinishedRows = {
  readonly count: number;
  /** What the ledger has of them, starting at `packFrom`. */
  readonly pack: RowPack;
  readonly packFrom: number;
  /** Returns one of the rows as output files describe it, counted from 0. */
  readonly at: (place: number) => FinishedRow;
};

type FinishedOptions = {
  /** Outcomes to use instead of the first ones; empty for the present ones. */
  asOf?: AsOf;
  batches?: readonly BatchRow[] | Promise<readonly BatchRow[]>;
  /** What the ledger has of all rows, and the first page of faults, if they were read before. */
  pack?: RowPack | undefined;
  firstFaults?: readonly Fault[] | undefined;
};

/** The first outcomes. Later changes have files of their own, so rewritten outputs keep the same bytes. */
export const FIRST: AsOf = { correctionNo: 0 };

/**
 * Yields every row of a finished file in input order, the ledger's beside the original's. Page by page, a million rows
 * take no more memory than a thousand.
 * @throws PipelineError OUTPUT_MISMATCH when the two do not have the same lines
 */
export async function* finishedPages(
  app: App,
  file: FileRow,
  { asOf = FIRST, batches = readBatches(app.ledger, file.file_id), pack: whole, firstFaults }: FinishedOptions = {},
): AsyncGenerator<FinishedPage> {
  const kept = rangeReader(whole ? [whole].values() : keptRanges(app, file, asOf));
  const original = openContent(app, file);
  try {
    const describe = rowDescriber(file, await batches);
    const findFaults = faultFinder(app.ledger, file.file_no, firstFaults);
    for await (const input of await inputLines(app, file, original)) {
      for (let from = 0; from < input.lines.length; ) {
        const { pack, from: packFrom, count } = await kept.take(input.lines.length - from);
        const hasWithheld = mustMatch(file, { input, from, pack, packFrom, count });
        const faults = hasWithheld ? await findFaults(input.lines.slice(from, from + count)) : NO_FAULTS;
        const at = (place: number): FinishedRow => {
          const row = keptRowAt(pack, packFrom + place);
          return describe(row, faults.get(row.line) ?? []);
        };
        yield { input, from, rows: { count, pack, packFrom, at } };
        from += count;
      }
    }
    const { pack, from, count } = await kept.take(1);
    if (count > 0) throw missingLine(file, pack.lines[from]!);
  } finally {
    // If the caller stops early, the original would otherwise stay open for the life of the process.
    original.destroy();
  }
}

const NO_FAULTS: Awaited<ReturnType<ReturnType<typeof faultFinder>>> = new Map();

/** Yields every row of a finished file with its cells, for callers that need few of them. */
export async function* finishedRows(
  app: App,
  file: FileRow,
  options?: FinishedOptions,
): AsyncGenerator<{ row: FinishedRow; cells: readonly string[] }[]> {
  for await (const { input, from, rows } of finishedPages(app, file, options)) {
    yield Array.from({ length: rows.count }, (_, place) => ({
      row: rows.at(place),
      cells: cellsOf(input, from + place),
    }));
  }
}

/** Reads the rows of a file in its original, as the check found them. */
export async function inputLines(
  app: App,
  file: FileRow,
  original: AsyncIterable<Uint8Array>,
): Promise<AsyncGenerator<RawLines>> {
  const { charset, header_line: headerLine, operation } = file;
  const version = await versionOf(app.ledger.pool, file);
  if (!version) return readRawLines(original, { charset, headerLine, operation });
  return readMadeLines(original, version.profile, profileContext(file));
}

function rangeReader(ranges: AsyncGenerator<RowPack> | IterableIterator<RowPack>) {
  let pack = newRowPack(0);
  let next = 0;
  return {
    take: async (most: number): Promise<{ pack: RowPack; from: number; count: number }> => {
      while (next === pack.count) {
        const range = await ranges.next();
        if (range.done) return { pack, from: next, count: 0 };
        pack = range.value;
        next = 0;
      }
      const from = next;
      next = Math.min(pack.count, from + most);
      return { pack, from, count: next - from };
    },
  };
}

function mustMatch(file: FileRow, { input, from, pack, packFrom, count }: Match): boolean {
  if (count === 0) throw missingLine(file, input.lines[from]!);
  let hasWithheld = false;
  for (let place = 0; place < count; place += 1) {
    const line = pack.lines[packFrom + place]!;
    if (line !== input.lines[from + place]) throw missingLine(file, line);
    if (pack.batchNos[packFrom + place] === NO_BATCH) hasWithheld = true;
  }
  return hasWithheld;
}

type Match = { input: RawLines; from: number; pack: RowPack; packFrom: number; count: number };

function missingLine(file: FileRow, line: number): PipelineError {
  return new PipelineError('OUTPUT_MISMATCH', `match file "${file.file_id}" with its rows`, `line ${line} is missing`);
}

/** Codes of faults that keep a row from being sent, without mere warnings. */
const TELLING = (Object.keys(ERRORS) as FaultCode[]).filter((code) => ERRORS[code].effect !== 'warn');

/**
 * Finds the faults of rows page by page. The ledger keeps them in line order, except those of the file and those found
 * later. So it reads on as pages come and drops faults already passed.
 * @returns a function that takes the lines of a page, in order and after those of earlier pages
 */
export function faultFinder(
  ledger: Ledger,
  fileNo: number,
  first?: readonly Fault[],
): (lines: readonly number[]) => Promise<Map<number, Fault[]>> {
  const pages = readFaults(ledger, fileNo, { codes: TELLING, first });
  let ahead: readonly Fault[] = [];
  return async (lines) => {
    const [first = 0, last = 0] = [lines[0], lines.at(-1)];
    const found = new Map<number, Fault[]>();
    for (;;) {
      for (const fault of ahead) {
        if (fault.line >= first && fault.line <= last) found.set(fault.line, [...(found.get(fault.line) ?? []), fault]);
      }
      ahead = ahead.filter((fault) => fault.line > last);
      if (ahead.length > 0) return found;
      const next = await pages.next();
      if (next.done) return found;
      ahead = next.value;
    }
  };
}

/** Lines read at a time: few enough to hold two such ranges, enough that the query costs nothing. */
const RANGE_LINES = 10_000;

/** For so few rows, the query plan does not matter, and those of several files are read together. */
const FEW_LINES = 1_000;

/** Returns whether what the ledger has of the rows of a file is so little that it is read with that of others. */
export function isSmall({ physical_lines: lines }: Pick<FileRow, 'physical_lines'>): boolean {
  return (lines ?? 0) <= FEW_LINES;
}

const LAST_LINE = 2_147_483_647;

/**
 * Yields what the ledger has of all rows of a file, range by range in line order. The next range is read while the
 * caller works on one. Memory is reused: use a range before asking for more.
 */
export async function* keptRanges(app: App, file: FileRow, asOf: AsOf): AsyncGenerator<RowPack> {
  const lines = file.physical_lines ?? 0;
  const packs = [
    newRowPack(Math.min(lines, RANGE_LINES)),
    newRowPack(Math.max(0, Math.min(lines - RANGE_LINES, RANGE_LINES))),
  ];
  const read = (number: number): Promise<RowPack> | undefined => {
    const from = number * RANGE_LINES;
    if (number > 0 && from > lines) return undefined;
    const to = from + RANGE_LINES > lines ? LAST_LINE : from + RANGE_LINES - 1;
    const pack = readPackedRows(app.ledger, file.file_no, { from, to }, packs[number % 2]!, {
      ...asOf,
      isSmall: isSmall(file),
    });
    // The failure reaches the `await` below; until then it must not count as unhandled.
    pack.catch(() => undefined);
    return pack;
  };
  let next = read(0);
  for (let number = 1; next; number += 1) {
    const pack = await next;
    next = read(number);
    yield pack;
  }
}

/** Returns a function that describes a row for an output file. Times are in the account's zone. */
export function rowDescriber(
  file: FileRow,
  batches: readonly BatchRow[],
): (row: KeptRow, faults: readonly Fault[]) => FinishedRow {
  const { timeZone, currency, account } = file.output_form;
  const when = (at: Date | null) => (at ? formatInZone(at, timeZone) : '');
  const sentBy = new Map(
    batches.map((batch) => [
      batch.batch_no,
      { batch, sentAt: when(batch.submitted_at), resultAt: when(batch.result_at) },
    ]),
  );
  return (row, faults) => {
    const sent = row.batch_no === null ? undefined : sentBy.get(row.batch_no);
    return {
      line: row.line,
      outcome: outcomeOf(row),
      code: row.code,
      message: messageOf(row, faults),
      authorization: row.authorization ?? '',
      batchId: sent?.batch.batch_id ?? '',
      sentAt: sent?.sentAt ?? '',
      resultAt: sent?.resultAt ?? '',
      attempt: wasSent(sent?.batch) ? sent!.batch.attempt : null,
      cents: row.amount_cents,
      currency,
      account,
    };
  };
}

function messageOf(row: KeptRow, faults: readonly Fault[]): string {
  if (row.message !== null) return keptMessage(row.message);
  return row.batch_no === null ? faultSentence(faults) : 'never sent';
}

/** Returns the outcome. Without one, a withheld row is invalid and a row of a canceled batch was never sent. */
function outcomeOf(row: KeptRow): Outcome {
  if (row.outcome) return row.outcome as Outcome;
  return row.batch_no === null ? 'invalid' : 'not_sent';
}

function wasSent(batch: BatchRow | undefined): boolean {
  return batch?.submitted_at !== null && batch !== undefined;
}

function faultSentence(faults: readonly Fault[]): string {
  return faults
    .filter((fault) => ERRORS[fault.code].effect !== 'warn')
    .map((fault) => `${fault.code}: ${ERRORS[fault.code].means}`)
    .join('; ');
}
