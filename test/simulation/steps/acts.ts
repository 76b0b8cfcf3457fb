import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isOpen } from '../../../src/ledger/admission/close-ledger.ts';
import { cancelBatch, cancelFile } from '../../../src/ledger/file/cancel-file.ts';
import { ALL_ACCOUNTS, pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { acknowledgeLate, readOpenLate } from '../../../src/ledger/file/late-arrivals.ts';
import { pollNow } from '../../../src/ledger/batch/schedule-poll.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import { requeueFile } from '../../../src/actions/batch-actions.ts';
import { runAction } from '../../../src/actions/run-action.ts';
import { planResubmission, resubmitRows } from '../../../src/actions/resubmit.ts';
import { retryRefused, withdrawBatch } from '../../../src/ledger/batch/retry-refused.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { listAgain } from '../../../src/ledger/overview/may-go-again.ts';
import { judgeItems } from '../../../src/ledger/reprocess/judge-items.ts';
import { beginReprocess, stopReprocess } from '../../../src/ledger/reprocess/move-run.ts';
import { releaseCharged } from '../../../src/ledger/duplicates/decide-double-charges.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { selectAll, selectPicked } from '../../../src/ledger/reprocess/select-items.ts';
import type { Choose } from '../choose.ts';
import type { World } from '../world.ts';
import { isWide } from '../hosts/installation.ts';
import { putsFolderBack } from '../hosts/lost-sends.ts';
import { cancelWhatIsBooked } from '../hosts/persons.ts';
import { pickFrom } from './step.ts';
import { compareWithReports, RESOLVE_ACTS } from './resolve-acts.ts';

/** What a person can do. `find` looks for a target, and says in words what would be done to it. */
export type Act = {
  readonly name: string;
  readonly find: (world: World) => Promise<{ words: string; perform: () => Promise<unknown> } | undefined>;
};

const BECAUSE = { actor: 'operator:ada', reason: 'it was looked at' };

export const ACTS: readonly Act[] = [
  ...RESOLVE_ACTS,
  onFile('approve', ['held'], (world, id) => approveFile(world.office, id, BECAUSE)),
  onFile('decline', ['held'], (world, id) => declineFile(world.office, id, BECAUSE)),
  {
    name: 'acknowledge',
    find: async (world) => {
      const [late] = await readOpenLate(world.office);
      if (!late) return undefined;
      const { fileId } = late;
      return {
        words: `acknowledges what came late of ${fileId}`,
        perform: () => acknowledgeLate(world.office, fileId, BECAUSE),
      };
    },
  },
  onFile('cancel a file', ['accepted', 'in_progress'], (world, id) => cancelFile(world.office, id, BECAUSE)),
  onBatch('cancel a batch', ['ready', 'refused'], (world, fileId, batchNo) =>
    cancelBatch(world.office, { fileId, batchNo }, BECAUSE),
  ),
  onBatch('retry', ['refused'], (world, fileId, batchNo) => retryRefused(world.office, { fileId, batchNo }, BECAUSE)),
  onBatch('withdraw', ['refused'], (world, fileId, batchNo) =>
    withdrawBatch(world.office, { fileId, batchNo }, BECAUSE),
  ),
  onBatch('repoll', ['submitted', 'result_in', 'exception', 'reconciled'], (world, fileId, batchNo) =>
    pollNow(world.office, { fileId, batchNo }, BECAUSE),
  ),
  { name: 'decide about a late charge', find: findPaid },
  onFile('requeue', ['claimed', 'accepted', 'in_progress'], async (world, id) => {
    const [instance] = world.instances;
    if (instance) await requeueFile(instance.app, await readFileRow(world.office, id));
  }),
  onFile('rebuild outputs', ['completed', 'partly_cancelled', 'rejected', 'held'], rebuild),
  onFile('resubmit', ['completed', 'partly_cancelled'], resubmit),
  { name: 'move', find: findMovable },
  { name: 'select', find: findSelectable },
  onRun('reprocess', 'selected', beginRun),
  onRun('stop a run', 'running', (world, runNo) => stopReprocess(world.office, runNo, BECAUSE)),
  {
    name: 'pause',
    find: async (world) => {
      // It is always possible, and would crowd out the other acts.
      if (!world.choose.happens(0.2)) return undefined;
      const account = world.choose.one([...world.settings.accounts.keys(), ALL_ACCOUNTS]);
      return { words: `pauses ${account}`, perform: () => pauseAccount(world.office, account, BECAUSE) };
    },
  },
  {
    name: 'resume',
    find: async (world) => {
      const account = await pickFrom<string>(world, 'SELECT DISTINCT account AS found FROM account_stop ORDER BY 1');
      if (account === undefined) return undefined;
      const perform = async () => {
        if (world.installation.hasVouched) await cancelWhatIsBooked(world, account);
        if (world.installation.timesBack > 0 && putsFolderBack(world)) await compareWithReports(world, account);
        return resumeAccount(world.office, account, BECAUSE);
      };
      return { words: `resumes ${account}`, perform };
    },
  },
];

/** A person cancels a batch that is perhaps paid already, or releases it. */
async function findPaid(world: World) {
  const batch = await pickFrom<{ id: string; no: number; name: string }>(
    world,
    `SELECT json_build_object('id', file_id, 'no', batch_no, 'name', name) AS found
     FROM batch b JOIN file f USING (file_id)
     WHERE b.paid_since IS NOT NULL AND b.state IN ('ready', 'refused') AND f.state IN ('accepted', 'in_progress')
     ORDER BY file_no, batch_no`,
  );
  if (!batch) return undefined;
  const key = { fileId: batch.id, batchNo: batch.no };
  return world.choose.happens(0.5)
    ? { words: `releases ${batch.name}/${batch.no}`, perform: () => releasePaid(world, key) }
    : { words: `cancels ${batch.name}/${batch.no}`, perform: () => cancelBatch(world.office, key, BECAUSE) };
}

function releasePaid({ office }: World, key: BatchKey): Promise<void> {
  return transact(office, (tx) => releaseCharged(tx, key, BECAUSE));
}

/**
 * Acts that are seldom possible; a person mostly takes them before anything else. Some of them need a longer run to
 * happen at all.
 */
export const SELDOM: readonly string[] = [
  'acknowledge',
  'close in doubt',
  'decline',
  'decide about a late charge',
  'move',
  'retry',
  'withdraw',
  'disown a result',
  'confirm a proposal',
  'refuse a proposal',
  'resubmit',
  'select',
  'reprocess',
  'stop a run',
];

/** Acts that rely on something not having been sent, which a ledger restored to an older state does not know. */
const RESTS_ON_NOT_SENT = ['cancel a file', 'cancel a batch', 'retry', 'withdraw', 'resume', 'reprocess'];

/** Performs an act that a person has chosen. */
export async function performAct(world: World, { name }: Act, perform: () => Promise<unknown>): Promise<void> {
  const wasOpen = !isWide(world) || (await isOpen(world.office.pool));
  await perform();
  world.totals.count('acts', name);
  if (!wasOpen && RESTS_ON_NOT_SENT.includes(name)) world.complaints.push(`a person could ${name} in a closed ledger`);
}

/** Returns the acts in the order in which a person tries them. */
export function actsInTurn(choose: Choose): Act[] {
  const acts = choose.shuffle(ACTS);
  if (choose.happens(0.4)) return acts;
  return [...acts.filter(({ name }) => SELDOM.includes(name)), ...acts.filter(({ name }) => !SELDOM.includes(name))];
}

/** Checks that outputs can be rebuilt byte for byte. */
async function rebuild(world: World, fileId: string): Promise<void> {
  const [instance] = world.instances;
  if (!instance) return;
  const file = await readFileRow(world.office, fileId);
  for (const { name, onDisk, rebuilt } of await rebuildOutputs(instance.app, file)) {
    if (onDisk === 'same' && rebuilt === 'same') continue;
    world.complaints.push(`the output ${name} is ${onDisk} on the disk and ${rebuilt} when it is made again`);
  }
}

/** Drops the rows that were certainly not charged as a new file, which is a drop like any other. */
async function resubmit(world: World, fileId: string): Promise<void> {
  const [instance] = world.instances;
  if (!instance) return;
  const file = await readFileRow(world.office, fileId);
  const plan = await planResubmission(instance.app, file);
  const dropped = await resubmitRows(instance.app, file, plan, BECAUSE);
  if (dropped) await noteDrop(world, file.folder, dropped.name);
}

/** Work of a former meaning, which goes to the present account of its folder. */
async function findMovable(world: World) {
  const file = await pickFrom<{ id: string; name: string }>(
    world,
    `SELECT json_build_object('id', file_id, 'name', name) AS found FROM file
     WHERE account LIKE '%.%' AND state IN ('held', 'accepted', 'in_progress') ORDER BY file_no`,
  );
  return file && { words: `moves ${file.name} to the present account`, perform: () => moveFile(world, file.id) };
}

async function moveFile(world: World, fileId: string): Promise<void> {
  const [instance] = world.instances;
  if (!instance) return;
  const file = await readFileRow(world.office, fileId);
  const find = async () => ({ kind: 'file', file }) as const;
  const moved = await runAction(instance.app, 'move', find, { ...BECAUSE, filled: {} });
  const name = moved.result === 'done' ? (moved.done.json as { name: string | null }).name : null;
  if (name !== null) await noteDrop(world, file.folder, name);
}

/** Records a file that was dropped for a person: it is a drop like any other. */
async function noteDrop(world: World, folderId: string, name: string): Promise<void> {
  const folder = world.settings.folders.find(({ id }) => id === folderId)!;
  const bytes = await readFile(join(folder.path, name));
  world.drops.push({ folder: folder.id, name, bytes, titles: folder.header !== 'none' });
}

/** Freezes what may go again. It waits for another act to begin it, and the world may change until then. */
async function findSelectable(world: World) {
  const { rows } = await world.office.pool.query(`SELECT FROM reprocess_run WHERE state = 'selected'`);
  const batches = await pickFrom<BatchKey[]>(
    world,
    `SELECT json_agg(json_build_object('fileId', file_id, 'batchNo', batch_no) ORDER BY file_id, batch_no) AS found
     FROM batch WHERE state = 'refused' HAVING count(*) > 0`,
  );
  const [again] = await listAgain(world.office, {}, { limit: 1 });
  if (rows.length > 0 || (!batches && !again)) return undefined;
  const perform = () =>
    batches && (!again || world.choose.happens(0.3))
      ? selectPicked(world.office, { rows: [], batches, lost: [] }, BECAUSE)
      : selectAll(world.office, {}, BECAUSE);
  return { words: 'selects what may go again', perform };
}

/** Begins the run that a plan shows, some of it already out of date. */
async function beginRun(world: World, runNo: number): Promise<void> {
  const { digest } = await judgeItems(world.office.pool, runNo);
  await beginReprocess(world.office, runNo, { digest, name: 'what may go again' }, BECAUSE);
}

function onRun(name: string, state: string, perform: (world: World, runNo: number) => Promise<unknown>): Act {
  return {
    name,
    find: async (world) => {
      const runNo = await pickFrom<number>(
        world,
        'SELECT run_no::int AS found FROM reprocess_run WHERE state = $1 ORDER BY run_no',
        [state],
      );
      return runNo === undefined ? undefined : { words: `${name} ${runNo}`, perform: () => perform(world, runNo) };
    },
  };
}

function onFile(name: string, states: string[], perform: (world: World, fileId: string) => Promise<unknown>): Act {
  return {
    name,
    find: async (world) => {
      const file = await pickFrom<{ id: string; name: string }>(
        world,
        `SELECT json_build_object('id', file_id, 'name', name) AS found FROM file WHERE state = ANY ($1) ORDER BY file_no`,
        [states],
      );
      return file && { words: `${name}: ${file.name}`, perform: () => perform(world, file.id) };
    },
  };
}

function onBatch(
  name: string,
  states: string[],
  perform: (world: World, fileId: string, batchNo: number) => Promise<unknown>,
): Act {
  return {
    name,
    find: async (world) => {
      const batch = await pickFrom<{ id: string; no: number; name: string }>(
        world,
        `SELECT json_build_object('id', file_id, 'no', batch_no, 'name', name) AS found
         FROM batch b JOIN file f USING (file_id) WHERE b.state = ANY ($1) ORDER BY file_no, batch_no`,
        [states],
      );
      return (
        batch && { words: `${name}: ${batch.name}/${batch.no}`, perform: () => perform(world, batch.id, batch.no) }
      );
    },
  };
}
