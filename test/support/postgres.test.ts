import { Client } from 'pg';
import { expect, it } from 'vitest';
import { dropLeft, RUN_VARIABLE, startTestPostgres, type TestRun } from './postgres.ts';

/** Returns what a test leaves in its database, and what the next test finds in its own. */
async function useTwice(change: string) {
  const first = await startTestPostgres();
  const before = await look(first.url, change);
  await first.stop();
  const second = await startTestPostgres();
  const after = await look(second.url);
  await second.stop();
  return { before, after, isSame: first.url === second.url, isSameSession: before.pid === after.pid };
}

async function look(url: string, change = '') {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(change);
  const { rows } = await client.query<{ pid: number; stops: number; senders: string; next: string; work_mem: string }>(
    `SELECT pg_backend_pid() AS pid, (SELECT count(*)::int FROM paydrop.account_stop) AS stops,
       (SELECT senders::text FROM paydrop.admission) AS senders, nextval('paydrop.call_no') AS next,
       current_setting('work_mem') AS work_mem, pg_try_advisory_lock(7) AS lock`,
  );
  await client.end();
  return rows[0]!;
}

it('gives a database on as it was made, and its sessions as new', async () => {
  const { before, after, isSame, isSameSession } = await useTwice(
    `SET work_mem = '1MB'; UPDATE paydrop.admission SET senders = '{here}', closing = gen_random_uuid();
     INSERT INTO paydrop.account_stop (account, reason, since) VALUES ('main', 'test', now())`,
  );
  expect(before).toMatchObject({ stops: 1, senders: '{here}', next: '1', work_mem: '1MB' });
  expect(after).toMatchObject({ stops: 0, senders: '{}', next: '1', work_mem: '4MB' });
  expect({ isSame, isSameSession }).toEqual({ isSame: true, isSameSession: true });
});

it('gives no database on whose tables were changed', async () => {
  const { isSame } = await useTwice('ALTER TABLE paydrop.account_stop ALTER COLUMN reason DROP NOT NULL');
  expect(isSame).toBe(false);
});

it('gives no database on to which somebody is connected', async () => {
  const first = await startTestPostgres();
  const client = new Client({ connectionString: first.url });
  client.on('error', () => {});
  await client.connect();
  await first.stop();
  const second = await startTestPostgres();
  expect(second.url).not.toBe(first.url);
  await second.stop();
  await client.end();
});

it('gives a database to one test at a time, even if it was given back twice', async () => {
  const first = await startTestPostgres();
  await first.stop();
  await first.stop();
  const [second, third] = [await startTestPostgres(), await startTestPostgres()];
  expect(second.url).not.toBe(third.url);
  await second.stop();
  await third.stop();
});

it('drops what a process left that has ended, and nothing of one that lives', async () => {
  const run = JSON.parse(process.env[RUN_VARIABLE]!) as TestRun;
  const client = new Client(run.connection);
  await client.connect();
  const [ended, copy] = [`${run.prefix}2147483647_1_older`, `${run.prefix}${process.pid}_0_older`];
  for (const name of [ended, copy]) await client.query(`CREATE DATABASE ${name}`);
  await dropLeft(run);
  const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE datname = ANY($1)', [
    [ended, copy],
  ]);
  await client.query(`DROP DATABASE ${copy}`);
  await client.end();
  expect(rows).toEqual([{ datname: copy }]);
});
