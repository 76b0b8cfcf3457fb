import type { PoolClient } from 'pg';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import { FORGET_STATISTICS } from './force-sql.ts';
import type { LedgerWorld } from './ledger-world.ts';

/**
 * Adds many files of one merchant, all unlike each other: every other one is finished, the others were accepted and wait for
 * their batch to be sent. Their notices are written.
 */
export async function addManyFiles(world: LedgerWorld, count: number): Promise<void> {
  const { file_id: fileId } = await world.accepted({ account: 'main' });
  const isDone = 'n % 2 = 0';
  await world.force(
    `INSERT INTO file OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(f, jsonb_build_object('file_id', 'many' || n,
       'file_no', 1000000 + n, 'sha256', 'many' || n, 'name', 'many' || n || '.csv', 'valid_cents', 1000 + n,
       'state', CASE WHEN ${isDone} THEN 'completed' ELSE 'accepted' END))).*
     FROM file f, generate_series(1, ${count}) n WHERE f.file_id = $1`,
    [fileId],
  );
  await world.force(
    `INSERT INTO batch SELECT (jsonb_populate_record(b, jsonb_build_object('file_id', 'many' || n,
       'state', CASE WHEN ${isDone} THEN 'reconciled' ELSE 'ready' END,
       'batch_id', CASE WHEN ${isDone} THEN 'many' || n END,
       'next_recheck_at', CASE WHEN ${isDone} THEN now() + interval '1 day' END))).*
     FROM batch b, generate_series(1, ${count}) n WHERE b.file_id = $1 AND b.batch_no = 1`,
    [fileId],
  );
  await world.force(
    `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at)
     SELECT 'many' || n, kind, 'n', 'x', 1, 1, now() FROM generate_series(1, ${count}) n, unnest(ARRAY['ack', 'result']) kind
     WHERE kind = 'ack' OR ${isDone}`,
  );
  await keepStatistics(world, 'with');
}

/** Sets whether the server knows how many rows its tables have; it does not in a young ledger. */
export async function keepStatistics(world: LedgerWorld, statistics: 'with' | 'without'): Promise<void> {
  await world.force(statistics === 'with' ? 'ANALYZE file, batch, output' : FORGET_STATISTICS);
  // `force` notes all files.
  await world.ledger.pool.query('DELETE FROM delivery');
}

/** Returns how many rows of the large tables the server reads for some queries. */
export async function countRead(
  { pool }: Pick<Ledger, 'pool'>,
  work: (client: PoolClient) => Promise<unknown>,
): Promise<number> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    const before = await readSoFar(client);
    await work(client);
    const after = await readSoFar(client);
    await client.query('ROLLBACK');
    return after - before;
  } finally {
    client.release();
  }
}

/** Also counts rows that the session read before, until the server has passed them on. */
async function readSoFar(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ read: number }>(
    `SELECT sum(seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables
     WHERE relname IN ('file', 'batch', 'output', 'row_change', 'delivery', 'file_secret')`,
  );
  return rows[0]!.read;
}
