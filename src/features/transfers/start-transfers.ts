import { does, type Role } from '../../../schemas/jobs.ts';
import type { App } from '../../app.ts';
import { foldersHere } from '../../config/config.ts';
import { PipelineError, reasonOf } from '../../kernel/errors.ts';
import type { Started } from '../../../workers/feature-work.ts';
import { noting } from '../../../workers/note-failures.ts';
import { type PulledFolder, pullFolder } from './pull.ts';
import { pushOutputs, type PushTarget } from './push.ts';
import { dropTransfer, noteTransfer } from './transfer-health.ts';

/**
 * Fetches and uploads, each folder and place on its own timer: a slow or absent server holds up no other. Failures are
 * retried at the next time.
 */
export function startTransfers(app: App, roles: ReadonlySet<Role>): Started {
  const pulls = new Map<PulledFolder, Turns>();
  const pushes = does(roles, 'push') ? app.settings.push.map((target) => startPush(app, target)) : [];
  let stopped = false;
  const follow = async () => {
    const wanted = does(roles, 'pull') && !stopped ? foldersHere(app.settings).filter(isPulled) : [];
    const ended = [...pulls].filter(([folder]) => !wanted.includes(folder));
    for (const [folder] of ended) pulls.delete(folder);
    // Before the same folder begins anew: two turns would fetch a file twice.
    await Promise.all(ended.map(([, turns]) => turns.stop()));
    for (const folder of wanted) if (!stopped && !pulls.has(folder)) pulls.set(folder, startPull(app, folder));
    for (const [folder] of ended) if (wanted.every(({ id }) => id !== folder.id)) dropTransfer(app, pullName(folder));
  };
  const turns = () => [...pulls.values(), ...pushes];
  void follow();
  return {
    look: async () => (await Promise.all(turns().map((turn) => turn.now()))).reduce((sum, count) => sum + count, 0),
    follow,
    stop: async () => {
      stopped = true;
      await Promise.all(turns().map((turn) => turn.stop()));
    },
  };
}

function startPull(app: App, folder: PulledFolder): Turns {
  const sightings = new Map();
  const { remote, everyMs } = folder.pull;
  const turn = { name: pullName(folder), about: { folder: folder.id, remote }, account: folder.account, everyMs };
  return startTurns(app, turn, () => pullFolder(app, folder, sightings));
}

function startPush(app: App, target: PushTarget): Turns {
  const { remote } = target;
  const turn = { name: pushName(target), about: { remote }, account: null, everyMs: app.settings.sweepMs };
  return startTurns(app, turn, async () => {
    await pushOutputs(app, target);
    return 0;
  });
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
  readonly about: { readonly remote: string };
  readonly account: string | null;
  readonly everyMs: number;
};

type Turns = { now(): Promise<number>; stop(): Promise<void> };

/** Runs one at a time: the first at once, each `everyMs` after the end of the one before. */
function startTurns(app: App, turn: Turn, work: () => Promise<number>): Turns {
  const { name, about, account, everyMs } = turn;
  const [, way, what = name] = /^(pull|push):(.*)$/.exec(name) ?? [];
  const item = { work: way === 'push' ? 'push' : 'pull', subject: what, account: account ?? undefined } as const;
  const tell = (result: 'done' | 'failed') =>
    app.health.tally.add('paydrop_transfers_total', { way: item.work, remote: about.remote, result });
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<number> | undefined;
  let stopped = false;
  const take = async () => {
    try {
      const waiting = await noting(app, item, work, everyMs);
      noteTransfer(app, name);
      tell('done');
      return waiting;
    } catch (error) {
      noteTransfer(app, name, { account, everyMs });
      tell('failed');
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
