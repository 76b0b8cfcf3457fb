import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { assignById } from '../../../src/actions/resolve/assign-batch-id.ts';
import { CARD } from '../../support/payment-rows.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { contextAt, doubtfulBatch, resultOf } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('assignById', () => {
  it('adopts the id under which every row matches, with the proof in the audit trail', async () => {
    const batch = await doubtfulBatch(world);
    const context = await contextAt(world, batch, { answers: { 9001: resultOf(batch) } });
    expect(await assignById({ ...context, dryRun: true }, '9001')).toEqual({ result: 'dry-run' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await assignById(context, '9001')).toEqual({ result: 'done' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'submitted', batch_id: '9001' });
    const evidence = { batchId: '9001', rows: 2, resultSha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ move: 'adopt', actor: 'operator:ada', evidence });
  });

  it('shows the rows that differ and changes nothing', async () => {
    const batch = await doubtfulBatch(world);
    const context = await contextAt(world, batch, { answers: { 9002: resultOf(batch, [2, 9]) } });
    const outcome = await assignById(context, '9002');
    expect(outcome).toMatchObject({ result: 'differs', differences: [expect.objectContaining({ position: 2 })] });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('is refused with its reason where there is nothing to compare', async () => {
    const batch = await doubtfulBatch(world, { account: 'shared' });
    const known = await world.batchIn('reconciled', { account: 'shared' });
    const context = await contextAt(world, batch, {
      answers: { busy: { kind: 'running', text: 'wait' }, down: { kind: 'failed', why: 'connection refused' } },
    });
    const reasons: [string, RegExp][] = [
      ['busy', /the service is still processing that batch\. Nothing was changed; try again/],
      ['down', /connection refused/],
      ['nobody', /the service does not know that id: no such batch/],
      ['has blanks', /that is not a batch id/],
      [known.batch_id!, /batch 1 of file .* has it/],
    ];
    for (const [id, words] of reasons) {
      const refused = assignById(context, id);
      await expect(refused, id).rejects.toMatchObject({ code: 'RESOLUTION_REFUSED' });
      await expect(refused, id).rejects.toThrow(words);
    }
    await expect(assignById(context, CARD)).rejects.toThrow(/^(?![^]*4222222222222220)/);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('asks the service nothing about a batch that is not in doubt', async () => {
    const batch = await world.batchIn('submitted');
    const context = await contextAt(world, batch, {
      gateway: { fetchBatchResult: () => Promise.reject(new Error('was asked')) },
    });
    await expect(assignById(context, '9003')).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});
