import { beforeAll, describe, expect, it } from 'vitest';
import { dueAccounts, dueBatches, dueFiles } from '../../../src/ledger/batch/due-work.ts';
import type { Due } from '../../../src/ledger/stage/taken.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { addManyFiles, countRead, keepStatistics } from '../../support/many-files.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
beforeAll(() => addManyFiles(world, 1_000));

describe.each(['with', 'without'] as const)('%s statistics', (statistics) => {
  beforeAll(() => keepStatistics(world, statistics));

  it.each<[string, () => Due]>([
    ['files to check', () => dueFiles(world.ledger, 'intake')],
    ['files to deliver', () => dueFiles(world.ledger, 'deliver')],
    ['batches to poll', () => dueBatches(world.ledger)],
    ['accounts to send', () => dueAccounts(world.ledger, ['main'])],
  ])('a look for %s reads few rows among many files that are finished or wait', async (_what, look) => {
    const { due, asked } = look();
    const read = await countRead(world.ledger, (client) =>
      client.query('SELECT * FROM find_due($1, $2, 41)', [due, asked]),
    );
    expect(read).toBeLessThan(20);
  });
});
