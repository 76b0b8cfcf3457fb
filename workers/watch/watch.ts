import type { App } from '../../src/app.ts';
import { claimDrop } from '../../src/files/claims/claim-drop.ts';
import { type Candidate, createFolderScanner, type FolderScanner, type Scan } from '../../src/files/scan-folder.ts';
import { type FolderEvents, watchFolders } from '../../src/files/watch-folders.ts';
import { inSlices } from '../../src/files/list-folder.ts';
import { removeSecondName } from '../../src/files/write-drop.ts';
import { type Folder, foldersHere } from '../../src/config/config.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { findReading } from '../../src/ledger/profile/read-profiles.ts';
import { meaningKey } from '../../src/ledger/merchant/bound-accounts.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { maskName } from '../../src/kernel/mask.ts';
import { keepOrder } from '../stage.ts';
import { noting, takingOf } from '../note-failures.ts';
import { takeLateCompanions } from './late-companions.ts';
import { ringNowAndThen } from '../ring.ts';
import { quarantineOdd, storeClaim } from './take-claim.ts';

export type Watcher = {
  /** Scans every folder now. @returns how many drops are still settling */
  look(): Promise<number>;
  stop(): Promise<void>;
};

/** Receives what a drop folder holds. */
export type OnScan = (folder: Folder, scan: Scan) => void;

/**
 * Watches the drop folders as they are set at each scan. Those of a schedule are only listed, and only for `onScan`; its
 * runs take their files. Full listings at start and at every rescan are authoritative; file-system events only bring the
 * next one forward. While something settles, listings follow fast enough to probe it.
 * @param onScan receives each listing before anything in it is taken
 */
export async function startWatcher(app: App, onScan?: OnScan): Promise<Watcher> {
  /** By the folder as it is set, because a changed one begins anew. */
  const scanners = new Map<Folder, FolderScanner>();
  const scannerOf = (folder: Folder) => {
    const known = scanners.get(folder);
    if (known) return known;
    const { scan } = createFolderScanner(folder, app.clock);
    const scanner = { scan: async () => tell(folder, await scan()) };
    scanners.set(folder, scanner);
    return scanner;
  };
  /** Returns the folders as they are set now: the configuration may change while the process runs. */
  const foldersNow = () => {
    const here = foldersHere(app.settings);
    const folders = here.filter((folder) => folder.schedule === undefined);
    const shown = onScan ? here.filter((folder) => folder.schedule !== undefined) : [];
    app.health.noteWatch(folders.map(({ id }) => id));
    for (const gone of [...scanners.keys()].filter((folder) => !folders.includes(folder) && !shown.includes(folder))) {
      scanners.delete(gone);
      if (here.every(({ path }) => path !== gone.path)) events?.follow(gone.path, false);
    }
    return { folders, shown };
  };
  const tell = (folder: Folder, scan: Scan) => {
    onScan?.(folder, scan);
    return scan;
  };
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<number> | undefined;
  let next: Promise<number> | undefined;
  const stopping = new AbortController();

  // Two scans at once would count as two probes of the same moment. But one in progress may be past the folder in
  // question, so the caller gets the one after it.
  const look = () => {
    if (running && !next) next = running.then(begin);
    return next ?? begin();
  };
  const begin = async () => {
    next = undefined;
    if (stopping.signal.aborted) return 0;
    running = lookAtAll().finally(() => {
      running = undefined;
    });
    return running;
  };
  const lookAtAll = async () => {
    const { folders, shown } = foldersNow();
    let settling = 0;
    for (const folder of folders)
      settling += await lookAtFolder(app, folder, scannerOf(folder), { stop: stopping.signal, events });
    for (const folder of shown)
      await keepGoing(app, folder, async () => void (await scanAndFollow(folder, scannerOf(folder), events)));
    plan(settling > 0 ? probeMs(folders, app.settings.rescanMs) : app.settings.rescanMs);
    return settling;
  };
  const plan = (delayMs: number) => {
    clearTimeout(timer);
    if (!stopping.signal.aborted) timer = setTimeout(() => void look(), delayMs);
  };

  const events = app.settings.watch === 'poll' ? undefined : watchFolders(() => void look(), { log: app.log });
  await look();
  return {
    look,
    stop: async () => {
      stopping.abort();
      clearTimeout(timer);
      await events?.close();
      await running;
      await next;
    },
  };
}

/**
 * Takes what has settled in one folder, for one time slice: thousands of drops must not keep the other folders waiting,
 * and a drop that was seen long ago may have changed. The next scan takes the rest.
 * @param options.stop takes nothing more
 * @param options.events follows the folder while few files lie there
 * @param options.sliceMs for tests
 * @returns how many of its drops are still settling, or could not be taken now and can be at once
 */
export async function lookAtFolder(
  app: App,
  folder: Folder,
  scanner: FolderScanner,
  {
    stop,
    events,
    sliceMs,
  }: { stop?: AbortSignal | undefined; events?: FolderEvents | undefined; sliceMs?: number } = {},
): Promise<number> {
  const hasLeft = () => app.settings.leftFolders.includes(folder);
  if (hasLeft()) return 0;
  let settling = 0;
  const item = { work: 'watch', subject: folder.id, account: folder.account } as const;
  const lateItem = { ...item, subject: `${folder.id}, what came late` } as const;
  await keepGoing(app, folder, async () => {
    const asked = performance.now();
    const scan = await noting(app, item, () => scanAndFollow(folder, scanner, events), app.settings.rescanMs);
    const listMs = performance.now() - asked;
    app.health.noteListing(folder.id);
    if (!(await mayTake(app, folder, scan.settled.length))) return;
    // A companion whose file is gone is looked at again until it has come to rest.
    settling = scan.settling.length + scan.lone.filter(({ isStill }) => !isStill).length;
    const bell = ringNowAndThen(app, 'intake');
    const began = performance.now();
    const limitMs = sliceMs ?? Math.max(SLICE_MS, SLICE_PER_LISTING * listMs);
    let left = sizeOf(scan);
    const isOver = () => stop?.aborted === true || hasLeft() || performance.now() - began >= limitMs;
    const take = (drop: Candidate, turn: Promise<void>) =>
      keepGoing(app, folder, async () => {
        left -= 1;
        const taken = await noting(app, takingOf(folder, drop.name), () => takeDrop(app, folder, drop, turn));
        if (taken === 'disturbed') settling += 1;
        else if (taken !== undefined) {
          await bell.more();
          crashPoint('claim.asked');
        }
      });
    for await (const drops of inSlices(scan.settled))
      await keepOrder(drops, CLAIMS_AT_ONCE, async (drop, turn) => {
        if (isOver()) settling += 1;
        else await take(drop, turn);
      });
    await bell.end();
    await keepGoing(app, folder, () =>
      noting(app, lateItem, () => takeLateCompanions(app, folder, scan.lone), app.settings.rescanMs),
    );
    events?.follow(folder.path, left <= MOST_WATCHED);
    for (const drop of scan.odd)
      await keepGoing(app, folder, async () => {
        // A resubmission or upload whose process died; the next scan takes it.
        if (drop.code === 'DROP_HARD_LINK' && (await removeSecondName(folder.path, drop.name))) return;
        await noting(
          app,
          takingOf(folder, drop.name),
          () => quarantineOdd(app, drop, folder.id),
          app.settings.rescanMs,
        );
      });
  });
  return settling;
}

/** Lists a folder, and follows it if few files lie there: each event costs a look at all of them. */
async function scanAndFollow(folder: Folder, scanner: FolderScanner, events?: FolderEvents): Promise<Scan> {
  try {
    const scan = await scanner.scan();
    events?.follow(folder.path, sizeOf(scan) <= MOST_WATCHED);
    return scan;
  } catch (error) {
    // It may be away. The next listing finds the one that comes in its place.
    events?.follow(folder.path, false);
    throw error;
  }
}

function sizeOf({ settled, settling, unmarked, odd, lone }: Scan): number {
  return settled.length + settling.length + unmarked.length + odd.length + lone.length;
}

const MOST_WATCHED = 100;

/** How long drops of one folder are taken before the other folders have their turn, in ms. */
const SLICE_MS = 10_000;

/** A listing may itself take long, where many files lie on a slow drive. Most of the time must remain for taking them. */
const SLICE_PER_LISTING = 3;

/**
 * Returns whether the folder may take files: it is settled for whom they are, and a profile reads them, or it has none.
 * Otherwise its drops stay.
 */
async function mayTake(app: App, { id, account, profile, operation }: Folder, drops: number): Promise<boolean> {
  const refuse = (code: string, why: string, about = {}) => {
    if (drops > 0) app.log.warn({ code, folder: id, drops, ...about }, `nothing is taken: ${why}`);
    return false;
  };
  if (!app.ledger.bound.has(account))
    return refuse('MERCHANT_CHANGED', 'it is not settled whom the account means; see "paydrop status"', { account });
  if (profile === undefined || (await findReading(app.ledger.pool, { profile, operation }))) return true;
  return refuse('PROFILE_UNCONFIRMED', 'the profile of the folder has no confirmed version', { profile });
}

/** Logs trouble with one folder or drop; it must not keep the others from being taken. */
async function keepGoing(app: App, folder: Folder, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const code = error instanceof PipelineError ? error.code : 'INTERNAL';
    app.log.error({ code, folder: folder.id }, reasonOf(error));
  }
}

/**
 * Claims at a time: a claim mostly waits for the disk. Files enter the ledger in folder order, because they are sent in
 * that order.
 */
const CLAIMS_AT_ONCE = 4;

/** @returns the file whose intake job is to be added; `disturbed` when the drop is left for the next scan */
async function takeDrop(
  app: App,
  folder: Folder,
  drop: Candidate,
  turn: Promise<void>,
): Promise<'disturbed' | { fileId: string } | undefined> {
  crashPoint('watch.drop-settled');
  const outcome = await claimDrop(
    { ...drop, name: maskName(drop.name) },
    {
      workRoot: folder.work,
      folder,
      clock: app.clock,
      fileId: newFileId(),
      merchant: meaningKey(app.ledger, folder.account),
    },
  );
  if (outcome.is === 'disturbed') return 'disturbed';
  if (outcome.is === 'odd') await quarantineOdd(app, outcome.drop, folder.id);
  return outcome.is === 'claimed' && (await storeClaim(app, outcome.claim, turn)) ? outcome.claim : undefined;
}

/** Returns the ms between two listings while something settles: the shortest quiet time, divided by its probes. */
export function probeMs(folders: readonly Folder[], rescanMs: number): number {
  const steps = folders.map(({ complete }) => (complete.by === 'quiet' ? complete.quietMs / complete.probes : 1_000));
  return Math.max(50, Math.min(rescanMs, Math.ceil(Math.min(...steps))));
}
