import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.ts';
import { openQueue } from '../../src/queue/open-queue.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';

let postgres: TestPostgres;
let client: Client;

beforeAll(async () => {
  postgres = await startTestPostgres();
  client = new Client(postgres.connection);
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await postgres.stop();
});

describe('connectPostgres', () => {
  it('lets no worker sleep past a job that nobody announced', async () => {
    const queue = await openQueue({ kind: 'postgres', connection: postgres.connection }, silentLog());
    const done: unknown[] = [];
    queue.work('submit', 1, async (payload) => void done.push(payload));
    // With a delayed job in sight BullMQ would wait for that, an hour long.
    for (const id of ['far', 'missed'])
      await queue.add('submit', id, { fileId: id, batchNo: 1 }, { delayMs: 3_600_000 });
    await queue.add('submit', 'now', { fileId: 'now', batchNo: 1 });
    await expect.poll(() => done).toHaveLength(1);
    await client.query("UPDATE paydrop_queue.job SET state = 'waiting', process_at_ms = NULL WHERE id LIKE '%missed'");
    await expect.poll(() => done, { timeout: 120_000 }).toHaveLength(2);
    await queue.close();
  });
});
