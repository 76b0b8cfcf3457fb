import type { App } from '../../src/app.ts';
import { counted } from '../../src/kernel/counted.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { isFormerName } from '../../src/ledger/merchant/bound-accounts.ts';
import { findBeingRead, forgetReadings } from '../../src/ledger/file/count-readings.ts';
import type { FileDecision } from '../../src/ledger/file/decide-file.ts';
import { dueFiles } from '../../src/ledger/batch/due-work.ts';
import { readFileRow, readFileRows } from '../../src/ledger/file/read-file.ts';
import type { FileRow, PlainFileRow, ReadFileRow } from '../../src/ledger/engine/records.ts';
import { refreshStatistics } from '../../src/ledger/engine/copy-in.ts';
import { withLock } from '../../src/ledger/engine/with-lock.ts';
import { destroyForGood, wasDestroyed } from '../../src/crypto/archive.ts';
import { checkArrival, wasChanged } from './check-arrival.ts';
import type { Refusal } from './find-duplicate.ts';
import { groupForReading, poisonGuard } from './poison-guard.ts';
import { THREAD_BYTES } from './store-rows.ts';
import type { Arrived } from './arrived.ts';
import { takeIn } from './take-in.ts';
import { endClaim } from '../watch/late-bytes.ts';
import { folderOf, originalPath } from '../open-original.ts';
import { ringAfter } from '../ring.ts';
import type { Hand, NotEnded, Stage } from '../stage.ts';

/** Bytes of the files of a group; a larger file is a group of its own. */
const MOST_BYTES = 64 * 1024 * 1024;

type Intake = { readonly fileId: string; done?: PlainFileRow };

/** Takes in claimed files, those together that may be read together. */
export const INTAKE: Stage<Intake> = {
  name: 'intake',
  most: { things: 20, weight: MOST_BYTES },
  findDue: (app) => dueFiles(app.ledger, 'intake', app.settings.site),
  thingOf: (fileId) => ({ fileId }),
  itemOf: ({ fileId }) => ({ work: 'intake', subject: fileId, fileId }),
  work: intakeGroup,
  tell: (app, files) =>
    tellOfIntake(
      app,
      files.flatMap(({ done }) => done ?? []),
    ),
};

/**
 * Checks every row of claimed files, cuts the valid ones into sealed batches, and accepts, holds or refuses each file, in the
 * order of the claims, some of them together. Rows, batches, verdicts and audit are one transaction, so after a crash all is
 * there or starts again.
 */
async function intakeGroup(
  app: App,
  files: readonly Intake[],
  { stop, end, trace }: Pick<Hand<Intake>, 'stop' | 'end' | 'trace'>,
): Promise<ReadonlyMap<Intake, NotEnded>> {
  const notEnded = new Map<Intake, NotEnded>();
  if (stop.aborted) return new Map(files.map((file) => [file, 'stopped']));
  const ids = files.map(({ fileId }) => fileId);
  return withLock(
    app.ledger,
    ids.map((id) => `file:${id}`),
    async () => {
      const [rows, beingRead] = await Promise.all([readFileRows(app.ledger, ids), findBeingRead(app.ledger, ids)]);
      crashPoint('intake.begun');
      const ofRow = (row: FileRow) => files[rows.indexOf(row as ReadFileRow)]!;
      const groups = groupForReading(rows, (row) => isReadAlone(row, beingRead));
      for (const group of groups) {
        if (stop.aborted) for (const row of group) notEnded.set(ofRow(row), 'stopped');
        else
          try {
            const done = await finishAll(app, await decideGroup(app, group, (row, work) => trace(ofRow(row), work)));
            for (const file of done) files.find(({ fileId }) => fileId === file.file_id)!.done = file;
            if (groups.length > 1) await end(group.map(ofRow));
          } catch (error) {
            if (group.length > 1) throw error;
            notEnded.set(ofRow(group[0]!), { error });
          }
      }
      return notEnded;
    },
  );
}

/**
 * Whether a file is read by itself. A large one would keep the others waiting. One that is being read, or was left by a
 * reader that died, may kill this one too, and that would count against the others.
 */
function isReadAlone({ file_id: fileId, bytes, state, account }: FileRow, beingRead: ReadonlySet<string>): boolean {
  return bytes >= THREAD_BYTES || state !== 'claimed' || isFormerName(account) || beingRead.has(fileId);
}

/** @returns the files as they are now */
async function decideGroup(
  app: App,
  group: readonly FileRow[],
  trace: <Result>(file: FileRow, work: () => Promise<Result>) => Promise<Result>,
): Promise<PlainFileRow[]> {
  const [first] = group;
  if (first!.state !== 'claimed') return finishDecided(app, first!.file_id);
  // It cannot be read: nothing says any more by which rules, and no process may send it.
  if (isFormerName(first!.account)) return holdUnread(app, first!, { code: 'OTHER_MERCHANT' });
  const ids = group.map((file) => file.file_id);
  return poisonGuard(app, ids, {
    read: () => readAll(app, group, trace).catch((error: unknown) => refuseDestroyed(app, group, error)),
    giveUp: () => holdUnread(app, first!, { code: 'POISON_FILE', detail: counted(first!.bytes, 'byte') }),
  });
}

/** @returns the files as decided */
async function readAll(
  app: App,
  group: readonly FileRow[],
  trace: Parameters<typeof decideGroup>[2],
): Promise<PlainFileRow[]> {
  const arrived: Arrived[] = [];
  for (const file of group) {
    const folder = folderOf(app, file.folder, file.file_id);
    const changed = await wasChanged(folder, file);
    arrived.push({ file, folder, changed, arrival: await checkArrival(app, file, folder) });
  }
  const decided = await takeIn(app, arrived, (file, work) =>
    trace(file, () => {
      app.telemetry.note({ account: file.account });
      return work();
    }),
  );
  for (const { file_id: fileId, state, reason_code: code } of decided)
    app.log.info({ fileId, verdict: VERDICTS[state], ...(code !== null && { code }) }, 'file checked');
  return decided;
}

/** Names in the log for the states in which intake leaves a file. */
const VERDICTS: Partial<Record<FileRow['state'], FileDecision['verdict']>> = {
  accepted: 'accept',
  held: 'hold',
  rejected: 'reject',
};

/**
 * Holds a file without reading it: reading it has killed the process too often (poison-guard.ts), or its account came to
 * mean another merchant, country or currency after it was taken.
 */
function holdUnread(app: App, file: FileRow, refusal: Refusal): Promise<PlainFileRow[]> {
  return takeIn(app, [{ file, refusal, verdict: 'hold' }], (_file, work) => work());
}

/** Refuses a file that was destroyed for its security codes before the ledger went back to a state that still waits. */
async function refuseDestroyed(app: App, group: readonly FileRow[], error: unknown): Promise<PlainFileRow[]> {
  const [file, ...others] = group;
  if (others.length > 0 || !wasDestroyed(originalPath(app, file!))) throw error;
  const refusal: Refusal = { code: 'SECURITY_CODE', detail: 'found when the file was read before' };
  return takeIn(app, [{ file: file!, refusal, verdict: 'reject' }], (_file, work) => work());
}

/** Rings for what follows the intake of these files of one site: for their batches, then for their notices. */
async function tellOfIntake(app: App, files: readonly PlainFileRow[]): Promise<void> {
  if (files.length === 0) return;
  if (files.some((file) => file.state === 'accepted')) await ringAfter(app, 'submit');
  crashPoint('intake.account-woken');
  await ringAfter(app, 'deliver', files[0]!.site);
}

/**
 * Removes the plain bytes, which are not needed after the commit. They go last: while they exist, the sweep finds the
 * claim and repeats this.
 */
export async function finishClaimed(app: App, fileId: string): Promise<void> {
  await finishAll(app, await finishDecided(app, fileId));
}

async function finishAll(app: App, files: readonly PlainFileRow[]): Promise<readonly PlainFileRow[]> {
  for (const file of files) await finish(app, file);
  return files;
}

async function finishDecided(app: App, fileId: string): Promise<PlainFileRow[]> {
  // Before the claim goes: after a crash only the claim leads back here, and the count would stay for good.
  await forgetReadings(app.ledger.pool, fileId);
  return [await readFileRow(app.ledger, fileId)];
}

async function finish(app: App, file: PlainFileRow): Promise<void> {
  await refreshStatistics(app.ledger, file.records ?? 0);
  const folder = app.folder(file.folder);
  if (file.reason_code === 'SECURITY_CODE') await destroyForGood(originalPath(app, file));
  if (folder) await endClaim(app, folder, file);
  crashPoint('intake.plain-released');
}
