import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { FolderConfig } from '../../../../schemas/config.ts';
import type { App } from '../../../../src/app.ts';
import { openRemote, type RemoteSession } from '../../../../src/features/transfers/open-remote.ts';
import { type PulledFolder, pullFolder, type RemoteSightings } from '../../../../src/features/transfers/pull.ts';
import { openPipelineWorld, type PipelineWorld } from '../../../support/pipeline-world.ts';
import { startTestSshd, type TestSshd } from './sshd.ts';
import { upTo } from '../../../support/payment-rows.ts';
import { transfers } from '../../../../src/features/transfers/index.ts';

/** A real SFTP server, and a drop folder filled from it on request: no workers run. */
export type PullWorld = {
  readonly sshd: TestSshd;
  readonly app: App;
  /** Makes a folder on the server and a local one that no other test uses. */
  freshPair(settings?: Partial<FolderConfig['pull']>, complete?: FolderConfig['complete']): Promise<Pair>;
  query<Row extends object>(sql: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
};

export type Pair = {
  readonly folder: PulledFolder;
  /** Puts a file on the server. */
  put(name: string, content: string): Promise<void>;
  /** Returns the names on the server; claimed ones begin with `claimed/`. */
  there(): Promise<string[]>;
  /** Returns what lies in the drop folder, without hidden files. */
  here(): Promise<Record<string, string>>;
  look(open?: typeof openRemote): Promise<number>;
  states(): Promise<string[]>;
};

const AT_ONCE: FolderConfig['complete'] = { by: 'quiet', quietMs: 0, probes: 1 };

export async function openPullWorld(): Promise<PullWorld> {
  const sshd = await startTestSshd();
  const world: PipelineWorld = await openPipelineWorld({ features: [transfers] });
  const remotes = { bank: sshd.remote };
  const app: App = { ...world.app, settings: { ...world.settings, remotes } };
  let pairs = 0;
  const query = async <Row extends object>(sql: string, values: unknown[] = []) =>
    (await app.ledger.pool.query<Row>(sql, values)).rows;
  return {
    sshd,
    app,
    query,
    freshPair: async (settings = {}, complete = AT_ONCE) => {
      pairs += 1;
      const path = join(sshd.folder, `out-${pairs}`);
      const local = join(world.root, 'drop', `pulled-${pairs}`);
      for (const dir of [path, local]) await mkdir(dir, { recursive: true });
      const pull = { remote: 'bank', after: 'move', everyMs: 1_000, ...settings, path } as const;
      const folder: PulledFolder = {
        ...app.settings.folders[1]!,
        id: `drop/pulled-${pairs}`,
        path: local,
        complete,
        pull,
      };
      return pairOf({ app, folder, path, sightings: new Map(), query });
    },
    close: async () => {
      await world.close();
      await sshd.stop();
    },
  };
}

type Making = {
  app: App;
  folder: PulledFolder;
  path: string;
  sightings: RemoteSightings;
  query: PullWorld['query'];
};

function pairOf({ app, folder, path, sightings, query }: Making): Pair {
  const list = async (dir: string) => {
    const names = (await readdir(dir).catch(() => [])).toSorted();
    const kept: string[] = [];
    for (const name of names) if ((await stat(join(dir, name))).isFile()) kept.push(name);
    return kept;
  };
  return {
    folder,
    put: (name, content) => writeFile(join(path, name), content),
    there: async () => [...(await list(path)), ...(await list(join(path, 'claimed'))).map((name) => `claimed/${name}`)],
    here: async () => {
      const names = (await list(folder.path)).filter((name) => !name.startsWith('.'));
      const texts = await Promise.all(names.map((name) => readFile(join(folder.path, name), 'utf8')));
      return Object.fromEntries(names.map((name, index) => [name, texts[index]!]));
    },
    look: (open) => pullFolder(app, folder, sightings, open),
    states: async () => {
      const rows = await query<{ state: string }>('SELECT state FROM pulled WHERE folder = $1 ORDER BY pull_no', [
        folder.id,
      ]);
      return rows.map(({ state }) => state);
    },
  };
}

/**
 * Pulls this many files from a server that is killed at the fetches in `killsAt`, and checks that each arrives once.
 */
export async function expectPulledThroughKills(world: PullWorld, count: number, killsAt: number[]): Promise<void> {
  const pair = await world.freshPair();
  const files = Object.fromEntries(upTo(count).map((n) => [`${n}.csv`, `A-${n},25.00\n`]));
  for (const [name, content] of Object.entries(files)) await pair.put(name, content);
  let fetched = 0;
  const killing: typeof openRemote = async (remote) => {
    const session = await openRemote(remote);
    const fetch: RemoteSession['fetch'] = async (...call) => {
      fetched += 1;
      const dies = killsAt.includes(fetched);
      await Promise.all([session.fetch(...call), dies && world.sshd.kill()]);
    };
    return { ...session, fetch };
  };
  for (const number of killsAt) {
    await expect(pair.look(killing), `killed at file ${number}`).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    await world.sshd.restart();
  }
  await pair.look();
  expect(await pair.here()).toEqual(files);
  expect(new Set(await pair.there())).toEqual(new Set(Object.keys(files).map((name) => `claimed/${name}`)));
  expect(await pair.states()).toEqual(upTo(count).map(() => 'done'));
}
