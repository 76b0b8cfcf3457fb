import type pg from 'pg';
import { PipelineError } from '../../kernel/errors.ts';
import { SEARCH_PATH } from './schema.ts';
import type { Queryable } from './transaction.ts';

/** PostgreSQL could not get a lock in time. */
export const LOCK_NOT_AVAILABLE = '55P03';

/**
 * Runs `work` in a transaction that locks the schema. Meanwhile no other process builds it or opens the ledger, except
 * `asIs`, because opening begins with this lock.
 * @throws PipelineError LEDGER_UNREACHABLE when our settings do not reach the connection
 */
export async function inSchemaLock<Result>(client: pg.ClientBase, work: () => Promise<Result>): Promise<Result> {
  try {
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtext('paydrop.migrate'))`);
    await checkSession(client);
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** A setting of our own, which no database or role has. */
export const OUR_SESSION = 'paydrop.session';

/**
 * Checks that our session settings arrived. `options` in the address replace ours (open-ledger.ts), and a pooler drops
 * them. Then an empty ledger would be created in another schema. Commits might not wait for the disk, and locks would
 * belong to no particular process.
 * @throws PipelineError LEDGER_UNREACHABLE
 */
export async function checkSession(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ isOurs: boolean }>(
    `SELECT current_setting($1, true) = 'on' AND current_setting('search_path') = $2 AS "isOurs"`,
    [OUR_SESSION, SEARCH_PATH],
  );
  if (rows[0]?.isOurs) return;
  throw new PipelineError('LEDGER_UNREACHABLE', 'open the ledger', 'its sessions do not use the settings of paydrop', {
    next: 'Remove "options" from DATABASE_URL, and name the database itself there, not a pooler such as PgBouncer.',
  });
}

/** Returns whether nothing can be written in this session: the server is a standby, or someone made it read-only. */
export async function isReadOnly(client: Queryable): Promise<boolean> {
  const { rows } = await client.query<{ mode: string }>(`SELECT current_setting('transaction_read_only') AS mode`);
  return rows[0]?.mode === 'on';
}
