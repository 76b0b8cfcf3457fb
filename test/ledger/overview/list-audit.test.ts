import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { listAudit, readAuditHead } from '../../../src/ledger/overview/list-audit.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
let fileId: string;
beforeAll(async () => {
  world = await openTestLedger();
  fileId = (await world.accepted()).file_id;
  world.clock.advance(60_000);
  await pauseAccount(world.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
  await pauseAccount(world.ledger, 'spare', { actor: 'operator:bob', reason: 'wait' });
});
afterAll(() => world.close());

const later = new Date(Date.parse(START) + 60_000);

describe('listAudit', () => {
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
  ])('lists the links of %s, the oldest first', async (_what, filter, moves) => {
    const wanted = typeof filter === 'function' ? filter() : filter;
    const links = await listAudit(world.ledger, { limit: 100, ...wanted });
    expect(links.map((link) => link.move)).toEqual(moves);
    expect(links.map((link) => link.seq)).toEqual(links.map((link) => link.seq).toSorted((one, other) => one - other));
  });
});

describe('readAuditHead', () => {
  it('says how long the chain is and its last hash', async () => {
    expect(await readAuditHead(world.ledger)).toEqual({ seq: 4, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
  });
});
