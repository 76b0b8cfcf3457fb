import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { declareNotReceived } from '../../../src/actions/resolve/declare-not-received.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { DAY_MS, contextAt, doubtfulBatch } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const WORDS = { evidence: 'Ann, ticket 4711', reason: 'never arrived' };

describe('declareNotReceived', () => {
  it('is possible from the end of the waiting time on, with the evidence in the audit trail', async () => {
    const batch = await doubtfulBatch(world);
    const context = await contextAt(world, batch);
    world.clock.advance(DAY_MS - 1);
    await expect(declareNotReceived(context, WORDS)).rejects.toThrow('the service may still book it');
    world.clock.advance(1);
    expect(await declareNotReceived(context, WORDS)).toEqual({ result: 'done' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'ready', attempt: 2 });
    const link = { move: 'absolve', reason: WORDS.reason, evidence: { evidence: WORDS.evidence, waitMs: DAY_MS } };
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject(link);
  });

  it.each(['', 'yes', 'it is', '- - - -'])('does not take "%s" for evidence', async (evidence) => {
    const batch = await doubtfulBatch(world);
    world.clock.advance(DAY_MS);
    const done = declareNotReceived(await contextAt(world, batch), { ...WORDS, evidence });
    await expect(done).rejects.toThrow('the evidence is too short');
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });
});
