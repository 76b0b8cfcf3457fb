import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addApiToken, revokeApiToken } from '../../../src/ledger/person/api-tokens.ts';
import { invitePerson } from '../../../src/ledger/person/invite-person.ts';
import { findExpiring } from '../../../src/ledger/retention/retention.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.parse(START) + days * DAY_MS);
const because = { actor: 'operator:test', reason: 'for the test' };

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
  for (const name of ['ada', 'bob']) {
    const link = { tokenHash: Buffer.from(name), expiresAt: inDays(1) };
    await invitePerson(world.ledger, { name, role: 'operator' }, link, because);
  }
  const add = (person: string, name: string, days: number) =>
    addApiToken(
      world.ledger,
      { person, name, actions: ['look'], tokenHash: Buffer.from(`${person} ${name}`), expiresAt: inDays(days) },
      because,
    );
  await add('ada', 'erp', 20);
  await add('ada', 'later', 31);
  await add('ada', 'ended', -1);
  await revokeApiToken(world.ledger, { tokenNo: await add('ada', 'revoked', 20), person: 'ada' }, because);
  await add('bob', 'of somebody who left', 20);
  await world.force(`UPDATE person SET disabled_at = made_at WHERE name = 'bob'`);
  for (const account of ['main', 'side', 'kept']) {
    const file = await world.accepted({ account });
    await world.putFile(file.file_id, 'completed');
  }
  await world.accepted({ account: 'open' });
});
afterAll(() => world.close());

describe('findExpiring', () => {
  it('names tokens that still work and originals whose time comes, the first first', async () => {
    const days = { byAccount: { main: 10, side: 400, kept: 0, open: 1 }, others: 400 };
    expect(await findExpiring(world.ledger, days, inDays(30))).toEqual([
      { what: 'originals', name: 'main', at: inDays(10) },
      { what: 'token', name: 'erp of ada', at: inDays(20) },
    ]);
  });

  it('names nothing that ends later', async () => {
    expect(await findExpiring(world.ledger, { byAccount: { main: 10 }, others: 400 }, inDays(9))).toEqual([]);
  });
});
