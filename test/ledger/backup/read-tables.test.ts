import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { readTables } from '../../../src/ledger/backup/write-backup.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

async function read() {
  const client = await world.ledger.pool.connect();
  return readTables(client).finally(() => client.release());
}

it('readTables names every table with its columns, each behind those that it refers to', async () => {
  const tables = await read();
  const { rows } = await world.ledger.pool.query(
    `SELECT tablename FROM pg_tables WHERE schemaname = 'paydrop' ORDER BY tablename`,
  );
  const names = tables.map(({ table }) => table);
  expect([...names].sort()).toEqual(rows.map((row) => row.tablename));
  expect(names.indexOf('file')).toBeLessThan(names.indexOf('batch'));
  expect(names.indexOf('batch')).toBeLessThan(names.indexOf('sealed_part'));
  expect(names.indexOf('journal_report')).toBeLessThan(names.indexOf('row_finding'));
  expect(tables.find(({ table }) => table === 'vault_key')?.columns).toEqual(['name', 'wrapped']);
});

it('readTables does not go on for ever when tables refer to each other', async () => {
  await world.ledger.pool.query(`CREATE TABLE a (x int PRIMARY KEY); CREATE TABLE b (x int PRIMARY KEY REFERENCES a);
    ALTER TABLE a ADD FOREIGN KEY (x) REFERENCES b`);
  await expect(read()).rejects.toThrow('in a circle');
});
