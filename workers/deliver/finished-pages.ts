import { cellsOf, type RawLines, readRawLines } from '../../src/csv/read-raw-lines.ts';
import type { App } from '../../src/app.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { readBatches } from '../../src/ledger/queries/read-file.ts';
import { type AsOf, type KeptRow, readKeptRows } from '../../src/ledger/queries/read-kept-rows.ts';
import type { BatchRow, FileRow } from '../../src/ledger/records.ts';
import type { FinishedRow } from '../../src/reconcile/outputs/result-row.ts';
import { openContent } from '../open-content.ts';
import { rowDescriber } from './describe-row.ts';
import { faultFinder } from './find-faults.ts';

/** Rows of a finished file as they came in, and at the same places what became of them. */
export type FinishedPage = { readonly input: RawLines; readonly rows: readonly FinishedRow[] };

type FinishedOptions = {
  /** Another state of the outcomes than the first; empty for the present one. */
  asOf?: AsOf;
  /** Those of the file, if they are at hand. */
  batches?: readonly BatchRow[] | Promise<readonly BatchRow[]>;
};

/** The first outcomes. What changed later has files of its own, so that outputs can be written again with the same bytes. */
const FIRST: AsOf = { correctionNo: 0 };

/**
 * Every row of a finished file in input order, page by page: the ledger's rows and those of the sealed original side by side.
 * So a million rows cost no more memory than a thousand. While a page is at work, the ledger already looks up the next one.
 * @throws PipelineError OUTPUT_MISMATCH when the two do not have the same lines
 */
export async function* finishedPages(
  app: App,
  file: FileRow,
  { asOf = FIRST, batches = readBatches(app.ledger, file.file_id) }: FinishedOptions = {},
): AsyncGenerator<FinishedPage> {
  const original = openContent(app, file);
  try {
    const describe = rowDescriber(app, file, await batches);
    const findFaults = faultFinder(app.ledger, file.file_no);
    for await (const { input, kept } of lookUpAhead(app, file, readRawLines(original, optionsOf(file)), asOf)) {
      const faults = kept.some((row) => row.batch_no === null) ? await findFaults(input.lines) : NO_FAULTS;
      yield { input, rows: kept.map((row) => describe(row, faults.get(row.line) ?? [])) };
    }
  } finally {
    // Left by whoever wants only the first rows, it would stay open for as long as the process lives.
    original.destroy();
  }
}

const NO_FAULTS: Awaited<ReturnType<ReturnType<typeof faultFinder>>> = new Map();

/** Every row of a finished file with its cells, for those who want few of them. */
export async function* finishedRows(
  app: App,
  file: FileRow,
  options?: FinishedOptions,
): AsyncGenerator<{ row: FinishedRow; cells: readonly string[] }[]> {
  for await (const { input, rows } of finishedPages(app, file, options)) {
    yield rows.map((row, place) => ({ row, cells: cellsOf(input, place) }));
  }
}

/** How the rows of a file are found in its original, as the check found them. */
export function optionsOf({ charset, header_line: headerLine, operation }: FileRow) {
  return { charset, headerLine, operation };
}

const LAST_LINE = 2_147_483_647;

/** Pages of the original with what the ledger has of exactly the same lines. */
async function* lookUpAhead(
  app: App,
  file: FileRow,
  pages: AsyncGenerator<RawLines>,
  asOf: AsOf,
): AsyncGenerator<{ input: RawLines; kept: KeptRow[] }> {
  let before: { input: RawLines; kept: Promise<KeptRow[]> } | undefined;
  let from = 0;
  for await (const input of pages) {
    const to = input.isLast ? LAST_LINE : (input.lines.at(-1) ?? from - 1);
    const kept = readKeptRows(app.ledger, file.file_no, { from, to }, asOf);
    // Whoever waits for it learns of its failure; until then it is nobody's.
    kept.catch(() => undefined);
    from = to + 1;
    if (before) yield { input: before.input, kept: inStep(file, before.input, await before.kept) };
    before = { input, kept };
  }
  if (before) yield { input: before.input, kept: inStep(file, before.input, await before.kept) };
}

function inStep(file: FileRow, input: RawLines, kept: KeptRow[]): KeptRow[] {
  const count = Math.max(input.lines.length, kept.length);
  for (let place = 0; place < count; place += 1) {
    if (kept[place]?.line === input.lines[place]) continue;
    const line = kept[place]?.line ?? input.lines[place];
    throw new PipelineError('OUTPUT_MISMATCH', `match file "${file.file_id}" with its rows`, `line ${line} is missing`);
  }
  return kept;
}
