import { expect, it } from 'vitest';
import type { BatchKey } from '../../src/ledger/engine/move.ts';
import type { BatchRow } from '../../src/ledger/engine/records.ts';
import { openTestLedger } from '../support/ledger-world.ts';
import { forget } from './support/put-rows.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

async function nextOf(account: string): Promise<BatchKey | undefined> {
  const { rows } = await world.ledger.pool.query<{ file_id: string; batch_no: number }>(
    'SELECT file_id, batch_no FROM next_to_send($1)',
    [account],
  );
  return rows[0] && { fileId: rows[0].file_id, batchNo: rows[0].batch_no };
}

it('next_to_send goes through the batches of a file, then to the file that was claimed next', async () => {
  const { file_id: first, account } = await world.accepted({ batches: 2 });
  const { file_id: second } = await world.accepted({ account });
  await world.accepted();
  for (const key of [
    { fileId: first, batchNo: 1 },
    { fileId: first, batchNo: 2 },
    { fileId: second, batchNo: 1 },
  ]) {
    expect(await nextOf(account)).toEqual(key);
    await world.putBatch(key, 'submitted');
  }
  expect(await nextOf(account)).toBeUndefined();
});

it('next_to_send passes a file that is held until it is accepted', async () => {
  const { file_id: held, account } = await world.held();
  const { file_id: accepted } = await world.accepted({ account });
  expect(await nextOf(account)).toEqual({ fileId: accepted, batchNo: 1 });
  await world.putFile(held, 'accepted');
  expect(await nextOf(account)).toEqual({ fileId: held, batchNo: 1 });
});

it('is_calling says whether a batch of the account is in the hands of a worker', async () => {
  const { file_id: fileId, account } = await world.accepted();
  await world.batchIn('sending');
  const isCalling = async () =>
    (await world.ledger.pool.query<{ is: boolean }>('SELECT is_calling($1) AS is', [account])).rows[0]!.is;
  expect(await isCalling()).toBe(false);
  await world.putBatch({ fileId, batchNo: 1 }, 'sending');
  expect(await isCalling()).toBe(true);
  await world.putBatch({ fileId, batchNo: 1 }, 'unknown');
  expect(await isCalling()).toBe(false);
});

it('was_sent_before goes by account and bytes', async () => {
  const [barred, free] = [await world.batchIn('ready'), await world.batchIn('ready')];
  await forget(world.ledger, { account: barred.account, sha256: barred.body_sha256 });
  await forget(world.ledger, { account: 'elsewhere', sha256: free.body_sha256 });
  const wasSent = async ({ account, file_id: fileId, body_sha256: sha256 }: BatchRow) =>
    (await world.ledger.pool.query('SELECT was_sent_before($1, $2, $3) AS was', [account, fileId, sha256])).rows;
  expect(await wasSent(barred)).toEqual([{ was: true }]);
  expect(await wasSent(free)).toEqual([{ was: false }]);
});

/** Counts the rows that the gate's queries about an account read, by scan or by index. */
const READ = `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint AS reads FROM pg_stat_xact_user_tables
  WHERE relname IN ('file', 'batch', 'forgotten_send', 'account_stop', 'payment_row', 'attempt')`;
const ASK = `SELECT was_sent_before($1, $2, 'x'), may_leave($1, $2, 'x'), is_calling($1),
  (SELECT n.file_id || n.batch_no FROM next_to_send($1) n) AS next, (SELECT sent_rows FROM sent_text($3, 8, 71, 80)) AS rows,
  (SELECT array_agg(n ORDER BY n) FROM unknown_sends(ARRAY[$2, $2, $2, $2], ARRAY[7, 70000, 8, 7], ARRAY[1, 1, 2, 1],
     ARRAY[NULL, NULL, NULL, '00000000-0000-4000-8000-000000000002'::uuid]) n) AS unknown`;

it.each([
  ['before there are statistics', 'SELECT'],
  ['with statistics of the empty one', 'ANALYZE'],
])('keeps plans that were made in an empty ledger and are as good in a full one, %s', async (_when, meanwhile) => {
  const fresh = await openTestLedger();
  const client = await fresh.ledger.pool.connect();
  try {
    for (let time = 0; time < 10; time += 1) await client.query(ASK, ['main', 'none', 1]);
    const { file_id: model, file_no: fileNo } = await fresh.accepted({ account: 'main' });
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica');
    const copy = (table: string, changes: string, count: number) =>
      `INSERT INTO ${table} OVERRIDING SYSTEM VALUE SELECT made.* FROM ${table} model, generate_series(1, ${count}) n,
         jsonb_populate_record(model, jsonb_build_object(${changes})) made WHERE model.file_id = '${model}'`;
    // Finished files, and one with many batches, the last few of which wait.
    await client.query(
      `${copy('file', `'file_no', -n, 'file_id', 'done' || n, 'state', 'completed', 'sha256', n`, 3_000)};
       ${copy('batch', `'file_id', 'done' || n, 'state', 'reconciled', 'batch_id', -n`, 3_000)};
       ${copy('batch', `'batch_no', n + 1, 'state', CASE WHEN n < 20000 THEN 'submitted' ELSE 'ready' END, 'batch_id', n`, 20_003)};
       INSERT INTO payment_row SELECT f, n, (n + 9) / 10, 'x', 'x', 1, 'x'
         FROM unnest(ARRAY[${fileNo}, ${fileNo} + 1]) f, generate_series(11, 10000) n ORDER BY n;
       INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, call)
         SELECT file_id, batch_no, 1, 'x', 'x', 1, state_at, gen_random_uuid() FROM batch;
       UPDATE batch SET state = 'submitted' WHERE batch_no = 1 AND file_id = '${model}'`,
    );
    // By another connection, which does not see those rows yet.
    await fresh.ledger.pool.query(meanwhile);
    await client.query('COMMIT');
    await client.query('BEGIN');
    // Earlier reads count as well until the server has flushed them.
    const readsSoFar = async () => (await client.query<{ reads: number }>(READ)).rows[0]!.reads;
    const before = await readsSoFar();
    const { rows: asked } = await client.query<{ next: string; rows: number; unknown: number[] }>(ASK, [
      'main',
      model,
      fileNo,
    ]);
    const reads = (await readsSoFar()) - before;
    await client.query('ROLLBACK');
    expect(asked).toMatchObject([{ next: `${model}20001`, rows: 10, unknown: [2, 3, 4] }]);
    expect(reads).toBeGreaterThan(0);
    expect(reads).toBeLessThan(30);
  } finally {
    client.release(true);
    await fresh.close();
  }
});
