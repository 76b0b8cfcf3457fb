import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { keepFunctions, migrate } from '../../../src/ledger/engine/migrate.ts';
import { FUNCTIONS_SCHEMA, SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';
import { openTestPool, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';

/** Each version makes its own functions, and drops those of another only when no process uses them. */
let postgres: TestPostgres;
let pool: pg.Pool;
beforeAll(async () => {
  postgres = await startTestPostgres({ schema: 'empty' });
  const options = `-c paydrop.session=on -c search_path=${SEARCH_PATH}`;
  pool = openTestPool({ ...postgres.connection, options });
});
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

async function run(): Promise<void> {
  const client = await pool.connect();
  await migrate(client).finally(() => client.release());
}

describe('the functions of a version', () => {
  it('makes the functions anew where they are missing, and drops those that no process uses', async () => {
    await run();
    const user = await pool.connect();
    onTestFinished(() => user.release(true));
    for (const name of ['paydrop_f_000000000001', 'paydrop_f_000000000002']) await pool.query(`CREATE SCHEMA ${name}`);
    await user.query(`SELECT pg_advisory_lock_shared(7006, hashtext('paydrop_f_000000000001'))`);
    await pool.query(`DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`);
    await run();
    const listed = async () =>
      (await pool.query(`SELECT nspname FROM pg_namespace WHERE nspname LIKE 'paydrop\\_f\\_%' ORDER BY 1`)).rows;
    expect(await listed()).toEqual(
      ['paydrop_f_000000000001', FUNCTIONS_SCHEMA].toSorted().map((nspname) => ({ nspname })),
    );
    await user.query('SELECT pg_advisory_unlock_all()');
    await pool.query(`DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`);
    await run();
    expect(await listed()).toEqual([{ nspname: FUNCTIONS_SCHEMA }]);
  });

  it('keeps the functions of a process that lives, and makes them again when it comes back', async () => {
    await run();
    const client = await pool.connect();
    await pool.query(`DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`);
    await keepFunctions(client);
    const { rows } = await client.query(
      `SELECT to_regnamespace($1) IS NOT NULL AS made,
         EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 7006 AND mode = 'ShareLock') AS kept`,
      [FUNCTIONS_SCHEMA],
    );
    await client.query('SELECT pg_advisory_unlock_all()');
    client.release();
    expect(rows).toEqual([{ made: true, kept: true }]);
  });
});
