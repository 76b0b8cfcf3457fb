import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { type Ledger, openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { type ListPage, openSnapshot } from '../../../src/ledger/engine/list-page.ts';
import { countFiles, type FileFilter, type FileOrder, listFiles } from '../../../src/ledger/file/list-files.ts';
import { FORGET_STATISTICS } from '../../support/force-sql.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { startTestPostgres, type TestPostgres, urlOf } from '../../support/postgres.ts';

const world = openedForTests(openTestLedger);
beforeEach(() => world.empty());

const INDEX_OF: Readonly<Record<FileOrder, string>> = {
  time: 'file_file_no_key',
  amount: 'file_by_amount',
  name: 'file_by_lower_name',
  account: 'file_by_account',
};

/** Returns how the server reads a page. */
async function planOf(page: ListPage<FileOrder>, filter: FileFilter = {}): Promise<string> {
  const query = (sql: string, values: unknown[]) => world.ledger.pool.query(`EXPLAIN ${sql}`, values);
  const lines = (await listFiles({ pool: { query } as never }, filter, page)) as unknown as { 'QUERY PLAN': string }[];
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

describe('pageSql', () => {
  const names = async (filter: FileFilter = {}, page: Partial<ListPage<FileOrder>> = {}) =>
    (await listFiles(world.ledger, filter, { limit: 10, ...page })).map((file) => file.name);

  it.each<[FileOrder, boolean, string[]]>([
    ['amount', true, ['c', 'B', 'd', 'a']],
    ['amount', false, ['a', 'd', 'B', 'c']],
    ['name', false, ['a', 'B', 'c', 'd']],
    ['name', true, ['d', 'c', 'B', 'a']],
    ['account', false, ['a', 'c', 'B', 'd']],
    ['account', true, ['d', 'B', 'c', 'a']],
    ['time', false, ['a', 'B', 'c', 'd']],
  ])('sorts by %s, page by page in both directions: %s', async (order, isDescending, expected) => {
    const sums = { a: null, B: 500, c: 500, d: 100 };
    for (const [name, cents] of Object.entries(sums)) {
      const { file_id: id } = await world.claimed({ name, account: 'ac'.includes(name) ? 'main' : 'other' });
      await world.force('UPDATE file SET valid_cents = $2 WHERE file_id = $1', [id, cents]);
    }
    const sorted = { order, isDescending };
    expect(await names({}, sorted)).toEqual(expected);
    const numbers = (await listFiles(world.ledger, {}, { ...sorted, limit: 4 })).map((file) => file.file_no);
    for (let at = 0; at < 4; at += 1) {
      expect(await names({}, { ...sorted, after: numbers[at], limit: 2 })).toEqual(expected.slice(at + 1, at + 3));
      expect(await names({}, { ...sorted, before: numbers[at], limit: 2 })).toEqual(
        expected.slice(Math.max(0, at - 2), at),
      );
    }
  });

  it('reads a page by the index of its order, whether or not the server has counted the files', async () => {
    await world.accepted({ name: 'a.csv' });
    await world.force(
      `INSERT INTO file OVERRIDING SYSTEM VALUE
       SELECT (jsonb_populate_record(f, jsonb_build_object('file_no', 1000 + n, 'file_id', 'many' || n, 'sha256', n,
         'name', 'file ' || n, 'account', 'account ' || n % 7, 'valid_cents', n % 1000))).*
       FROM file f, generate_series(1, 3000) n`,
    );
    for (const prepare of [FORGET_STATISTICS, 'ANALYZE file']) {
      await world.force(prepare);
      for (const [order, index] of Object.entries(INDEX_OF) as [FileOrder, string][]) {
        for (const isDescending of [false, true])
          expect(await planOf({ order, isDescending, after: 2_000, limit: 51 }), prepare).toContain(`using ${index} `);
      }
      expect(await planOf({ limit: 51 }, { needsAttention: true }), prepare).toContain('Index Cond: (file_id = ANY');
    }
  });
});

describe('openSnapshot', () => {
  it('shows the ledger as it was, to several questions at once, and gives its connection back', async () => {
    await world.claimed({ name: 'before.csv' });
    const { ledger, close } = await openSnapshot(world.ledger);
    await countFiles(ledger, {}, 10);
    await world.claimed({ name: 'after.csv' });
    const counts = await Promise.all([1, 2, 3].map(() => countFiles(ledger, {}, 10)));
    expect(counts).toEqual([1, 1, 1]);
    expect(await countFiles(world.ledger, {}, 10)).toBe(2);
    const { idleCount } = world.ledger.locks;
    await close();
    expect(world.ledger.locks.idleCount).toBe(idleCount + 1);
  });

  it('goes on after a question that fails, and ends cleanly', async () => {
    const { ledger, close } = await openSnapshot(world.ledger);
    await expect(ledger.pool.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
    await expect(countFiles(ledger, {}, 10)).rejects.toThrow('transaction is aborted');
    await close();
    expect(await countFiles(world.ledger, {}, 10)).toBe(0);
  });
});

describe('text in indexes', () => {
  /** Key columns that an index sorts by a collation which an operating system could change. */
  const SORTED_OTHERWISE = `
    SELECT i.indexrelid::regclass::text AS index, o.collname AS collation
    FROM pg_class t JOIN pg_index i ON i.indrelid = t.oid
      CROSS JOIN LATERAL unnest(i.indcollation::oid[], i.indclass::oid[]) u (sorted_by, class)
      JOIN pg_collation o ON o.oid = u.sorted_by JOIN pg_opclass c ON c.oid = u.class
    WHERE t.relnamespace = 'paydrop'::regnamespace AND c.opcname <> 'text_pattern_ops' AND o.collname <> 'C'`;

  let postgres: TestPostgres;
  let ledger: Ledger;
  const admin = async (sql: string) => {
    const client = new pg.Client(postgres.connection);
    await client.connect();
    await client.query(sql);
    await client.end();
  };
  beforeAll(async () => {
    postgres = await startTestPostgres({ schema: 'empty' });
    const database = `${postgres.connection.database}_icu`;
    await admin(
      `CREATE DATABASE ${database} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
    );
    const url = urlOf({ ...postgres.connection, database });
    ledger = await openLedger({ url }, { clock: systemClock, log: silentLog() });
  });
  afterAll(async () => {
    await ledger.close();
    await admin(`DROP DATABASE ${postgres.connection.database}_icu WITH (FORCE)`);
    await postgres.stop();
  });

  it('is compared by bytes in a database of another collation, so no update of a system spoils an index', async () => {
    const { rows: order } = await ledger.pool.query(`SELECT 'a' < 'B' AS "isEnglish"`);
    expect(order).toEqual([{ isEnglish: true }]);
    expect((await ledger.pool.query(SORTED_OTHERWISE)).rows).toEqual([]);
  });

  it('is compared by bytes in the embedded database, by its own collation', async () => {
    const { rows } = await world.ledger.pool.query<{ provider: string; order: boolean }>(
      `SELECT datlocprovider AS provider, 'a' > 'B' AS order FROM pg_database WHERE datname = current_database()`,
    );
    const others = (await world.ledger.pool.query(SORTED_OTHERWISE)).rows;
    expect(rows[0]!.provider === 'b' ? rows[0]!.order : others.length === 0).toBe(true);
  });

  it('has the triggers and views that were there before', async () => {
    const sql = `SELECT tgname AS name FROM pg_trigger WHERE NOT tgisinternal
      UNION ALL SELECT viewname FROM pg_views WHERE schemaname = 'paydrop' ORDER BY 1`;
    expect((await ledger.pool.query(sql)).rows).toEqual((await world.ledger.pool.query(sql)).rows);
  });
});
