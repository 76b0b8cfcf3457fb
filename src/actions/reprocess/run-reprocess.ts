import { dueNames } from '../../ledger/batch/due-work.ts';
import type { ErrorCode } from '../../../schemas/errors.ts';
import { eachAlone, type Stage } from '../../../workers/stage.ts';
import { compareJournal } from '../../../workers/admit-here.ts';
import { noting } from '../../../workers/note-failures.ts';
import { folderOf } from '../../../workers/open-original.ts';
import type { App } from '../../app.ts';
import { finishDrop } from '../../files/write-drop.ts';
import { crashPoint } from '../../kernel/crash-point.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { describeFailure } from '../../queue/safe-failure.ts';
import { isOpen } from '../../ledger/admission/close-ledger.ts';
import { retryRefused } from '../../ledger/batch/retry-refused.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import type { FileRow } from '../../ledger/engine/records.ts';
import { transact } from '../../ledger/engine/transaction.ts';
import { tryLock } from '../../ledger/engine/with-lock.ts';
import { readFileRow } from '../../ledger/file/read-file.ts';
import { readReprocess } from '../../ledger/reprocess/judge-items.ts';
import {
  endDivided,
  endItem,
  endReprocess,
  findOpenRuns,
  leaveOutForgotten,
  noteDropped,
  type OpenItem,
  readOpenItems,
  type Stay,
} from '../../ledger/reprocess/move-run.ts';
import { readResubmissions } from '../../ledger/row/resubmissions.ts';
import { chooseRows } from '../resubmit-action.ts';
import { dropAgain, mustFitFolder, planAgain, type ResubmissionPlan, resubmitRows } from '../resubmit.ts';
import { sayUnproven } from '../say-kept-back.ts';

/** Sends payments again that people selected. */
export const REPROCESS: Stage<{ runNo: number }> = {
  name: 'reprocess',
  most: { things: 1, weight: 1 },
  findDue: async (app) => dueNames((await findOpenRuns(app.ledger, app.settings.site)).map(String)),
  thingOf: (subject) => ({ runNo: Number(subject) }),
  notesItself: true,
  itemOf: ({ runNo }) => ({ work: 'reprocess', subject: String(runNo) }),
  work: eachAlone((app, { runNo }, stop) => runReprocess(app, runNo, stop)),
};

/**
 * Does what is left of a run for the files of this site, one item after the other. Each goes through the transition that
 * a person makes for a single one, and the same transaction ends the item: a worker that dies leaves no item half done,
 * and the next worker repeats none. An item that fails does not stop those after it, and is tried again.
 * @returns `later` when an item failed or the ledger is closed
 */
export async function runReprocess(app: App, runNo: number, stop?: AbortSignal): Promise<'later' | void> {
  const { ledger, settings } = app;
  const held = await tryLock(ledger, `reprocess:${runNo}:${settings.site}`, async () => {
    const run = await readReprocess(ledger.pool, runNo);
    // A closed ledger may be an older copy, which cannot decide what goes again.
    if (run.state !== 'running') return undefined;
    if (!(await isOpen(ledger.pool))) return LATER;
    await compareJournal(app);
    await leaveOutForgotten(ledger, runNo);
    const because = { actor: run.begun_by!, reason: run.reason!, evidence: { selection: runNo } };
    let hasFailed = false;
    for (const item of await readOpenItems(ledger, runNo, settings.site)) {
      if (stop?.aborted) return undefined;
      await noting(app, workOf(item), () => doItem(app, item, because)).catch((error: unknown) => {
        app.log.error({ fileId: item.fileId, ...describeFailure(error) }, 'an item was not sent again');
        hasFailed = true;
      });
    }
    await endReprocess(ledger, runNo, { actor: 'worker:reprocess', reason: 'no item is left' });
    return hasFailed ? LATER : undefined;
  });
  return held?.result;
}

const LATER = 'later';

function workOf({ runNo, itemNo, fileId }: OpenItem) {
  return { work: 'reprocess', subject: `${runNo}/${itemNo}`, fileId } as const;
}

async function doItem(app: App, item: OpenItem, because: AuditReason): Promise<void> {
  crashPoint('reprocess.item-chosen');
  try {
    await DO[item.action](app, item, because);
  } catch (error) {
    const result = error instanceof PipelineError ? ENDS[error.code] : undefined;
    if (result === undefined) throw error;
    const { message: explanation } = error as PipelineError;
    // Its rows are recorded, so the item is done but for its file.
    if (item.action === 'resubmit' && item.resubmissionNo !== null) await noteDropped(app.ledger, item, explanation);
    else await endUnlessStopped(app, item, { result, explanation });
  }
}

/** Errors that are about the item: trying again would not help. With any other, the item waits. */
const ENDS: Partial<Record<ErrorCode, 'left_out' | 'failed'>> = {
  MOVE_REFUSED: 'left_out',
  NOT_FOUND: 'failed',
  ORIGINAL_GONE: 'failed',
  SEAL_BROKEN: 'failed',
  OUTPUT_EXISTS: 'failed',
  OUTPUT_MISMATCH: 'failed',
};

type End = Parameters<typeof endItem>[2];

/** A stop ends every item, also the one in hand. */
async function endUnlessStopped(app: App, item: OpenItem, end: End): Promise<void> {
  await transact(app.ledger, (tx) => endItem(tx, item, end)).catch((error: unknown) => {
    if (!(error instanceof PipelineError) || error.code !== 'MOVE_REFUSED') throw error;
  });
}

const DO: Readonly<Record<OpenItem['action'], (app: App, item: OpenItem, because: AuditReason) => Promise<void>>> = {
  retry: ({ ledger }, item, because) =>
    retryRefused(ledger, { fileId: item.fileId, batchNo: item.batchNo! }, because, {
      attempt: item.attempt!,
      also: (tx) => endItem(tx, item, { result: 'done', explanation: 'sent again' }),
    }),
  resubmit: async (app, item, because) => {
    const file = await readFileRow(app.ledger, item.fileId);
    if (item.resubmissionNo === null) return sendRows(app, file, item, because);
    const failed = await bringBack(app, file, item.resubmissionNo, because);
    await noteDropped(app.ledger, item, failed);
  },
  'drop-again': async (app, item, because) => {
    const file = await readFileRow(app.ledger, item.fileId);
    const failed = await bringBack(app, file, item.resubmissionNo!, because);
    const end: End =
      failed === undefined
        ? { result: 'done', explanation: 'written again' }
        : { result: 'failed', explanation: failed };
    await endUnlessStopped(app, item, end);
  },
};

/** Makes the new file. Its rows and the end of the item are recorded together, before it gets its name. */
async function sendRows(app: App, file: FileRow, item: OpenItem, because: AuditReason): Promise<void> {
  const plan = await chooseRows(app, file, new Set(item.lines));
  const left = stayingRows(item, plan);
  const explanation = `sent again in a new file: ${counted(plan.lines.length, 'payment')}`;
  const dropped = await resubmitRows(app, file, plan, because, (tx, resubmissionNo) =>
    endDivided(tx, item, { goes: plan.lines, left, resubmissionNo, explanation }),
  );
  crashPoint('reprocess.file-dropped');
  if (dropped) return noteDropped(app.ledger, item);
  await endUnlessStopped(app, item, { result: 'left_out', explanation: left[0]!.why });
}

/** Returns the rows that were to go and do not: resubmitted since, or kept back by the newest report of the service. */
function stayingRows({ lines }: OpenItem, plan: ResubmissionPlan): Stay[] {
  const goes = new Set(plan.lines);
  const shown = new Set(plan.shown.map(({ row }) => row.line));
  const kept = [
    { why: 'the newest report of the service lists it', lines: [...shown] },
    ...plan.unproven.map((rows) => ({ why: sayUnproven(rows), lines: rows.lines })),
  ];
  const named = new Set(kept.flatMap((each) => each.lines));
  const others = lines!.filter((line) => !goes.has(line) && !named.has(line));
  const stay = [...kept, { why: 'it was resubmitted or corrected meanwhile', lines: others }];
  return stay.filter((each) => each.lines.length > 0);
}

/**
 * Gives the file of a resubmission its name again, if it has not come back.
 * @returns why that may not be; undefined once it has its name
 */
async function bringBack(app: App, file: FileRow, no: number, because: AuditReason): Promise<string | undefined> {
  const earlier = (await readResubmissions(app.ledger, file.file_id)).find(({ resubmission_no: each }) => each === no)!;
  if (earlier.new_file_id !== null) return undefined;
  if (earlier.charged > 0) return 'a row of it may have been charged after all';
  await mustFitFolder(app, file);
  // A worker that died may have begun to give it its name.
  const folder = folderOf(app, file.folder, file.file_id);
  if (await finishDrop(folder, earlier.name, earlier.sha256)) return undefined;
  const plan = await planAgain(app, file, earlier);
  if (await dropAgain(app, file, plan, because)) return undefined;
  return plan.unproven.map(sayUnproven).join('; ') || 'the newest report of the service lists a row of it';
}
