import { expect, it } from 'vitest';
import { dataFolderOf, logFileOf } from '../../../src/ledger/postgres/cluster.ts';

it('dataFolderOf and logFileOf stand beside each other in the home folder', () => {
  const place = { dataDir: '/d', home: '/d/postgres', user: undefined };
  expect(dataFolderOf(place)).toBe('/d/postgres/data');
  expect(logFileOf(place)).toBe('/d/postgres/server.log');
});
