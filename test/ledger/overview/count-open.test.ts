import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import {
  countOpenBatches,
  countOpenFiles,
  OPEN_BATCH_STATES,
  OPEN_FILE_STATES,
} from '../../../src/ledger/overview/count-open.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
beforeEach(() => world.empty());
afterAll(() => world.close());

describe('countOpenFiles', () => {
  it.each(Object.keys(FILE_STATES) as FileState[])('counts a file that is %s only while it is open', async (state) => {
    const file = await world.accepted({ account: 'main' });
    await world.putFile(file.file_id, state);
    const isOpen = OPEN_FILE_STATES.some((open) => open === state);
    const counted = { account: 'main', state, count: 1, oldestAt: new Date(START) };
    expect(await countOpenFiles(world.ledger)).toEqual(isOpen ? [counted] : []);
  });

  it('tells accounts and states apart, and since when the oldest of each waits', async () => {
    await world.held({ account: 'main' });
    world.clock.advance(60_000);
    await world.held({ account: 'main' });
    await world.held({ account: 'side' });
    await world.claimed({ account: 'main' });
    const later = new Date(new Date(START).getTime() + 60_000);
    expect(await countOpenFiles(world.ledger)).toEqual([
      { account: 'main', state: 'claimed', count: 1, oldestAt: later },
      { account: 'main', state: 'held', count: 2, oldestAt: new Date(START) },
      { account: 'side', state: 'held', count: 1, oldestAt: later },
    ]);
  });
});

describe('countOpenBatches', () => {
  it.each(Object.keys(BATCH_STATES) as BatchState[])('counts a batch that is %s unless it is final', async (state) => {
    const batch = await world.batchIn(state, { account: 'main' });
    const isOpen = OPEN_BATCH_STATES.some((open) => open === state);
    const counted = { account: 'main', state, count: 1, oldestAt: batch.state_at };
    expect(await countOpenBatches(world.ledger)).toEqual(isOpen ? [counted] : []);
  });

  it('leaves out what is final and nothing else', () => {
    expect(Object.keys(BATCH_STATES).filter((state) => !OPEN_BATCH_STATES.some((open) => open === state))).toEqual([
      'reconciled',
      'cancelled',
    ]);
  });
});
