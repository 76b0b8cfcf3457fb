import { resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
import { systemCode } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

export type WatchOptions = { log: Pick<Log, 'warn'> };

export type FolderEvents = {
  /**
   * Pauses file-system events while many files are taken out of the folders, and calls `onEvent` once afterwards, for
   * anything missed. Every removal is an event, after which chokidar checks everything that remains.
   */
  pauseWhile<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

/**
 * Calls `onEvent` soon after anything happens in one of the folders. A call only suggests a scan: network drives and
 * heavy load lose events, and chokidar cannot know whether a file is whole. Nothing here decides anything. Failures are
 * logged and cost no more than the wait for the next rescan.
 */
export async function watchFolders(
  paths: string[],
  onEvent: () => void | Promise<void>,
  { log }: WatchOptions,
): Promise<FolderEvents> {
  const give = async (): Promise<void> => {
    try {
      await onEvent();
    } catch (error) {
      log.warn({ code: systemCode(error) }, 'a scan after an event failed');
    }
  };
  const events = gatherEvents(() => void give());
  const open = () => openWatcher(paths, events.add, log);
  let watcher = await open();
  let isClosed = false;
  const resume = async () => {
    watcher = await open();
    // `close` ran while this watcher was opening, and closed the previous one.
    if (isClosed) await watcher.close();
    events.add();
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
      events.stop();
      await watcher.close();
    },
  };
}

async function openWatcher(paths: string[], add: () => void, log: Pick<Log, 'warn'>): Promise<FSWatcher> {
  const folders = new Set(paths.map((path) => resolve(path)));
  const watcher = watch(paths, {
    depth: 0,
    // The folder itself reports what happens in it. Without this, every file in it would be watched too.
    ignored: (path) => !folders.has(resolve(path)),
    followSymlinks: false,
    ignoreInitial: true,
  });
  // `raw` is the system's own event and also covers names that are not UTF-8.
  watcher.on('all', add).on('raw', add);
  watcher.on('error', (error) => {
    log.warn({ code: systemCode(error) }, 'watching the drop folders failed; they are still listed regularly');
  });
  if (paths.length > 0)
    await new Promise<void>((resolve) => watcher.once('ready', resolve).once('error', () => resolve()));
  return watcher;
}

const GATHER_MS = 100;

/**
 * Merges many events into one call. The delay counts from the first event: otherwise a file that grows without pause
 * would delay the call for all others.
 */
function gatherEvents(give: () => void): { add: () => void; stop: () => void } {
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
