import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState, saidState } from '../../../schemas/lifecycle.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { listAudit, readAuditHead } from '../../../src/ledger/overview/list-audit.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import {
  countOpenBatches,
  countOpenFiles,
  OPEN_BATCH_STATES,
  OPEN_FILE_STATES,
  sumDoubt,
  sumHeld,
} from '../../../src/ledger/overview/overview.ts';

const world = openedForTests(openTestLedger);

beforeEach(() => world.empty());
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

describe('sumDoubt', () => {
  it('sums rows and cents of the batches in doubt per account, and no others', async () => {
    await world.batchIn('unknown', { account: 'main' });
    world.clock.advance(60_000);
    await world.batchIn('unknown', { account: 'main', rowsPerBatch: 3 });
    await world.batchIn('unknown', { account: 'side' });
    await world.batchIn('sending', { account: 'other' });
    await world.batchIn('refused', { account: 'other' });
    expect(await sumDoubt(world.ledger)).toMatchObject([
      { account: 'main', things: 2, rows: 5, cents: 500 + 900, oldestAt: new Date(START) },
      { account: 'side', things: 1, rows: 2, cents: 500 },
    ]);
  });

  it('is empty when nothing is in doubt', async () => {
    await world.batchIn('ready');
    expect(await sumDoubt(world.ledger)).toEqual([]);
  });
});

describe('sumHeld', () => {
  it('sums the valid rows of held files per account, and no others', async () => {
    await world.held({ account: 'main' });
    await world.held({ account: 'main', withheld: 2 });
    await world.accepted({ account: 'main' });
    expect(await sumHeld(world.ledger)).toEqual([
      { account: 'main', things: 2, rows: 4, cents: 1_000, oldestAt: new Date(START) },
    ]);
  });

  it('counts a held file of which nothing was read as 0 rows', async () => {
    const { file_id: fileId } = await world.claimed({ account: 'main' });
    await world.putFile(fileId, 'held');
    expect(await sumHeld(world.ledger)).toMatchObject([{ account: 'main', things: 1, rows: 0, cents: 0 }]);
  });
});

let fileId: string;
async function makeTrail(): Promise<void> {
  fileId = (await world.accepted()).file_id;
  world.clock.advance(60_000);
  await pauseAccount(world.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
  await pauseAccount(world.ledger, 'spare', { actor: 'operator:bob', reason: 'wait' });
}

const later = new Date(Date.parse(START) + 60_000);

describe('listAudit and readAuditHead', () => {
  beforeEach(makeTrail);

  it.each([
    ['everything', {}, ['claim', 'accept', 'pause-account', 'pause-account']],
    ['a file', () => ({ fileId }), ['claim', 'accept']],
    ['persons', { actor: 'operator:' }, ['pause-account', 'pause-account']],
    ['one person', { actor: 'operator:ada' }, ['pause-account']],
    ['a time on', { since: later }, ['pause-account', 'pause-account']],
    ['a later time on', { since: new Date(later.getTime() + 1) }, []],
    ['a time until a moment, without it', { until: later }, ['claim', 'accept']],
    ['the time between two moments', { since: new Date(START), until: later }, ['claim', 'accept']],
    ['the newest between two moments', { since: new Date(START), until: later, limit: 1 }, ['accept']],
    ['a move', { move: 'accept' }, ['accept']],
    ['a move of one person', { move: 'pause-account', actor: 'operator:bob' }, ['pause-account']],
    ['a person who did no such thing', { move: 'accept', actor: 'operator:bob' }, []],
    ['what came before a link', { before: 3 }, ['claim', 'accept']],
    ['what came just before a link', { before: 3, limit: 1 }, ['accept']],
    ['the newest', { limit: 1 }, ['pause-account']],
    ['a beginning that is no pattern', { actor: 'operator%' }, []],
  ])('listAudit lists the links of %s, the oldest first', async (_what, filter, moves) => {
    const wanted = typeof filter === 'function' ? filter() : filter;
    const links = await listAudit(world.ledger, { limit: 100, ...wanted });
    expect(links.map((link) => link.move)).toEqual(moves);
    expect(links.map((link) => link.seq)).toEqual(links.map((link) => link.seq).toSorted((one, other) => one - other));
  });

  it('readAuditHead says how long the chain is and its last hash', async () => {
    expect(await readAuditHead(world.ledger)).toEqual({ seq: 4, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
