import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { counted } from '../../src/kernel/counted.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { retentionDays } from '../../src/config/account-rules.ts';
import { dropMarks } from '../../src/ledger/admission/send-marks.ts';
import { dropForgottenRows } from '../../src/ledger/duplicates/find-forgotten-rows.ts';
import { workOf } from '../feature-work.ts';
import { cleanStorage } from '../../src/ledger/retention/clean-storage.ts';
import {
  type DueFile,
  dropFingerprints,
  findDueShreds,
  readShredStates,
  shredFile,
} from '../../src/ledger/retention/retention.ts';
import { destroySealedFile } from '../../src/crypto/archive.ts';
import { listSealedInSlices } from '../../src/crypto/list-sealed.ts';
import { noting } from '../note-failures.ts';

/** Files in one run; the rest follow an hour later. */
const RUN_FILES = 1_000;

/**
 * Destroys what is kept of files whose retention is over. The service's clock must agree, because those of the host and
 * its own database are wrong together. First goes the key, which makes every copy unreadable. Then go the fingerprints
 * of the rows, the sealed original in this host's archive, and its bytes in the database files. Each step is
 * repeatable, so a crash only leaves work for the next run. What features no longer need goes as well.
 * Marks of sent rows and of forgotten calls go when no account keeps the fingerprints of that time.
 * @returns how many keys were destroyed
 * @throws PipelineError CLOCK_UNSURE when files are left because the service gives another time, or none
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
  await dropOldMarks(app);
  const faults = await tidyFeatures(app, isStopping);
  await clearArchive(app, isStopping);
  if (!isStopping()) await cleanLedger(app);
  if (left === 0) {
    if (faults.length > 0) throw faults[0];
    return shredded;
  }
  throw new PipelineError(
    'CLOCK_UNSURE',
    `destroy the keys of ${counted(left, 'file')}`,
    "the service's clock differs from this host's, or is not known",
  );
}

/** Lets each feature remove what it no longer needs. @returns what failed; the rest is done all the same */
async function tidyFeatures(app: App, isStopping: () => boolean): Promise<unknown[]> {
  const faults: unknown[] = [];
  for (const { tidy } of await workOf(app.settings)) {
    try {
      await tidy?.(app, isStopping);
    } catch (error) {
      faults.push(error);
    }
  }
  return faults;
}

/** Deletes marks as old as the fingerprints that have gone: with the key, both let one try all numbers. */
async function dropOldMarks({ settings, ledger, clock }: App): Promise<void> {
  const { byAccount, others } = retentionDays(settings);
  const days = [...Object.values(byAccount), others];
  if (days.includes(0)) return;
  const before = new Date(clock.now().getTime() - Math.max(...days) * DAY_MS);
  const { journal, mirror } = settings.paths;
  for (const place of [journal, ...(mirror === undefined ? [] : [mirror])]) await dropMarks(place, before);
  await dropForgottenRows(ledger, before);
}

const DAY_MS = 86_400_000;

/** How wrong the clock of a service may be, in ms: some hours pass, but nothing is destroyed days before its time. */
const TOLERANCE_MS = 86_400_000;

/** Returns a check that queries the service once per account; an account without configuration uses the first one. */
function askServices(app: App): (file: DueFile) => Promise<boolean> {
  const asked = new Map<string, Promise<Date | undefined>>();
  return async ({ account, dueAt }) => {
    const name = app.settings.accounts.has(account) ? account : [...app.settings.accounts.keys()][0]!;
    const asking = asked.get(name) ?? app.askTime(name);
    asked.set(name, asking);
    const at = await asking;
    return at !== undefined && at.getTime() >= dueAt.getTime() - TOLERANCE_MS;
  };
}

/** Rewrites tables without the destroyed bytes. The retention report also shows what could not be done. */
async function cleanLedger(app: App): Promise<void> {
  for (const [table, why] of Object.entries(await cleanStorage(app.ledger))) {
    if (why === undefined) app.log.info({ table }, 'rewritten without what was destroyed');
    else app.log.warn({ table }, `still holds bytes of what was destroyed: ${why}`);
  }
}

/** Destroys the originals of shredded files, also of those that another host or a process since dead shredded. */
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
const RETRY_MS = 15_000;

type Shredder = {
  /** Resolves when the run that it began or found in progress ends; at once when there is none. Never rejects. */
  tick(): Promise<void>;
  stop(): Promise<void>;
};

/** Runs `shredDue` in the background once an hour, sooner after a failure, however often it is called. */
export function openShredder(app: App): Shredder {
  let running: Promise<void> | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let isStopping = false;
  return {
    tick: async () => {
      const nowMs = app.clock.now().getTime();
      // A clock that was set back must not delay it by the length of the jump.
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
