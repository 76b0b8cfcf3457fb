import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { askServer, PRESENCE_LOCK, type Presence } from '../../../src/ledger/postgres/ask-server.ts';
import type { Cluster } from '../../../src/ledger/postgres/cluster.ts';
import { startServer, stopServer } from '../../../src/ledger/postgres/start-server.ts';
import { giveData } from './support/made-cluster.ts';
import { openWorld, queryOnce, type World } from './support/world.ts';

let world: World;
let cluster: Cluster;
beforeAll(async () => {
  world = await openWorld();
  cluster = await world.openCluster();
});
afterAll(() => world.close());

async function enter(): Promise<Presence> {
  const answer = await askServer(cluster);
  if (typeof answer === 'string') throw new Error(answer);
  return answer;
}

describe('askServer', () => {
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
    await expect(askServer(cluster)).rejects.toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: expect.stringContaining('database "paydrop" does not exist'),
    });
    await queryOnce(elsewhere, 'ALTER DATABASE hidden RENAME TO paydrop');
    await stopServer(cluster);
    expect(await askServer(cluster)).toBe('absent');
  });
});
