import { describe, expect, it } from 'vitest';
import { readBatchRow, readOutcomeTotals } from '../../../src/ledger/file/read-file.ts';
import { closeInDoubt } from '../../../src/actions/resolve/close-in-doubt.ts';
import { keyOf, openTestLedger } from '../../support/ledger-world.ts';
import { contextAt } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('closeInDoubt', () => {
  it.each(['unknown', 'exception'] as const)('makes every row of a batch that is %s UNKNOWN', async (state) => {
    const batch = await world.batchIn(state);
    const context = await contextAt(world, batch);
    expect(await closeInDoubt(context, 'nobody can say')).toEqual({ result: 'done' });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('reconciled');
    expect(await readOutcomeTotals(world.ledger, context.file.file_no)).toEqual({ unknown: { rows: 2, cents: 500 } });
  });

  it('is refused for a batch that is on its way', async () => {
    const context = await contextAt(world, await world.batchIn('submitted'));
    await expect(closeInDoubt(context, 'tired of waiting')).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});
