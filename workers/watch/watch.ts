import type { App } from '../../src/app.ts';
import { claimDrop } from '../../src/files/claims/claim-drop.ts';
import type { Claim, ClaimOutcome } from '../../src/files/claims/finish-claim.ts';
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
import { noting, takingOf } from '../note-failures.ts';
import { takeLateCompanions } from './late-companions.ts';
import { ringNowAndThen } from '../ring.ts';
import { quarantineOdd, type Stored, storeClaims } from './take-claim.ts';

export type Watcher = {
  /** Scans every folder now. @returns how many drops are still settling */
  look(): Promise<number>;
  stop(): Promise<void>;
};

/** Receives what a drop folder holds. */
export type OnScan = (folder: Folder, scan: Scan) => void;

/**
 * Watches the drop folders as they are set at each scan. Those of a schedule are only listed, and only for `onScan` or a
 * dashboard of this process; its runs take their files. Full listings at start and at every rescan are authoritative;
 * file-system events only bring the next one forward. While something settles, listings follow fast enough to probe it.
 * @param onScan receives each listing before anything in it is taken
 */
export async function startWatcher(app: App, onScan?: OnScan): Promise<Watcher> {
  /** By the folder as it is set, because a changed one begins anew. */
  const scanners = new Map<Folder, FolderScanner>();
  const scannerOf = (folder: Folder) => {
    const known = scanners.get(folder);
    if (known) return known;
    const { scan } = createFolderScanner(folder, app.clock);
    const scanner = {
      scan: async () => {
        try {
          return tell(folder, await scan());
        } catch (error) {
          app.waiting.forget(folder.id);
          throw error;
        }
      },
    };
    scanners.set(folder, scanner);
    return scanner;
  };
  /** Returns the folders as they are set now: the configuration may change while the process runs. */
  const foldersNow = () => {
    const here = foldersHere(app.settings);
    const folders = here.filter((folder) => folder.schedule === undefined);
    const shown = onScan || app.waiting.isShown ? here.filter((folder) => folder.schedule !== undefined) : [];
    app.health.noteWatch(folders.map(({ id }) => id));
    for (const gone of [...scanners.keys()].filter((folder) => !folders.includes(folder) && !shown.includes(folder))) {
      scanners.delete(gone);
      if (here.every(({ path }) => path !== gone.path)) events?.follow(gone.path, false);
    }
    return { folders, shown };
  };
  const tell = (folder: Folder, scan: Scan) => {
    onScan?.(folder, scan);
    app.waiting.note(folder.id, scan);
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

  app.waiting.follow();
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
    for await (const slice of inSlices(scan.settled))
      for (const drops of groupsOf(slice)) {
        if (isOver()) settling += drops.length;
        else {
          const { taken, disturbed, skipped } = await takeDrops(app, folder, drops, isOver);
          settling += disturbed + skipped;
          left -= drops.length - skipped;
          if (taken === 0) continue;
          await bell.more();
          crashPoint('claim.asked');
        }
      }
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
    app.waiting.noteStop(id, `nothing is taken from this folder: ${why}`);
    if (drops > 0) app.log.warn({ code, folder: id, drops, ...about }, `nothing is taken: ${why}`);
    return false;
  };
  if (!app.ledger.bound.has(account))
    return refuse('MERCHANT_CHANGED', 'it is not settled whom the account means; see "paydrop status"', { account });
  if (profile === undefined || (await findReading(app.ledger.pool, { profile, operation }))) {
    app.waiting.noteStop(id, undefined);
    return true;
  }
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

/** Most drops that are taken together, and their bytes; a larger one may be a group of its own. */
const MOST_DROPS = 20;
const MOST_BYTES = 16 * 1024 * 1024;

/** Puts drops together that follow one another. What waits now is a group; nothing waits for one to fill. */
function groupsOf(drops: readonly Candidate[]): Candidate[][] {
  const groups: Candidate[][] = [];
  let bytes = 0;
  for (const drop of drops) {
    const last = groups.at(-1);
    bytes += drop.bytes;
    if (last && last.length < MOST_DROPS && bytes <= MOST_BYTES) last.push(drop);
    else {
      groups.push([drop]);
      bytes = drop.bytes;
    }
  }
  return groups;
}

/** Claims at a time: a claim mostly waits for the disk. */
const CLAIMS_AT_ONCE = 4;

/**
 * Takes drops out of their folder and into the ledger, in folder order, because they are sent in that order. One that fails
 * leaves the others alone.
 * @param isOver asked before each; the next scan takes the rest
 * @returns how many are in the ledger, were left because they still change, and were not begun
 */
async function takeDrops(
  app: App,
  folder: Folder,
  drops: readonly Candidate[],
  isOver: () => boolean,
): Promise<{ taken: number; disturbed: number; skipped: number }> {
  let [taken, disturbed, skipped] = [0, 0, 0];
  const claims = new Map<Candidate, Claim>();
  const end = (drop: Candidate, work: () => Promise<void>) =>
    keepGoing(app, folder, () => noting(app, takingOf(folder, drop.name), work));
  await sideBySide(drops, async (drop) => {
    if (isOver()) {
      skipped += 1;
      return;
    }
    await keepGoing(app, folder, async () => {
      const outcome = await claimAlone(app, folder, drop).catch((error: unknown) => ({ is: 'failed', error }) as const);
      if (outcome.is === 'disturbed') disturbed += 1;
      if (outcome.is === 'claimed') claims.set(drop, outcome.claim);
      else
        await end(drop, async () => {
          if (outcome.is === 'failed') throw outcome.error;
          if (outcome.is === 'odd') await quarantineOdd(app, outcome.drop, folder.id);
        });
    });
  });
  const inOrder = drops.filter((drop) => claims.has(drop));
  await keepGoing(app, folder, async () => {
    const all = inOrder.map((drop) => claims.get(drop)!);
    const stored = await storeClaims(app, all).catch(
      (error: unknown): ReadonlyMap<Claim, Stored> => new Map(all.map((claim) => [claim, { error }])),
    );
    // Only now: until the ledger has them, pages would show them nowhere.
    app.waiting.noteTaken(
      folder.id,
      inOrder.map(({ name }) => name),
    );
    for (const drop of inOrder) {
      const outcome = stored.get(claims.get(drop)!);
      if (outcome === 'stored') taken += 1;
      await end(drop, async () => {
        if (typeof outcome === 'object') throw outcome.error;
      });
    }
  });
  return { taken, disturbed, skipped };
}

async function sideBySide(drops: readonly Candidate[], work: (drop: Candidate) => Promise<void>): Promise<void> {
  const left = drops.values();
  const worker = async () => {
    for (const drop of left) await work(drop);
  };
  await Promise.all(Array.from({ length: CLAIMS_AT_ONCE }, worker));
}

function claimAlone(app: App, folder: Folder, drop: Candidate): Promise<ClaimOutcome> {
  crashPoint('watch.drop-settled');
  return claimDrop(
    { ...drop, name: maskName(drop.name) },
    {
      workRoot: folder.work,
      folder,
      clock: app.clock,
      fileId: newFileId(),
      merchant: meaningKey(app.ledger, folder.account),
    },
  );
}

/** A timer may fire a millisecond early, and a look just before the end would double the wait. */
const TIMER_SLACK_MS = 10;

/**
 * Returns the ms between two listings while something settles: the shortest quiet time divided by its probes, or the
 * shortest wait of files that were moved in.
 */
export function probeMs(folders: readonly Folder[], rescanMs: number): number {
  const steps = folders.map(({ complete }) => {
    if (complete.by !== 'quiet') return 1_000;
    const { quietMs, probes, movedInMs = Infinity } = complete;
    return Math.min(quietMs / probes, movedInMs + TIMER_SLACK_MS);
  });
  return Math.max(50, Math.min(rescanMs, Math.ceil(Math.min(...steps))));
}
