import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { counted } from '../../src/kernel/counted.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { retentionDays } from '../../src/config/retention-days.ts';
import { cleanStorage } from '../../src/ledger/retention/clean-storage.ts';
import { dropFingerprints, shredFile } from '../../src/ledger/retention/shred-file.ts';
import { type DueFile, findDueShreds, readShredStates } from '../../src/ledger/retention/retention.ts';
import { destroySealedFile } from '../../src/crypto/archive.ts';
import { listSealedInSlices } from '../../src/crypto/list-sealed.ts';
import { noting } from '../note-failures.ts';

/** Files in one run; what is left is taken up an hour later. */
const RUN_FILES = 1_000;

/**
 * Destroys what is kept of files whose time is over, which the clock of the service has to say as well: those of the host
 * and of its own database are wrong together. First the key, which makes every copy unreadable, then what is left of it here:
 * the fingerprints of its rows, the sealed original in the archive of this host, and its bytes in the files of the database.
 * Each step may be repeated, so a crash between two of them leaves work for the next run and nothing else.
 * @returns how many keys were destroyed
 * @throws PipelineError CLOCK_UNSURE when files are left because the service says otherwise, or nothing
 */
export async function shredDue(app: App, isStopping: () => boolean = () => false): Promise<number> {
  const days = retentionDays(app.settings);
  const isOverThere = askServices(app);
  let shredded = 0;
  let left = 0;
  for (const file of await findDueShreds(app.ledger, days, { limit: RUN_FILES })) {
    if (isStopping()) return shredded;
    if (!(await isOverThere(file))) {
      left += 1;
      continue;
    }
    if (!(await shredFile(app.ledger, file.file_id, days))) continue;
    app.log.info({ fileId: file.file_id, account: file.account }, 'retention is over: data key destroyed');
    shredded += 1;
  }
  await dropFingerprints(app.ledger, isStopping);
  await clearArchive(app, isStopping);
  if (!isStopping()) await cleanLedger(app);
  if (left === 0) return shredded;
  throw new PipelineError(
    'CLOCK_UNSURE',
    `destroy the keys of ${counted(left, 'file')}`,
    'the service says another time than this host, or does not say',
  );
}

/** Clocks of a service may be some hours wrong, in ms; days before its time nothing is destroyed. */
const TOLERANCE_MS = 86_400_000;

/** Asks each service once. For an account that has left the configuration any of the others is asked. */
function askServices(app: App): (file: DueFile) => Promise<boolean> {
  const asked = new Map<string, Promise<Date | undefined>>();
  return async ({ account, dueAt }) => {
    const name = app.settings.accounts.has(account) ? account : [...app.settings.accounts.keys()][0]!;
    const asking = asked.get(name) ?? app.gateway(name).askTime();
    asked.set(name, asking);
    const at = await asking;
    return at !== undefined && at.getTime() >= dueAt.getTime() - TOLERANCE_MS;
  };
}

/** What could not be done now is in the report of the retention as well. */
async function cleanLedger(app: App): Promise<void> {
  for (const [table, why] of Object.entries(await cleanStorage(app.ledger))) {
    if (why === undefined) app.log.info({ table }, 'rewritten without what was destroyed');
    else app.log.warn({ table }, `still holds bytes of what was destroyed: ${why}`);
  }
}

/** Also of files that another host shredded, or that a process did which died before it came to this. */
async function clearArchive(app: App, isStopping: () => boolean): Promise<void> {
  const { archive } = app.settings.paths;
  for await (const files of listSealedInSlices(archive)) {
    if (isStopping()) return;
    const ids = files.map((file) => file.fileId);
    const shredded = await readShredStates(app.ledger, ids);
    for (const { fileId, path } of files) if (shredded.get(fileId)) await destroySealedFile(join(archive, path));
  }
}

const HOUR_MS = 3_600_000;
/** After a failure it is tried again sooner, in ms. */
const RETRY_MS = 15_000;

export type Shredder = {
  /** Ends with the run that it began, or that is on its way; at once when there is nothing to do. It never fails. */
  tick(): Promise<void>;
  stop(): Promise<void>;
};

/** Runs `shredDue` once an hour, after a failure sooner, beside what else the process does, however often it is asked to. */
export function openShredder(app: App): Shredder {
  let running: Promise<void> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let isStopping = false;
  return {
    tick: async () => {
      const nowMs = app.clock.now().getTime();
      // A clock that was set back must not put it off for as long as it jumped.
      if (running) return running;
      if (isStopping || (nowMs >= lastMs && nowMs - lastMs < HOUR_MS)) return;
      lastMs = nowMs;
      const item = { work: 'shred', subject: app.ledger.instance.host } as const;
      running = noting(app, item, () => shredDue(app, () => isStopping), RETRY_MS)
        .then(() => {})
        .catch((error: unknown) => {
          lastMs = nowMs - HOUR_MS + RETRY_MS;
          app.log.error(`destroying keys failed: ${reasonOf(error)}`);
        })
        .finally(() => (running = undefined));
      return running;
    },
    stop: async () => {
      isStopping = true;
      await running;
    },
  };
}
