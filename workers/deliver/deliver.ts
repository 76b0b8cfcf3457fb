import type { App } from '../../src/app.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import {
  commitOutputs,
  type Delivery,
  madeOfAnother,
  readDeliveries,
  readDueCorrections,
  recordOutput,
} from '../../src/ledger/file/complete-file.ts';
import { dueFiles } from '../../src/ledger/batch/due-work.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import type { Hand, NotEnded, Stage } from '../stage.ts';
import { writeResultCorrection } from './write-result-correction.ts';
import { dueNotices } from './write-notice.ts';
import { type Made, type Wanted, writeOutputs } from './write-outputs.ts';

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
