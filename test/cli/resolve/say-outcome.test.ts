import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeBatch, sayOutcome } from '../../../src/cli/resolve/say-outcome.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { contextAt } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('sayOutcome', () => {
  it('says what was done and that the account goes on, unless something else holds it', async () => {
    const batch = await world.batchIn('reconciled', { account: 'main', name: 'monday.csv' });
    const context = await contextAt(world, batch);
    expect(describeBatch(context)).toBe('Batch 1 of monday.csv (2 rows, 5.00)');
    const done = await sayOutcome(context, 'journal', { result: 'done' }, 'settled.', { more: 1 });
    expect(done).toEqual({
      status: 0,
      text:
        'Batch 1 of monday.csv (2 rows, 5.00): settled.\n' +
        'Account main goes on by itself, in a paydrop that runs or by "paydrop run --once".',
      json: {
        batch: `${batch.file_id}/1`,
        fileId: batch.file_id,
        batchNo: 1,
        name: 'monday.csv',
        verb: 'journal',
        result: 'done',
        state: 'reconciled',
        attempt: 1,
        more: 1,
      },
    });
    await pauseAccount(world.ledger, 'main', { actor: 'operator:ada', reason: 'lunch' });
    const held = await sayOutcome(context, 'journal', { result: 'done' }, 'settled.');
    expect(held.text).toContain('Account main still waits; see "paydrop account list".');
  });

  it('says what would be done, and what waits for a second person', async () => {
    const context = await contextAt(world, await world.batchIn('unknown'));
    const tried = await sayOutcome(context, 'adopt', { result: 'dry-run' }, 'adopted.');
    expect(tried).toMatchObject({ status: 0, text: expect.stringMatching(/^Dry run, nothing was changed\. Batch 1/) });
    const proposed = await sayOutcome(context, 'adopt', { result: 'proposed', proposalNo: 7 }, 'adopted.');
    expect(proposed).toMatchObject({ status: 4, json: { proposalNo: 7, state: 'unknown' } });
    expect(proposed.text).toMatch(/^Proposed as number 7, nothing is done yet\.[^]*"paydrop confirm 7"/);
  });
});
