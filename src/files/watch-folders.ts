import { resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { systemCode } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

export type WatchOptions = { log: Pick<Log, 'warn'>; usePolling?: boolean };

export type Hints = {
  /**
   * Gives no hints while much is taken out of the folders, and one afterwards, for what may have come meanwhile. Each thing
   * that goes is an event, and after each chokidar looks at everything that is still there.
   */
  pauseWhile<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/**
 * Calls `onHint` soon after anything has happened in one of the folders. A hint says only that a scan may be
 * worthwhile: events are lost on network drives and under load, and chokidar cannot know whether a file is whole. So
 * nothing here decides anything, and whatever goes wrong is logged and costs no more than the wait for the next rescan.
 */
export async function watchFolders(
  paths: string[],
  onHint: () => void | Promise<void>,
  { log, usePolling = false }: WatchOptions,
): Promise<Hints> {
  const give = async (): Promise<void> => {
    try {
      await onHint();
    } catch (error) {
      log.warn({ code: systemCode(error) }, 'a scan after a hint failed');
    }
  };
  const hints = gatherHints(() => void give());
  const open = () => openWatcher(paths, { add: hints.add, log, usePolling });
  let watcher = await open();
  let isClosed = false;
  const resume = async () => {
    watcher = await open();
    // It was closed while this one was opened, and closed the one before it.
    if (isClosed) await watcher.close();
    hints.add();
  };
  return {
    async pauseWhile(work) {
      await watcher.close();
      try {
        return await work();
      } finally {
        if (!isClosed) await resume();
      }
    },
    async close() {
      isClosed = true;
      hints.stop();
      await watcher.close();
    },
  };
}

/** @returns when it sees what happens from now on */
async function openWatcher(
  paths: string[],
  { add, log, usePolling }: { add: () => void; log: Pick<Log, 'warn'>; usePolling: boolean },
): Promise<FSWatcher> {
  const folders = new Set(paths.map((path) => resolve(path)));
  const watcher = watch(paths, {
    depth: 0,
    // What happens in a folder is said by the folder itself. Without this, every file in it would be watched too.
    ignored: (path) => !folders.has(resolve(path)),
    followSymlinks: false,
    ignoreInitial: true,
    usePolling,
    interval: POLL_INTERVAL_MS,
    binaryInterval: POLL_INTERVAL_MS,
  });
  // `raw` is what the system says, also of names that are not UTF-8.
  watcher.on('all', add).on('raw', add);
  watcher.on('error', (error) => {
    log.warn({ code: systemCode(error) }, 'watching the drop folders failed; they are still listed regularly');
  });
  if (paths.length > 0)
    await new Promise<void>((resolve) => watcher.once('ready', resolve).once('error', () => resolve()));
  return watcher;
}

const POLL_INTERVAL_MS = 1_000;
const GATHER_MS = 100;

/**
 * Many events become one hint. The time counts from the first event, not from the last: a file that grows without a
 * pause would otherwise hold back the hints for all the others.
 */
function gatherHints(give: () => void): { add: () => void; stop: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  return {
    add() {
      if (stopped) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        give();
      }, GATHER_MS);
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
