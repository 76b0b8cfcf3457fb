import { expect, it } from 'vitest';
import { inVersionOrder, listMigrations, readMigration, TABLES } from '../../../src/ledger/engine/schema.ts';

it('inVersionOrder sorts by the numbers of a version, not by its letters', () => {
  expect(inVersionOrder(['0.10.0', '0.2.0', '1.0.0', '0.9.1', '0.1.0'])).toEqual([
    '0.1.0',
    '0.2.0',
    '0.9.1',
    '0.10.0',
    '1.0.0',
  ]);
});

it('the first version is made of the tables as they are, until a later one keeps a copy', () => {
  expect(listMigrations()[0]).toBe('0.1.0');
  expect(readMigration('0.1.0')).toBe(TABLES);
});
