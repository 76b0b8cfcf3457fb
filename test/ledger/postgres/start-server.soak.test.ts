import { chmod, mkdir, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { askServer, type Presence, PRESENCE_LOCK } from '../../../src/ledger/postgres/ask-server.ts';
import { dataFolderOf, logFileOf } from '../../../src/ledger/postgres/cluster.ts';
import { enterServer, leaveServer } from '../../../src/ledger/postgres/join-embedded-server.ts';
import { startServer, stopServer } from '../../../src/ledger/postgres/start-server.ts';
import { giveData, isRoot, queryOnce, sayWhatNeedsRoot, serverPid, startFailure, useCluster } from './support/world.ts';

describe('askServer', () => {
  const { cluster } = useCluster();

  async function enter(): Promise<Presence> {
    const answer = await askServer(cluster);
    if (typeof answer === 'string') throw new Error(answer);
    return answer;
  }

  it('finds nobody before the cluster is made and before the server is started', async () => {
    expect(await askServer(cluster)).toBe('absent');
    await giveData(cluster);
    expect(await askServer(cluster)).toBe('absent');
  });

  it('lets several in, and nobody while the last one is leaving', async () => {
    await startServer(cluster);
    const [first, second] = [await enter(), await enter()];
    expect(second.connection).toEqual(first.connection);
    await first.client.end();
    await second.client.end();

    const last = new Client(first.connection);
    await last.connect();
    await last.query(`SELECT pg_advisory_lock(${PRESENCE_LOCK})`);
    expect(await askServer(cluster)).toBe('busy');
    await last.end();
    const again = await enter();
    await again.client.end();
  });

  it('does not ask the environment for TLS', async () => {
    process.env['PGSSLMODE'] = 'require';
    try {
      const { client, connection } = await enter();
      expect(await queryOnce(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await client.end();
    } finally {
      delete process.env['PGSSLMODE'];
    }
  });

  it('throws when the server will never let us in', async () => {
    const { client, connection } = await enter();
    await client.end();
    const elsewhere = { ...connection, database: 'postgres' };
    await queryOnce(elsewhere, 'ALTER DATABASE paydrop RENAME TO hidden');
    await expect(askServer(cluster)).rejects.toEqual(startFailure(/database "paydrop" does not exist/));
    await queryOnce(elsewhere, 'ALTER DATABASE hidden RENAME TO paydrop');
    await stopServer(cluster);
    expect(await askServer(cluster)).toBe('absent');
  });
});

describe('enterServer', () => {
  const { cluster } = useCluster();

  it('makes the cluster, starts the server, and joins one that runs', async () => {
    const first = await enterServer(cluster);
    const second = await enterServer(cluster);
    expect(first.connection).toEqual(second.connection);
    await leaveServer(cluster, first);
    await leaveServer(cluster, second);
    expect(await serverPid(cluster)).toBeUndefined();
  });

  it('does not put an empty ledger in the place of a lost one', async () => {
    await rename(dataFolderOf(cluster), `${dataFolderOf(cluster)}-away`);
    await expect(enterServer(cluster, { mayInit: false })).rejects.toThrow('its data are missing');
    await rename(`${dataFolderOf(cluster)}-away`, dataFolderOf(cluster));
    const presence = await enterServer(cluster, { mayInit: false });
    await leaveServer(cluster, presence);
  });

  it('gives up early on a server that is stopped, and comes in when it goes on', async () => {
    const presence = await enterServer(cluster);
    const pid = (await serverPid(cluster))!;
    process.kill(pid, 'SIGSTOP');
    try {
      await expect(enterServer(cluster, { silenceMs: 0 })).rejects.toThrow('the server is running but does not answer');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    const second = await enterServer(cluster);
    await leaveServer(cluster, presence);
    await leaveServer(cluster, second);
  });

  it('gives up on a server that lets nobody in', async () => {
    const presence = await enterServer(cluster);
    const holder = new Client(presence.connection);
    await holder.connect();
    await presence.client.end();
    await holder.query(`SELECT pg_advisory_lock(${PRESENCE_LOCK})`);
    await expect(enterServer(cluster, { patienceMs: 100 })).rejects.toThrow(
      'the server accepted no connection for 0 seconds',
    );
    await holder.end();
    await leaveServer(cluster, await enterServer(cluster));
  });
});

describe('leaveServer', () => {
  const { cluster } = useCluster(giveData);

  it('keeps the server for another member', async () => {
    const [first, second] = [await enterServer(cluster), await enterServer(cluster)];
    await leaveServer(cluster, first);
    expect(await queryOnce(second.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await leaveServer(cluster, second);
    expect(await serverPid(cluster)).toBeUndefined();
  });

  it('stops the server when all leave at the same time', async () => {
    const members = [await enterServer(cluster), await enterServer(cluster), await enterServer(cluster)];
    await Promise.all(members.map((member) => leaveServer(cluster, member)));
    expect(await serverPid(cluster)).toBeUndefined();
  });

  it('stops the server right after pools were closed', async () => {
    const closePoolAndLeave = async () => {
      const member = await enterServer(cluster);
      const pool = new Pool({ ...member.connection, max: 8 });
      await Promise.all(Array.from({ length: 8 }, () => pool.query('SELECT pg_sleep(0.01)')));
      await pool.end();
      await leaveServer(cluster, member);
      return serverPid(cluster);
    };
    // On a busy machine the backends may outlast the wait of a leaving member; the server then stays.
    await expect.poll(closePoolAndLeave).toBeUndefined();
  });

  it('keeps the server for a client that is no member, in whichever database', async () => {
    const member = await enterServer(cluster);
    const guest = new Client({ ...member.connection, database: 'postgres' });
    await guest.connect();
    await leaveServer(cluster, member);
    expect((await guest.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await guest.end();
    await leaveServer(cluster, await enterServer(cluster));
    expect(await serverPid(cluster)).toBeUndefined();
  });

  it('does not mind that the server is gone', async () => {
    const member = await enterServer(cluster);
    process.kill((await serverPid(cluster)) ?? 0, 'SIGKILL');
    await new Promise((resolve) => member.client.once('end', resolve));
    await expect(leaveServer(cluster, member)).resolves.toBeUndefined();
  });
});

describe('startServer', () => {
  const { world, cluster } = useCluster(giveData);

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
    await expect(startServer(cluster)).rejects.toEqual(
      startFailure(/^(?!.*ready to accept).*could not (find|open).*DATABASE_URL\.$/s),
    );
    await rename(`${control}.away`, control);
  });

  it('shows what pg_ctl said when there is no log', async () => {
    const other = await world.openCluster(join(world.root, 'other'));
    await mkdir(dataFolderOf(other));
    await chmod(dataFolderOf(other), 0o755);
    await expect(startServer(other)).rejects.toThrow(/Cannot start the embedded PostgreSQL in ".*other\/postgres": .+/);
  });

  it.runIf(isRoot)(sayWhatNeedsRoot('names the user and the remedy below a folder that was closed'), async () => {
    await chmod(world.root, 0o700);
    await expect(startServer(cluster)).rejects.toThrow(/who may not enter that folder\. .*chmod o\+x/);
    await chmod(world.root, 0o755);
  });
});
