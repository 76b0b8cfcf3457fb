import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBatchIds, readWaiting } from '../../../src/ledger/doubt/find-batches-holding.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('readBatchIds', () => {
  it('gives the ids of all accounts that are asked about, the newest first', async () => {
    const one = await world.batchIn('submitted', { account: 'one' });
    const other = await world.batchIn('reconciled', { account: 'other' });
    await world.batchIn('submitted', { account: 'stranger' });
    await world.force(`UPDATE batch SET submitted_at = now() - interval '1 h' WHERE file_id = $1`, [one.file_id]);
    await world.force('UPDATE batch SET submitted_at = now() WHERE file_id = $1', [other.file_id]);
    const known = await readBatchIds(world.ledger, ['one', 'other']);
    expect(known.ids).toEqual([other.batch_id, one.batch_id]);
    expect(known.isCalling).toBe(false);
    expect(await known.isKnown(one.batch_id!)).toBe(true);
    expect(await known.isKnown('never given')).toBe(false);
  });

  it.each(['preparing', 'sending', 'unknown'] as const)('sees a call that is %s', async (state) => {
    await world.batchIn(state, { account: state });
    expect((await readBatchIds(world.ledger, ['quiet', state])).isCalling).toBe(true);
  });

  it('counts calls without an id since the newest one, and none that were forgotten before it', async () => {
    const { file_id: fileId } = await world.batchIn('submitted', { account: 'restored' });
    await world.force('UPDATE batch SET submitted_at = now() WHERE file_id = $1', [fileId]);
    for (const [call, when] of [
      ['long ago', `now() - interval '1 h'`],
      ['since', `now() + interval '1 s'`],
    ])
      await world.force(
        `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, sha256, at, since) VALUES ($1, 1, 1, 'restored', '', ${when}, now())`,
        [call],
      );
    expect((await readBatchIds(world.ledger, ['restored'])).withoutId).toBe(1);
  });

  it('sees that a call was made', async () => {
    const before = await readBatchIds(world.ledger, ['caller']);
    await world.sending({ account: 'caller' });
    expect((await readBatchIds(world.ledger, ['caller'])).calls).toBeGreaterThan(before.calls);
  });
});

it('readWaiting gives what would be sent next, in its order', async () => {
  const { file_id: first } = await world.accepted({ account: 'waiting', batches: 2 });
  const { file_id: second } = await world.batchIn('refused', { account: 'waiting' });
  await world.batchIn('submitted', { account: 'waiting' });
  const waiting = await readWaiting(world.ledger, 'waiting');
  expect(waiting.map(({ batch }) => [batch.file_id, batch.batch_no])).toEqual([
    [first, 1],
    [first, 2],
    [second, 1],
  ]);
  expect(waiting[0]!.layout).toBeTruthy();
});
