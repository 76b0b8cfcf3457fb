import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  FUNCTION_NAMES,
  inVersionOrder,
  listMigrations,
  readMigration,
  splitStatements,
  TABLES,
} from '../../../src/ledger/engine/schema.ts';

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

it('splitStatements reads a file with the line ends of Windows as any other, so that the hash is the same', () => {
  const folder = new URL('../../../schemas/ledger/', import.meta.url);
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'));
  for (const text of texts) expect(splitStatements(text.replaceAll('\n', '\r\n'))).toEqual(splitStatements(text));
  expect(texts.filter((text) => splitStatements(text).functions !== '').length).toBeGreaterThan(3);
});

it('FUNCTION_NAMES has those that are missed when they are not there', () => {
  expect(FUNCTION_NAMES).toEqual(expect.arrayContaining(['is_of_this_run', 'may_leave', 'append_audit']));
});
