import type { Role } from '../../schemas/roles.ts';
import type { App } from '../../src/app.ts';
import { foldersHere } from '../../src/config/config.ts';
import { PipelineError, reasonOf } from '../../src/kernel/errors.ts';
import { noting } from '../note-failures.ts';
import { type PulledFolder, pullFolder } from './pull.ts';
import { pushOutputs } from './push.ts';

export type Transfers = {
  /** Runs everything once, now. @returns how many files are still being written on a server */
  look(): Promise<number>;
  stop(): Promise<void>;
};

/**
 * Fetches and uploads, each folder and place on its own timer: a slow or absent server holds up no other. Failures are
 * retried at the next time.
 */
export function startTransfers(app: App, roles: ReadonlySet<Role>): Transfers {
  const pulls = roles.has('watch') ? foldersHere(app.settings).filter(isPulled) : [];
  const pushes = roles.has('deliver') ? app.settings.push : [];
  const turns = [
    ...pulls.map((folder) => {
      const sightings = new Map();
      const { remote, everyMs } = folder.pull;
      const turn = {
        name: pullName(folder),
        about: { folder: folder.id, remote },
        account: folder.account,
        everyMs,
      };
      return startTurns(app, turn, () => pullFolder(app, folder, sightings));
    }),
    ...pushes.map((target) => {
      const { remote } = target;
      const turn = { name: pushName(target), about: { remote }, account: null, everyMs: app.settings.sweepMs };
      return startTurns(app, turn, async () => {
        await pushOutputs(app, target);
        return 0;
      });
    }),
  ];
  return {
    look: async () => (await Promise.all(turns.map((turn) => turn.now()))).reduce((sum, count) => sum + count, 0),
    stop: async () => void (await Promise.all(turns.map((turn) => turn.stop()))),
  };
}

/** Returns the names in alarms of all SFTP transfers in this configuration, of every process. */
export function transferNames({ folders, push }: App['settings']): string[] {
  return [...folders.filter(isPulled).map(pullName), ...push.map(pushName)];
}

function pullName({ id }: { id: string }): string {
  return `pull:${id}`;
}

function pushName({ remote, path }: App['settings']['push'][number]): string {
  return `push:${remote}:${path}`;
}

function isPulled(folder: { pull?: unknown }): folder is PulledFolder {
  return folder.pull !== undefined;
}

/** `name` identifies it in an alarm, `about` goes into the log. */
type Turn = {
  readonly name: string;
  readonly about: object;
  readonly account: string | null;
  readonly everyMs: number;
};

type Turns = { now(): Promise<number>; stop(): Promise<void> };

/** Runs one at a time: the first at once, each `everyMs` after the end of the one before. */
function startTurns(app: App, turn: Turn, work: () => Promise<number>): Turns {
  const { name, about, account, everyMs } = turn;
  const [, way, what = name] = /^(pull|push):(.*)$/.exec(name) ?? [];
  const item = { work: way === 'push' ? 'push' : 'pull', subject: what, account: account ?? undefined } as const;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<number> | undefined;
  let stopped = false;
  const take = async () => {
    try {
      const waiting = await noting(app, item, work, everyMs);
      app.health.noteTransfer(name);
      return waiting;
    } catch (error) {
      app.health.noteTransfer(name, { account, everyMs });
      const code = error instanceof PipelineError ? error.code : 'INTERNAL';
      app.log.error({ ...about, code }, reasonOf(error));
      return 0;
    }
  };
  const now = () => {
    clearTimeout(timer);
    running ??= take().finally(() => {
      running = undefined;
      if (!stopped) timer = setTimeout(() => void now(), everyMs);
    });
    return running;
  };
  void now();
  return {
    now,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
