import { beforeAll, expect, it } from 'vitest';
import { dueAccounts, dueBatches, dueFiles } from '../../../src/ledger/batch/due-work.ts';
import type { Due } from '../../../src/ledger/stage/taken.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

/** A file is finished, or was accepted and waits for its batch to be sent. */
const FILES = 1_000;

/** Returns how many rows of the large tables the server reads to answer. */
async function countRead({ due, asked }: Due): Promise<number> {
  const client = await world.ledger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT * FROM find_due($1, $2, 41)', [due, asked]);
    const { rows } = await client.query<{ read: number }>(
      `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables
       WHERE relname IN ('file', 'batch', 'output', 'row_change', 'delivery')`,
    );
    await client.query('ROLLBACK');
    return rows[0]!.read;
  } finally {
    client.release();
  }
}

beforeAll(async () => {
  const { file_id: fileId } = await world.accepted();
  const isDone = `n % 2 = 0`;
  await world.force(
    `INSERT INTO file OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(f, jsonb_build_object('file_id', 'many' || n,
       'file_no', 1000000 + n, 'sha256', 'many' || n, 'state', CASE WHEN ${isDone} THEN 'completed' ELSE 'accepted' END))).*
     FROM file f, generate_series(1, ${FILES}) n WHERE f.file_id = $1`,
    [fileId],
  );
  await world.force(
    `INSERT INTO batch SELECT (jsonb_populate_record(b, jsonb_build_object('file_id', 'many' || n,
       'state', CASE WHEN ${isDone} THEN 'reconciled' ELSE 'ready' END,
       'batch_id', CASE WHEN ${isDone} THEN 'many' || n END,
       'next_recheck_at', CASE WHEN ${isDone} THEN now() + interval '1 day' END))).*
     FROM batch b, generate_series(1, ${FILES}) n WHERE b.file_id = $1 AND b.batch_no = 1`,
    [fileId],
  );
  await world.force(
    `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at)
     SELECT 'many' || n, kind, 'n', 'x', 1, 1, now() FROM generate_series(1, ${FILES}) n, unnest(ARRAY['ack', 'result']) kind
     WHERE kind = 'ack' OR ${isDone}`,
  );
});

it.each<[string, () => Due]>([
  ['files to check', () => dueFiles(world.ledger, 'intake')],
  ['files to deliver', () => dueFiles(world.ledger, 'deliver')],
  ['batches to poll', () => dueBatches(world.ledger)],
  ['accounts to send', () => dueAccounts(world.ledger, ['main'])],
])('a look for %s reads few rows among many files that are finished or wait', async (_what, due) => {
  expect(await countRead(due())).toBeLessThan(20);
});
