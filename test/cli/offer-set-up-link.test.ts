import { afterAll, beforeAll, expect, it } from 'vitest';
import { offerSetUpLink } from '../../src/cli/process/with-dashboard.ts';
import { readLink } from '../../src/ledger/person/use-link.ts';
import { hashSecretToken } from '../../src/crypto/secret-token.ts';
import { type LedgerWorld, openTestLedger } from '../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('a set-up link works for a day', async () => {
  const link = await offerSetUpLink(world.ledger, 'http://127.0.0.1:8420', 'to see');
  const [, token = ''] = /^http:\/\/127\.0\.0\.1:8420\/set-up\/([\w-]{43})$/.exec(link) ?? [];
  world.clock.advance(24 * 3_600_000 - 1);
  expect(await readLink(world.ledger, hashSecretToken(token))).toEqual({ person: null });
  world.clock.advance(1);
  expect(await readLink(world.ledger, hashSecretToken(token))).toBeUndefined();
});
