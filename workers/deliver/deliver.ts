import { LAYOUTS } from '../../schemas/layouts.ts';
import { OUTPUT_KINDS, type OutputKind } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { byNumber, counted } from '../../src/kernel/counted.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import type { Fault, OutcomeTotals } from '../../src/rows/rows.ts';
import {
  commitOutputs,
  type Delivery,
  madeOfAnother,
  type NewOutput,
  readDeliveries,
  readDueCorrections,
  recordOutput,
} from '../../src/ledger/file/complete-file.ts';
import { dueFiles } from '../../src/ledger/batch/due-work.ts';
import { readBatchesOf, readFaultPages, readOutcomeTotalsOf } from '../../src/ledger/file/read-file.ts';
import { withheldOf } from '../../src/ledger/file/file-figures.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { readSmallPacks, type RowPack } from '../../src/ledger/row/read-packed-rows.ts';
import { checkControlTotals, type ControlTotal, type Figures } from '../../src/reconcile/control-totals.ts';
import { type Summary, summaryJson, summaryText } from '../../src/reconcile/outputs/summary.ts';
import { sayWithheld } from '../../src/reconcile/say-withheld.ts';
import { whatRead } from '../file-profile.ts';
import { resultTitles } from '../../src/reconcile/outputs/result-row.ts';
import { LAST_ROW } from '../../src/csv/workbook/cell-address.ts';
import { typedCell, type WorkbookCell, writeWorkbook } from '../../src/csv/workbook/write-workbook.ts';
import { type ResultInput, resultInput } from './result-input.ts';
import { countDelivered } from './count-delivered.ts';
import { openOutputs, type OutputFiles, publish } from './output-files.ts';
import { FIRST, isSmall } from './finished-pages.ts';
import { mustHold, writeResultCorrection } from './write-result-correction.ts';
import { ROW_KINDS, writeRows } from './write-rows.ts';
import type { Hand, NotEnded, Stage } from '../stage.ts';
import { dueNotices, NOTICE_KINDS as NOTICES, writeNotice } from './write-notice.ts';

/** Bytes of the files of a group; a larger file is a group of its own. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Writes the output files that are due. */
export const DELIVER: Stage<DueFile> = {
  name: 'deliver',
  most: { things: 20, weight: MOST_BYTES },
  findDue: (app) => dueFiles(app.ledger, 'deliver', app.settings.site),
  thingOf: (fileId) => ({ fileId }),
  itemOf: ({ fileId }) => ({ work: 'deliver', subject: fileId, fileId }),
  work: deliver,
};

type DueFile = { readonly fileId: string };

/**
 * Writes the output files of payment files that are due: the notice, the results once no batch is open, then a correction
 * for each change of outcomes. The results complete the file. All come from the ledger and the sealed original alone, so a
 * repeat after a crash gives the same bytes, and so do two processes at once.
 */
async function deliver(app: App, files: readonly DueFile[], { stop, trace }: Pick<Hand<DueFile>, 'stop' | 'trace'>) {
  const notEnded = new Map<DueFile, NotEnded>();
  const deliveries = await readDeliveries(
    app.ledger,
    files.map(({ fileId }) => fileId),
  );
  const due = deliveries.map((delivery) => {
    const file = files.find(({ fileId }) => fileId === delivery.file.file_id)!;
    const wanted = { delivery, notices: dueNotices(app, delivery), results: wantsResults(delivery) };
    return { ...wanted, trace: <Result>(work: () => Promise<Result>) => trace(file, work), file };
  });
  const made = await writeOutputs(app, due, stop);
  await record(app, due, made, notEnded);
  for (const file of files) {
    const why = made.get(file.fileId)?.why;
    if (!due.some((one) => one.file === file)) notEnded.set(file, { error: noFile(file) });
    else if (why) notEnded.set(file, why);
  }
  await correct(app, due, notEnded);
  return notEnded;
}

function noFile({ fileId }: DueFile): PipelineError {
  return new PipelineError('NOT_FOUND', `find file "${fileId}"`);
}

/** Does the same for one file at once. */
export async function deliverFile(app: App, file: DueFile): Promise<void> {
  const why = (await deliver(app, [file], { stop: NEVER, trace: (_file, work) => work() })).get(file);
  if (typeof why === 'object') throw why.error;
}

const NEVER = new AbortController().signal;

function wantsResults({ file, outputs, openBatches }: Delivery): boolean {
  if (file.state === 'partly_cancelled' && outputs.some(({ kind }) => kind === 'summary-txt')) return false;
  return HAVE_RESULTS.has(file.state) && openBatches === 0;
}

const HAVE_RESULTS: ReadonlySet<FileRow['state']> = new Set(['accepted', 'in_progress', 'partly_cancelled']);

type Due = Wanted & { readonly file: DueFile };

/** Records what was published of each file, and completes those whose results are out. */
async function record(
  app: App,
  due: readonly Due[],
  made: ReadonlyMap<string, Made>,
  notEnded: Map<DueFile, NotEnded>,
): Promise<void> {
  const files = due.flatMap(({ delivery, file }) => {
    const { outputs = [], controlTotals } = made.get(file.fileId) ?? {};
    if (outputs.length === 0) return [];
    const source = { file: delivery.file, ...(controlTotals && { batchMarks: delivery.batchMarks }) };
    const completes = controlTotals && { evidence: { controlTotals } };
    return [{ of: file, source, outputs, completes }];
  });
  if (files.length === 0) return;
  const ends = await commitOutputs(app.ledger, files);
  crashPoint('output.recorded');
  for (const { of, source } of files) {
    const end = ends.get(of.fileId);
    if (end === 'completed') app.log.info({ ...of, account: source.file.account }, 'file completed');
    if (end === 'another') notEnded.set(of, { error: madeOfAnother(of.fileId) });
  }
}

/** Writes the corrections that are due, of a file whose results are out. */
async function correct(app: App, due: readonly Due[], notEnded: Map<DueFile, NotEnded>): Promise<void> {
  // Only what has a result is corrected.
  const corrected = due.filter(
    ({ delivery, results }) => results || delivery.outputs.some(({ kind }) => kind === 'result'),
  );
  if (corrected.length === 0) return;
  const fileNos = corrected.map(({ delivery }) => delivery.file.file_no);
  for (const { fileNo, correctionNo } of await readDueCorrections(app.ledger, fileNos)) {
    const { delivery, file } = due.find((one) => one.delivery.file.file_no === fileNo)!;
    if (notEnded.has(file)) continue;
    try {
      const outputs = await writeResultCorrection(app, delivery.file, correctionNo);
      await recordOutput(app.ledger, delivery, ...outputs);
      app.log.info({ ...file, correctionNo }, 'correction written');
    } catch (error) {
      notEnded.set(file, { error });
    }
  }
}

/** A payment file, and which of its outputs are to be written. */
export type Wanted = {
  readonly delivery: Delivery;
  readonly notices: readonly OutputKind[];
  readonly results: boolean;
  /** Does a part of the work that concerns this file. */
  readonly trace: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

/** What was published of a file, with control totals if its results are; and why the rest was not. */
type Made = {
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

function wantsWorkbook(app: App, { output_form: form, records, file_id: fileId }: FileRow): boolean {
  if (!form.workbook) return false;
  const fits = (records ?? 0) < LAST_ROW;
  if (!fits) app.log.warn({ fileId }, 'the result has more rows than a sheet, so it gets no workbook');
  return fits;
}

/** Returns what writes the lines of a result into a workbook. Numbers are masked in them already. */
function workbookWriter(file: FileRow, { types }: ResultInput, outputs: OutputFiles) {
  const ours = resultTitles(file.output_form);
  const typeAt = ['text', ...types, ...ours.map((title) => (title === 'Amount Charged' ? 'charged' : 'text'))] as const;
  const cellOf = (cell: string, place: number) => {
    const type = typeAt[place] ?? 'text';
    // Our amounts may be written with a comma.
    return type === 'charged' ? typedCell(cell.replace(',', '.'), 'number') : typedCell(cell, type);
  };
  return async (lines: AsyncIterable<readonly string[]>): Promise<void> => {
    let read = 0;
    let written = 1;
    async function* rows(): AsyncGenerator<readonly WorkbookCell[]> {
      for await (const cells of lines) {
        read += 1;
        yield read === 1 ? cells : cells.map(cellOf);
      }
    }
    for await (const bytes of writeWorkbook('Result', rows())) {
      await outputs.append('result-xlsx', bytes, Math.max(read - written, 0));
      written = Math.max(read, written);
    }
  };
}

async function summaryOf(
  app: App,
  file: FileRow,
  {
    batches,
    outcomes,
    controlTotals,
    known,
  }: Pick<Figures, 'outcomes'> & {
    batches: readonly BatchRow[];
    controlTotals: ControlTotal[];
    known: readonly NewOutput[];
  },
): Promise<Summary> {
  const { account, timeZone } = file.output_form;
  const when = (at: Date | null) => (at ? formatInZone(at, timeZone) : '');
  const readBy = await whatRead(app.ledger.pool, file);
  const unknown = outcomes.unknown?.rows ?? 0;
  const withheld = withheldOf(file);
  return {
    file: {
      fileId: file.file_id,
      name: file.name,
      account,
      operation: file.operation,
      layout: file.layout && LAYOUTS[file.layout].title,
      sha256: file.sha256,
      bytes: file.bytes,
      completeness: file.completeness,
      claimedAt: when(file.claimed_at),
      ...(readBy && { readBy }),
    },
    controlTotals,
    outcomes,
    batches: batches.map((batch) => ({
      batchNo: batch.batch_no,
      batchId: batch.batch_id,
      state: batch.state,
      attempt: batch.attempt,
      rows: batch.rows,
      cents: batch.cents,
      sentAt: when(batch.submitted_at),
      resultAt: when(batch.result_at),
    })),
    // The summaries cannot hold their own hashes. Sort by kind: times may be equal, or differ when the files are
    // written again, and the summary must not differ. Those that the ledger knows come first.
    outputs: known
      .filter(({ kind, number = 0 }) => !kind.startsWith('summary') && number === 0)
      .filter(({ kind }, place, all) => all.findIndex((other) => other.kind === kind) === place)
      .sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind))
      .map(({ kind, name, sha256, rows }) => ({ kind, name, sha256, rows })),
    openItems: [
      ...(unknown === 0
        ? []
        : [
            `${counted(unknown, 'row')} may or may not have been charged; ask the service before sending ${byNumber(unknown, 'it', 'them')} again`,
          ]),
      ...(withheld.rows === 0 ? [] : [`${sayWithheld(withheld)}; correct the rejects file and drop it`]),
    ],
  };
}

const KINDS = Object.keys(OUTPUT_KINDS) as OutputKind[];

/** Returns the file's own figures for the control totals, as counted at intake. Money is integer cents. */
export function figuresOfFile(file: FileRow): Omit<Figures, 'batches' | 'outcomes' | 'delivered'> {
  return {
    control: file.control,
    // A file keeps the reason it was held for; while it is still held, it is not approved.
    approved: file.reason_code !== null && file.state !== 'held',
    sha256: file.sha256,
    physicalLines: file.physical_lines ?? 0,
    blankLines: file.blank_lines ?? 0,
    headerLines: file.header_line === null ? 0 : 1,
    readLines: file.profile_lines,
    records: file.records ?? 0,
    valid: { rows: file.valid_rows ?? 0, cents: file.valid_cents ?? 0 },
    invalidRows: file.invalid_rows ?? 0,
  };
}
