import type { App } from '../../src/app.ts';
import { claimDrop } from '../../src/files/claims/claim-drop.ts';
import { type Candidate, createFolderScanner, type FolderScanner, type Scan } from '../../src/files/scan-folder.ts';
import { type FolderEvents, watchFolders } from '../../src/files/watch-folders.ts';
import { removeSecondName } from '../../src/files/write-drop.ts';
import { type Folder, foldersHere } from '../../src/config/config.ts';
import { crashPoint } from '../../src/kernel/crash-point.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { findReading } from '../../src/ledger/profile/read-profiles.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { maskName } from '../../src/kernel/mask.ts';
import { keepOrder } from '../run-for-slice.ts';
import { noting, takingOf } from '../note-failures.ts';
import { enqueueClaimed, quarantineOdd, storeClaim } from './take-claim.ts';
import { MOST_FILES } from '../../schemas/jobs.ts';

export type Watcher = {
  /** Scans every folder now. @returns how many drops are still settling */
  look(): Promise<number>;
  stop(): Promise<void>;
};

/** Receives what a drop folder holds. */
export type OnScan = (folder: Folder, scan: Scan) => void;

/**
 * Watches the drop folders. Those of a schedule are only listed, and only for `onScan`; its runs take their files. Full listings at start and at every rescan
 * are authoritative; file-system events only bring the next one forward. While something settles, listings follow fast
 * enough to probe it.
 * @param onScan receives each listing before anything in it is taken
 */
export async function startWatcher(app: App, onScan?: OnScan): Promise<Watcher> {
  const here = foldersHere(app.settings);
  const folders = here.filter((folder) => folder.schedule === undefined);
  const shown = onScan ? here.filter((folder) => folder.schedule !== undefined) : [];
  app.health.noteWatch(folders.map(({ id }) => id));
  const scannerOf = (folder: Folder) => {
    const { scan } = createFolderScanner(folder, app.clock);
    return { folder, scanner: { scan: async () => tell(folder, await scan()) } };
  };
  const [scanners, shownScanners] = [folders.map(scannerOf), shown.map(scannerOf)];
  const tell = (folder: Folder, scan: Scan) => {
    onScan?.(folder, scan);
    return scan;
  };
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<number> | undefined;
  let next: Promise<number> | undefined;
  let stopped = false;

  // Two scans at once would count as two probes of the same moment. But one in progress may be past the folder in
  // question, so the caller gets the one after it.
  const look = () => {
    if (running && !next) next = running.then(begin);
    return next ?? begin();
  };
  const begin = async () => {
    next = undefined;
    if (stopped) return 0;
    running = lookAtAll().finally(() => {
      running = undefined;
    });
    return running;
  };
  const lookAtAll = async () => {
    let settling = 0;
    for (const { folder, scanner } of scanners) settling += await lookAtFolder(app, folder, scanner, events);
    for (const { folder, scanner } of shownScanners)
      await keepGoing(app, folder, async () => void (await scanner.scan()));
    plan(settling > 0 ? probeMs(folders, app.settings.rescanMs) : app.settings.rescanMs);
    return settling;
  };
  const plan = (delayMs: number) => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(() => void look(), delayMs);
  };

  const paths = [...folders, ...shown].map((folder) => folder.path);
  const usePolling = app.settings.watch === 'poll';
  const events = usePolling ? undefined : await watchFolders(paths, () => void look(), { log: app.log });
  await look();
  return {
    look,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await events?.close();
      await running;
      await next;
    },
  };
}

/**
 * Takes what has settled in one folder.
 * @param events file-system events of the folder, if any are used
 * @returns how many of its drops are still settling, or could not be taken now and can be at once
 */
export async function lookAtFolder(
  app: App,
  folder: Folder,
  scanner: FolderScanner,
  events?: FolderEvents,
): Promise<number> {
  let settling = 0;
  const item = { work: 'watch', subject: folder.id, account: folder.account } as const;
  await keepGoing(app, folder, async () => {
    const scan = await noting(app, item, () => scanner.scan(), app.settings.rescanMs);
    app.health.noteListing(folder.id);
    if (!(await mayTake(app, folder, scan.settled.length))) return;
    settling = scan.settling.length;
    const claims = gatherClaims(app);
    const takeAll = async () => {
      await keepOrder(scan.settled, CLAIMS_AT_ONCE, (drop, turn) =>
        keepGoing(app, folder, async () => {
          const taking = takingOf(folder, drop.name);
          const taken = await noting(app, taking, () => takeDrop(app, folder, drop, turn));
          if (taken === 'disturbed') settling += 1;
          // Not part of taking it: if the job cannot be added, the sweep adds it and reports that itself.
          else if (taken !== undefined) await claims.add(taken.fileId);
        }),
      );
      // Before file-system events resume: no intake has to wait for that.
      await keepGoing(app, folder, claims.flush);
    };
    await (events && scan.settled.length >= MANY ? events.pauseWhile(takeAll) : takeAll());
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

/** Returns whether the folder may take files: a profile reads them, or it has none. Otherwise its drops stay. */
async function mayTake(app: App, { id, profile, operation }: Folder, drops: number): Promise<boolean> {
  if (profile === undefined || (await findReading(app.ledger.pool, { profile, operation }))) return true;
  const about = { code: 'PROFILE_UNCONFIRMED', folder: id, profile, drops };
  if (drops > 0) app.log.warn(about, 'nothing is taken: the profile of the folder has no confirmed version');
  return false;
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

/** This many claims take longer than pausing the file-system events. */
const MANY = 20;

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
    { workRoot: folder.work, folder, clock: app.clock, fileId: newFileId() },
  );
  if (outcome.is === 'disturbed') return 'disturbed';
  if (outcome.is === 'odd') await quarantineOdd(app, outcome.drop, folder.id);
  return outcome.is === 'claimed' && (await storeClaim(app, outcome.claim, turn)) ? outcome.claim : undefined;
}

/** Returns the ms between two listings while something settles: the shortest quiet time, divided by its probes. */
export function probeMs(folders: readonly Folder[], rescanMs: number): number {
  const steps = folders.map(({ complete }) => (complete.by === 'quiet' ? complete.quietMs / complete.probes : 1_000));
  return Math.max(50, Math.min(rescanMs, ...steps));
}

/** Longest wait of a claimed file for its intake job, in ms, plus the claim in progress. */
const GATHER_MS = 250;

type GatheredClaims = {
  add(fileId: string): Promise<void>;
  flush(): Promise<void>;
};

/**
 * Gathers files that are claimed in quick succession into shared intake jobs; the first does not wait. If the process
 * dies, the sweep finds the others in the ledger.
 */
export function gatherClaims(app: App): GatheredClaims {
  let gathered: string[] = [];
  let askedAt = -Infinity;
  const flush = async () => {
    const fileIds = gathered;
    gathered = [];
    askedAt = performance.now();
    if (fileIds.length > 0) await enqueueClaimed(app, fileIds);
  };
  return {
    flush,
    add: async (fileId) => {
      gathered.push(fileId);
      if (gathered.length === MOST_FILES || performance.now() - askedAt >= GATHER_MS) await flush();
    },
  };
}
