import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { offerSetUp } from '../../../src/ledger/person/invite-person.ts';
import { listPeople } from '../../../src/ledger/person/people.ts';
import { newLink } from '../../../src/actions/new-link.ts';
import { type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let path: string;
beforeAll(async () => {
  world = await openDashboardWorld({ people: 'nobody' });
  const { token, link } = newLink(world.app.clock.now());
  await offerSetUp(world.app.ledger, link, { actor: 'operator:test', reason: 'first start' });
  path = `/set-up/${token}`;
});
afterAll(() => world.close());

const GOOD = { name: 'ann', password: 'four words nobody guesses', repeated: 'four words nobody guesses' };

/** The tests build on each other. */
describe('/set-up/:token', () => {
  it('is told of on the log-in page while there is nobody', async () => {
    expect((await world.stranger().get('/login')).text).toContain('Nobody may log in yet');
  });

  it('may be opened by a mail program without harm', async () => {
    for (let times = 0; times < 3; times += 1)
      expect(await world.stranger().get(path)).toMatchObject({
        status: 200,
        text: expect.stringContaining('Set up the dashboard'),
      });
  });

  it.each([
    ['a name that cannot be one', { ...GOOD, name: 'Ann Byron' }, 'Use small letters'],
    ['a short password', { ...GOOD, password: 'short', repeated: 'short' }, 'Use at least 12 characters.'],
    ['two passwords', { ...GOOD, repeated: 'four words nobody guessed' }, 'The two are not the same.'],
  ])('says what is wrong with %s, and uses nothing up', async (_, form, says) => {
    const { status, text } = await world.stranger().post(path, form, '');
    expect([status, text]).toEqual([400, expect.stringContaining(says)]);
    expect(text).not.toContain('four words');
    expect(await listPeople(world.app.ledger)).toEqual([]);
  });

  it('makes the first administrator and logs him in; then it works no more', async () => {
    const ann = world.stranger();
    expect(await ann.post(path, GOOD, '')).toMatchObject({ status: 303, location: '/' });
    expect((await ann.get('/people')).status).toBe(200);
    expect((await world.stranger().get(path)).status).toBe(404);
    expect((await world.stranger().post(path, { ...GOOD, name: 'eve' }, '')).status).toBe(404);
    expect(await listPeople(world.app.ledger)).toMatchObject([{ name: 'ann', role: 'admin' }]);
  });

  it('leads nowhere with another word', async () => {
    expect((await world.stranger().get(`/set-up/${'A'.repeat(43)}`)).status).toBe(404);
  });
});
