import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, cp, link, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { silentLog } from '../../../../src/kernel/log.ts';
import { type Connection, isPostmaster, readPostmasterFile } from '../../../../src/ledger/postgres/ask-server.ts';
import { type Cluster, type ClusterPlace, dataFolderOf } from '../../../../src/ledger/postgres/cluster.ts';
import { findCluster, initCluster } from '../../../../src/ledger/postgres/find-cluster.ts';
import { joinEmbeddedServer, type Places } from '../../../../src/ledger/postgres/join-embedded-server.ts';
import { type Binaries, findBinaries, prepareBinaries } from '../../../../src/ledger/postgres/prepare-binaries.ts';
import { buildProgram } from '../../../support/build-program.ts';

export const isRoot = process.getuid?.() === 0;

/** Names a suite for `describe.runIf(isRoot)` and prints if it is skipped. */
export function sayWhatNeedsRoot(what: string): string {
  if (!isRoot) console.log(`Not run, because it takes root: ${what}`);
  return `${what} (takes root)`;
}

/** Whether an ordinary user can run programs from this checkout, unlike one in a home only root may enter. */
export const othersReachCheckout =
  isRoot &&
  spawnSync('/bin/sh', ['-c', 'test -r "$0"', join(process.cwd(), 'package.json')], { uid: 65_534, gid: 65_534 })
    .status === 0;

/** Does the same for `describe.runIf(othersReachCheckout)`. */
export function sayWhatNeedsReach(what: string): string {
  if (!othersReachCheckout) console.log(`Not run, because it takes root and a checkout that others can read: ${what}`);
  return `${what} (takes root and a checkout that others can read)`;
}

/** What is thrown when the server cannot be started, for a reason that matches. */
export const startFailure = (reason: RegExp) =>
  expect.objectContaining({ code: 'LEDGER_START_FAILED', message: expect.stringMatching(reason) });

/** Makes a fresh folder that every user may enter, with a separate place for what root shares. */
export async function openWorld() {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-pg-'));
  await chmod(root, 0o755);
  const sharedFolder = join(root, 'shared');
  const places: Places = { findBinaries, sharedFolder };
  const visited = new Set<string>();

  return {
    root,
    sharedFolder,
    places,
    dataDir: join(root, 'data'),
    join: (dataDir: string = join(root, 'data'), own: Places = places) => {
      visited.add(dataDir);
      return joinEmbeddedServer({ dataDir, log: silentLog(), fsync: false }, own);
    },
    /** Returns a cluster whose server has not been started yet. */
    openCluster: async (dataDir: string = join(root, 'data')): Promise<Cluster> => {
      visited.add(dataDir);
      const place = await findCluster(dataDir, sharedFolder, silentLog());
      const findPrograms = async () => prepareBinaries(await findBinaries(), place, sharedFolder);
      return { ...place, fsync: false, log: silentLog(), findPrograms, meanwhile: () => {} };
    },
    place: (dataDir: string = join(root, 'data')) => findCluster(dataDir, sharedFolder, silentLog()),
    /** Ends what still runs and removes everything. */
    close: async () => {
      for (const dataDir of visited) await killServer(dataDir, sharedFolder);
      await rm(root, { recursive: true, force: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** Opens a world for each test of a file or suite, or one for all of them, and closes it. */
export function useWorld(scope: 'each' | 'all' = 'each'): World {
  const world = {} as World;
  const [before, after] = scope === 'each' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  before(async () => {
    Object.assign(world, await openWorld());
  });
  after(() => world.close());
  return world;
}

/** Same for all tests, with a cluster whose server has not been started yet. */
export function useCluster(prepare = async (_cluster: Cluster) => {}): { world: World; cluster: Cluster } {
  const world = useWorld('all');
  const cluster = {} as Cluster;
  beforeAll(async () => {
    Object.assign(cluster, await world.openCluster());
    await prepare(cluster);
  });
  return { world, cluster };
}

/** Returns the server's process id, undefined when none runs. */
export async function serverPid(place: ClusterPlace): Promise<number | undefined> {
  const file = await readPostmasterFile(place);
  return file && (await isPostmaster(file.pid, place)) ? file.pid : undefined;
}

/** Waits for a state that another process brings about. */
export async function waitUntil(isReached: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isReached())) {
    if (performance.now() > deadline) throw new Error('waited two minutes in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Runs one statement on its own connection and returns the rows. */
export async function queryOnce(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Kills the server and waits until its children notice. Its members may have started another by then. */
export async function killServer(dataDir: string, sharedFolder: string): Promise<void> {
  const place = await findCluster(dataDir, sharedFolder, silentLog()).catch(() => undefined);
  if (!place) return;
  const pid = await serverPid(place);
  if (pid === undefined) return;
  process.kill(pid, 'SIGKILL');
  await waitUntil(async () => (await serverPid(place)) !== pid);
}

/** Copies the programs as `npm ci --ignore-scripts` leaves them at worst: without links and execute bits. */
export async function copyBrokenBinaries(folder: string): Promise<Binaries> {
  const { folder: native, version } = await findBinaries();
  await linkFiles(native, folder);
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  if ((JSON.parse(list) as unknown[]).length === 0 && process.platform === 'linux') throw new Error('nothing to break');
  return { folder, version };
}

/** Time zones by region and extensions: most of the files, read by neither initdb nor the server. */
const UNUSED = /timezone\/[^/]+\/|extension\/(?!plpgsql)|pgxs\//;

/** Takes only plain files, so all links between libraries are missing. Hard links avoid copying the large ones. */
async function linkFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (UNUSED.test(source)) continue;
    if (entry.isDirectory()) await linkFiles(source, target);
    else if (entry.isFile() && from.endsWith('bin')) await copyWithoutExecution(source, target);
    else if (entry.isFile()) await link(source, target).catch(() => cp(source, target));
  }
}

async function copyWithoutExecution(source: string, target: string): Promise<void> {
  await cp(source, target);
  await chmod(target, 0o644);
}

const run = promisify(execFile);

/** Gives a cluster data as `initCluster` does, but made once per run and copied, for tests of other things. */
export async function giveData(cluster: Cluster): Promise<void> {
  const template = join(tmpdir(), 'paydrop-made-cluster');
  if (!existsSync(template)) await makeTemplate(cluster, template);
  const target = dataFolderOf(cluster);
  await run('cp', ['-a', template, target]);
  if (cluster.user) await run('chown', ['-R', `${cluster.user.uid}:${cluster.user.gid}`, target]);
}

/** The first of two concurrent processes wins. */
async function makeTemplate(cluster: Cluster, template: string): Promise<void> {
  await initCluster(cluster);
  const draft = await mkdtemp(`${template}-`);
  await run('cp', ['-a', dataFolderOf(cluster), join(draft, 'data')]);
  await rename(join(draft, 'data'), template).catch(() => {});
  await rm(draft, { recursive: true, force: true });
  await rm(dataFolderOf(cluster), { recursive: true });
}

type Answer =
  | { kind: 'joined'; connection: Connection }
  | { kind: 'left' }
  | { kind: 'failed'; code: string; message: string };

/** Starts `support/member.ts` as a separate process, as another user if one is given. */
export async function startMember(
  order: { dataDir: string; sharedFolder: string; stays?: boolean; fsync?: boolean },
  user?: { uid: number; gid: number },
) {
  const { fileOf } = await buildProgram();
  const words = [
    fileOf('test/ledger/postgres/support/member.ts'),
    JSON.stringify({ stays: true, fsync: false, ...order }),
  ];
  const child = spawn(process.execPath, words, {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Another user may not write to the run's temporary folder.
    env: { ...process.env, ...(user && { TMPDIR: '/tmp' }) },
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const listen = async (): Promise<Answer> => {
    const { value, done } = await lines.next();
    if (done) throw new Error('the member ended without a word');
    return JSON.parse(value) as Answer;
  };
  const listenFor = async <Kind extends Answer['kind']>(kind: Kind) => {
    const answer = await listen();
    if (answer.kind !== kind) throw new Error(`expected ${kind}, got ${JSON.stringify(answer)}`);
    return answer as Extract<Answer, { kind: Kind }>;
  };

  return {
    joined: async () => (await listenFor('joined')).connection,
    failed: () => listenFor('failed'),
    leave: async () => {
      child.stdin.write('leave\n');
      await listenFor('left');
      await ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    /** Exit status after it ended by itself. */
    exitStatus: async () => (await ended)[0] as number | null,
  };
}
