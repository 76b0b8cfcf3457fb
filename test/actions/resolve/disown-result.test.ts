import { describe, expect, it } from 'vitest';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { disownResult } from '../../../src/actions/resolve/disown-result.ts';
import { keyOf, openTestLedger } from '../../support/ledger-world.ts';
import { contextAt } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('disownResult', () => {
  it('puts an exception in doubt; a dry run leaves it', async () => {
    const batch = await world.batchIn('exception');
    const context = await contextAt(world, batch);
    expect(await disownResult({ ...context, dryRun: true }, 'of another file')).toEqual({ result: 'dry-run' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await disownResult(context, 'of another file')).toEqual({ result: 'done' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown', batch_id: null });
  });

  it('is refused for a batch whose result fits', async () => {
    const context = await contextAt(world, await world.batchIn('reconciled'));
    await expect(disownResult(context, 'of another file')).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});
