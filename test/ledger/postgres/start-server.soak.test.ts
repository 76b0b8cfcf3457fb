import { chmod, mkdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, dataFolderOf, logFileOf } from '../../../src/ledger/postgres/cluster.ts';
import { startServer, stopServer } from '../../../src/ledger/postgres/start-server.ts';
import { giveData } from './support/made-cluster.ts';
import { isRoot, openWorld, sayWhatNeedsRoot, serverPid, type World } from './support/world.ts';

let world: World;
let cluster: Cluster;
beforeAll(async () => {
  world = await openWorld();
  cluster = await world.openCluster();
  await giveData(cluster);
});
afterAll(() => world.close());

describe('startServer', () => {
  it('starts it once; stopServer waits for its end and cannot do it twice', async () => {
    expect(await startServer(cluster)).toBe('started');
    expect(await startServer(cluster)).toBe('taken');
    expect(await serverPid(cluster)).toBeGreaterThan(0);
    await stopServer(cluster);
    expect(await serverPid(cluster)).toBeUndefined();
    await expect(stopServer(cluster)).rejects.toThrow('PID file');
  });

  it('lets only one of several win', async () => {
    const answers = await Promise.all([startServer(cluster), startServer(cluster), startServer(cluster)]);
    expect(answers.sort()).toEqual(['started', 'taken', 'taken']);
    await stopServer(cluster);
  });

  it('starts although the lock of a dead server names a process that lives', async () => {
    const lock = [process.pid, dataFolderOf(cluster), 1, 5432, join(cluster.home, 'run'), '', '1 2', 'ready', ''];
    await writeFile(join(dataFolderOf(cluster), 'postmaster.pid'), lock.join('\n'));
    expect(await startServer(cluster)).toBe('started');
    await stopServer(cluster);
  });

  it('turns a log that has grown large', async () => {
    const log = logFileOf(cluster);
    await truncate(log, 5_000_001);
    await startServer(cluster);
    await stopServer(cluster);
    expect((await stat(`${log}.1`)).size).toBe(5_000_001);
    expect(await readFile(log, 'utf8')).toContain('ready to accept connections');
  });

  it('shows the last lines of the log when it fails, not older ones', async () => {
    const control = join(dataFolderOf(cluster), 'global', 'pg_control');
    await rename(control, `${control}.away`);
    await expect(startServer(cluster)).rejects.toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: expect.stringMatching(/^(?!.*ready to accept).*could not (find|open).*DATABASE_URL\.$/s),
    });
    await rename(`${control}.away`, control);
  });

  it('shows what pg_ctl said when there is no log', async () => {
    const other = await world.openCluster(join(world.root, 'other'));
    await mkdir(dataFolderOf(other));
    await chmod(dataFolderOf(other), 0o755);
    await expect(startServer(other)).rejects.toThrow(/Cannot start the embedded PostgreSQL in ".*other\/postgres": .+/);
  });
});

describe.runIf(isRoot)(sayWhatNeedsRoot('startServer below a folder that was closed'), () => {
  it('names the user and the remedy', async () => {
    await chmod(world.root, 0o700);
    await expect(startServer(cluster)).rejects.toThrow(/who may not enter that folder\. .*chmod o\+x/);
    await chmod(world.root, 0o755);
  });
});
