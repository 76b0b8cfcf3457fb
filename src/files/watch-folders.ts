import { type FSWatcher, watch } from 'chokidar';
import { resolve } from 'node:path';
import { systemCode } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';

export type WatchOptions = { log: Pick<Log, 'warn'> };

export type FolderEvents = {
  /** Watches a folder from now on, or no longer. Watching begins with a call of `onEvent`, for what came meanwhile. */
  follow(path: string, isWatched: boolean): void;
  close(): Promise<void>;
};

/**
 * Calls `onEvent` soon after anything happens in one of the followed folders. A call only suggests a scan: network drives
 * and heavy load lose events, and chokidar cannot know whether a file is whole. Nothing here decides anything. Failures
 * are logged and cost no more than the wait for the next rescan.
 */
export function watchFolders(onEvent: () => void | Promise<void>, { log }: WatchOptions): FolderEvents {
  const give = async (): Promise<void> => {
    try {
      await onEvent();
    } catch (error) {
      log.warn({ code: systemCode(error) }, 'a scan after an event failed');
    }
  };
  const events = gatherEvents(() => void give());
  const watchers = new Map<string, FSWatcher>();
  let isClosed = false;
  return {
    follow(path, isWatched) {
      const watcher = watchers.get(path);
      if (isClosed || isWatched === (watcher !== undefined)) return;
      if (isWatched) watchers.set(path, openWatcher(path, events.add, log));
      else watchers.delete(path);
      void watcher?.close();
    },
    async close() {
      isClosed = true;
      events.stop();
      await Promise.all([...watchers.values()].map((watcher) => watcher.close()));
    },
  };
}

function openWatcher(path: string, add: () => void, log: Pick<Log, 'warn'>): FSWatcher {
  const folder = resolve(path);
  const watcher = watch(path, {
    depth: 0,
    // The folder itself reports what happens in it. Without this, every file in it would be watched too.
    ignored: (found) => resolve(found) !== folder,
    followSymlinks: false,
    ignoreInitial: true,
  });
  // `raw` is the system's own event and also covers names that are not UTF-8.
  watcher.on('ready', add).on('all', add).on('raw', add);
  watcher.on('error', (error) => {
    log.warn({ code: systemCode(error) }, 'watching a drop folder failed; it is still listed regularly');
  });
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
