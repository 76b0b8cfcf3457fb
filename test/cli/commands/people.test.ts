import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { readLink, usePersonLink } from '../../../src/ledger/person/invite-person.ts';
import { listPeople } from '../../../src/ledger/person/people.ts';
import { hashSecretToken } from '../../../src/crypto/secret-token.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld();
  vi.stubEnv('PAYDROP_DASHBOARD', '127.0.0.1:8420');
});
afterAll(() => world.close());

const tokenOf = (out: string) => hashSecretToken(/\/set-up\/([\w-]{43})\n$/.exec(out)?.[1] ?? '');
const leads = (out: string) => readLink(world.app.ledger, tokenOf(out));

/** The tests build on each other. */
describe('people', () => {
  it('set-up prints a link for the first administrator, as long as there is nobody', async () => {
    expect((await world.paydrop('people', 'list')).out).toContain('Nobody yet.');
    const { status, out } = await world.paydrop('people', 'set-up');
    expect([status, out]).toEqual([0, expect.stringMatching(/^http:\/\/127\.0\.0\.1:8420\/set-up\//)]);
    expect(await leads(out)).toEqual({ person: null });
    await usePersonLink(world.app.ledger, tokenOf(out), { name: 'ann', password: 'hash' });
    expect(await world.paydrop('people', 'set-up')).toMatchObject({
      out: '',
      err: expect.stringContaining('the dashboard is set up already'),
    });
  });

  it('invite prints a link for somebody new, and link one for somebody who lost his password', async () => {
    const words = ['bob', '--role', 'approver', '--reason', 'joins us'];
    const { out } = await world.paydrop('people', 'invite', ...words);
    expect(await leads(out)).toEqual({ person: 'bob' });
    const again = await world.paydrop('people', 'link', 'bob', '--reason', 'lost it');
    expect([await leads(out), await leads(again.out)]).toEqual([undefined, { person: 'bob' }]);
    expect((await world.paydrop('people', 'list')).out).toMatch(/^bob +approver +invited +never/m);
  });

  it.each([
    [['invite', 'cid', '--role', 'king', '--reason', 'x'], /it is none of viewer, operator, approver, admin/],
    [['invite', 'cid', '--role', 'viewer', '--reason', ' '], /--reason is empty/],
    [['invite', 'Cid Hill', '--role', 'viewer', '--reason', 'x'], /no name for a person/],
    [['link', 'nobody', '--reason', 'x'], /invite "nobody" again/],
  ])('%j is refused and makes nobody', async (words, says) => {
    const { status, err } = await world.paydrop('people', ...words);
    expect(status).not.toBe(0);
    expect(err).toMatch(says);
    expect(await listPeople(world.app.ledger)).toHaveLength(2);
  });

  it('makes no links to a dashboard that is off', async () => {
    vi.stubEnv('PAYDROP_DASHBOARD', 'off');
    const { err } = await world.paydrop('people', 'link', 'bob', '--reason', 'x');
    expect(err).toContain('the dashboard is off in the configuration');
  });
});
