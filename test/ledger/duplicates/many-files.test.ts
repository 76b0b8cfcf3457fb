import { beforeAll, expect, it } from 'vitest';
import {
  findSameContent,
  findSameName,
  findSameRows,
  findSameTotals,
  readLastSizes,
} from '../../../src/ledger/duplicates/find-duplicate.ts';
import { ask, type Question } from '../../../src/ledger/engine/ask.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { addManyFiles, countRead } from '../../support/many-files.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
let file: FileRow;
beforeAll(async () => {
  await addManyFiles(world, 1_000);
  file = await world.accepted({ account: 'main' });
});

const since = new Date('2026-01-01T00:00:00Z');

it.each<[string, () => Question<unknown>]>([
  ['same content', () => findSameContent([{ file: { ...file, sha256: 'new' } }])],
  ['same name', () => findSameName([{ ...file, name: 'new.csv', sha256: 'new' }])],
  ['same rows', () => findSameRows([{ file, rowSet: 'new' }])],
  ['same totals', () => findSameTotals([{ file, totals: { rows: 2, cents: 77_777_777, since } }])],
  ['last sizes', () => readLastSizes([{ file, folder: file.folder }])],
])('the question about the %s reads few rows among many files of the merchant', async (_what, question) => {
  expect(await countRead(world.ledger, (client) => ask(client, question()))).toBeLessThan(50);
});
