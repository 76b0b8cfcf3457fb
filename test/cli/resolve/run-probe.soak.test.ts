import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runProbe } from '../../../src/cli/resolve/run-probe.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { contextAt, doubtfulBatch, resultOf } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('runProbe', () => {
  it('prints the line that adopts the id that matches, and the ids that are near or known', async () => {
    await world.batchIn('reconciled', { account: 'main', name: 'earlier.csv' });
    await world.force(`UPDATE batch SET batch_id = '1001', submitted_at = '2026-06-15T09:00:00Z'`);
    const batch = await doubtfulBatch(world, { account: 'main' });
    const answers = { 1002: resultOf(batch), 1003: resultOf(batch, [2]), 1004: { kind: 'running', text: '' } as const };
    const context = await contextAt(world, batch, { answers });
    const said = await runProbe(context, { from: '1001', to: '1004' }, '/srv/pay');
    expect(said).toMatchObject({ status: 0, json: { verb: 'probe', matches: ['1002'], from: '1001', to: '1004' } });
    expect(said.text).toContain(`--dir /srv/pay resolve ${batch.file_id}/1 --adopt 1002`);
    expect(said.text).toMatch(/^1001 is batch \w+\/1 of earlier\.csv\.$/m);
    expect(said.text).toMatch(/^1003 holds 1 of its rows, but not all/m);
    expect(said.text).toMatch(/^1004 is not done yet/m);
  });

  it('takes the range from the batches around it when none is given', async () => {
    const batch = await doubtfulBatch(world, { account: 'lonely' });
    const gateway = { fetchBatchResult: async () => ({ kind: 'failed', why: 'down' }) as const };
    const context = await contextAt(world, batch, { gateway });
    await expect(runProbe(context, undefined, '.')).rejects.toThrow('the account has no other batch to go by');
    await world.batchIn('reconciled', { account: 'lonely' });
    await world.force(
      `UPDATE batch SET batch_id = '2001', submitted_at = '2026-06-15T09:00:00Z' WHERE account = 'lonely' AND state = 'reconciled'`,
    );
    const said = await runProbe(context, undefined, '.');
    expect(said).toMatchObject({ status: 4, json: { from: '2002', to: '2051', matches: [] } });
    expect(said.text).toMatch(/Stopped early: [^]*No id of the range is that of the batch\. Nothing was changed\./);
  });

  it('warns when the batch was taken twice, which nobody may adopt without asking', async () => {
    const batch = await doubtfulBatch(world, { account: 'twice' });
    const context = await contextAt(world, batch, { answers: { 31: resultOf(batch), 32: resultOf(batch) } });
    const said = await runProbe(context, { from: '31', to: '32' }, '.');
    expect(said).toMatchObject({ status: 4, json: { matches: ['31', '32'] } });
    expect(said.text).toContain('The service has taken the batch more than once.');
  });
});
