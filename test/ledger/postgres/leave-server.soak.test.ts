import { Client, Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../../src/ledger/postgres/cluster.ts';
import { giveData } from './support/made-cluster.ts';
import { openWorld, queryOnce, serverPid, type World } from './support/world.ts';
import { enterServer, leaveServer } from '../../../src/ledger/postgres/join-embedded-server.ts';

let world: World;
let cluster: Cluster;
beforeAll(async () => {
  world = await openWorld();
  cluster = await world.openCluster();
  await giveData(cluster);
});
afterAll(() => world.close());

describe('leaveServer', () => {
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
