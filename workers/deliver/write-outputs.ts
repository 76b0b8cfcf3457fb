import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import type { Fault, OutcomeTotals } from '../../src/rows/rows.ts';
import type { Delivery, NewOutput } from '../../src/ledger/file/complete-file.ts';
import { readBatchesOf, readFaultPages, readOutcomeTotalsOf } from '../../src/ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { readSmallPacks, type RowPack } from '../../src/ledger/row/read-packed-rows.ts';
import { checkControlTotals, type ControlTotal } from '../../src/reconcile/control-totals.ts';
import { summaryJson, summaryText } from '../../src/reconcile/outputs/summary.ts';
import type { NotEnded } from '../stage.ts';
import { countDelivered } from './count-delivered.ts';
import { FIRST, isSmall } from './finished-pages.ts';
import { openOutputs, type OutputFiles, publish } from './output-files.ts';
import { type ResultInput, resultInput } from './result-input.ts';
import { wantsWorkbook, workbookWriter } from './result-workbook.ts';
import { figuresOfFile, summaryOf } from './summary-of-file.ts';
import { NOTICE_KINDS as NOTICES, writeNotice } from './write-notice.ts';
import { mustHold } from './write-result-correction.ts';
import { ROW_KINDS, writeRows } from './write-rows.ts';

/** A payment file, and which of its outputs are to be written. */
export type Wanted = {
  readonly delivery: Delivery;
  readonly notices: readonly OutputKind[];
  readonly results: boolean;
  /** Does a part of the work that concerns this file. */
  readonly trace: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/** What was published of a file, with control totals if its results are; and why the rest was not. */
export type Made = {
  readonly outputs: readonly NewOutput[];
  readonly controlTotals?: readonly ControlTotal[];
  readonly why?: Exclude<NotEnded, 'later'>;
};

/**
 * Writes and publishes notices, and every output of files whose rows are final. The ledger is asked once for all files.
 * What was written of all is flushed side by side and read back; only what holds is named, all together. Writing it again
 * gives the same bytes.
 * @param stop begins no further file
 * @returns what was published, and why anything was not, by the id of the file
 */
export async function writeOutputs(
  app: App,
  wanted: readonly Wanted[],
  stop: AbortSignal = NEVER,
): Promise<ReadonlyMap<string, Made>> {
  const writing: Writing[] = [];
  try {
    const ahead = await readAhead(app, wanted);
    for (const one of wanted) {
      const writes = open(app, one, ahead);
      writing.push(writes);
      if (stop.aborted) writes.why = 'stopped';
      else await one.trace(() => writeDrafts(app, writes, ahead));
    }
    // Also of a file whose rows have failed: nothing but its notices is left then.
    await Promise.all(writing.map((one) => attempt(one, NONE, () => one.outputs.readBack(NOTICES))));
    await Promise.all(
      writing.filter(({ why }) => !why).map((one) => attempt(one, NOTICES, () => readRowsBack(app, one))),
    );
    crashPoint('deliver.rows-written');
    for (const one of writing) if (!one.why) await attempt(one, NOTICES, () => summarize(app, one));
    crashPoint('deliver.totals-held');
    await publish(
      app,
      writing.map(({ outputs }) => outputs),
    );
    crashPoint('deliver.summaries-written');
    return new Map(
      writing.map(({ outputs, controlTotals, why }) => [
        outputs.file.file_id,
        { outputs: [...outputs.written], ...(controlTotals && { controlTotals }), ...(why && { why }) },
      ]),
    );
  } finally {
    for (const { outputs } of writing) await outputs.drop();
  }
}

const NEVER = new AbortController().signal;
const NONE: readonly OutputKind[] = [];

/**
 * A file that fails keeps no other from its outputs, nor, if it is for its rows, its sender from the notice.
 * @param stays what stays of it then
 */
async function attempt(one: Writing, stays: readonly OutputKind[], work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    one.why = { error };
    await one.outputs.drop(KINDS.filter((kind) => !stays.includes(kind)));
  }
}

/** What the ledger has of the files, asked for all of them at once. */
type Ahead = {
  readonly batches: readonly BatchRow[];
  readonly totals: ReadonlyMap<number, OutcomeTotals>;
  /** Rows of small files. */
  readonly packs: ReadonlyMap<number, RowPack>;
  readonly faults: ReadonlyMap<number, readonly Fault[]>;
};

async function readAhead(app: App, wanted: readonly Wanted[]): Promise<Ahead> {
  const final = wanted.filter(({ results }) => results).map(({ delivery }) => delivery.file);
  // A notice lists all faults; a result says why rows were withheld.
  const explained = wanted
    .filter(({ notices, results, delivery }) => notices.length > 0 || (results && delivery.file.invalid_rows !== 0))
    .map(({ delivery }) => delivery.file);
  const { ledger } = app;
  const numbers = (files: readonly FileRow[]) => files.map(({ file_no: no }) => no);
  const small = final.filter(isSmall).map((file) => ({ fileNo: file.file_no, lines: file.physical_lines ?? 0 }));
  const faults = explained.length > 0 ? await readFaultPages(ledger, numbers(explained)) : new Map<number, Fault[]>();
  if (final.length === 0) return { batches: [], totals: new Map(), packs: new Map(), faults };
  return {
    faults,
    batches: await readBatchesOf(
      ledger,
      final.map(({ file_id: fileId }) => fileId),
    ),
    totals: await readOutcomeTotalsOf(ledger, numbers(final), FIRST),
    packs: await readSmallPacks(ledger, small),
  };
}

/** A file whose outputs are being written. */
type Writing = {
  readonly wanted: Wanted;
  readonly outputs: OutputFiles;
  readonly batches: readonly BatchRow[];
  readonly totals: OutcomeTotals;
  /** Set for results, with what a reader finds in the result file, once it was read back. */
  input?: ResultInput;
  delivered?: OutcomeTotals;
  controlTotals?: readonly ControlTotal[];
  /** Why not all of it is written. */
  why?: Exclude<NotEnded, 'later'>;
};

function open(app: App, wanted: Wanted, ahead: Ahead): Writing {
  const { file } = wanted.delivery;
  const batches = ahead.batches.filter(({ file_id: fileId }) => fileId === file.file_id);
  return { wanted, outputs: openOutputs(app, file), batches, totals: ahead.totals.get(file.file_no) ?? {} };
}

async function writeDrafts(app: App, one: Writing, ahead: Ahead): Promise<void> {
  const { delivery, notices, results } = one.wanted;
  const { file } = delivery;
  app.telemetry.note({ account: file.account });
  const firstFaults = ahead.faults.get(file.file_no) ?? [];
  await attempt(one, NONE, async () => {
    for (const kind of notices) await writeNotice(app, delivery, { kind, firstFaults }, one.outputs);
  });
  if (!results || one.why) return;
  await attempt(one, NOTICES, async () => {
    one.input = await resultInput(app, file);
    const found = { batches: one.batches, pack: ahead.packs.get(file.file_no), firstFaults };
    await writeRows(app, file, { ...found, input: one.input }, one.outputs);
  });
}

/** The rows of the result are counted as they are read back from disk, and go into the workbook. */
async function readRowsBack(app: App, one: Writing): Promise<void> {
  const { outputs, input } = one;
  const { file } = outputs;
  await outputs.readBack(ROW_KINDS, async (kind, bytes) => {
    if (kind !== 'result') return readToEnd(bytes);
    const writeToo = wantsWorkbook(app, file) ? workbookWriter(file, input!, outputs) : undefined;
    one.delivered = await countDelivered(bytes, input!, file.output_form.delimiter, writeToo);
  });
  await outputs.readBack(['result-xlsx']);
}

async function readToEnd(bytes: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of bytes);
}

/** Compares the control totals and writes the summaries, of a file whose rows were read back. */
async function summarize(app: App, one: Writing): Promise<void> {
  if (!one.wanted.results) return;
  const { outputs, batches, totals: outcomes, delivered = {} } = one;
  const { file } = outputs;
  const controlTotals = checkControlTotals({ ...figuresOfFile(file), batches, outcomes, delivered });
  mustHold(controlTotals, `complete file "${file.file_id}"`);
  const known = [...one.wanted.delivery.outputs, ...outputs.written];
  const summary = await summaryOf(app, file, { batches, outcomes, controlTotals, known });
  await outputs.appendText('summary-json', summaryJson(summary));
  await outputs.appendText('summary-txt', summaryText(summary));
  await outputs.readBack(['summary-json', 'summary-txt']);
  one.controlTotals = controlTotals;
}

const KINDS = Object.keys(OUTPUT_KINDS) as OutputKind[];
