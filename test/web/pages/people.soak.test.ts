import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPeople } from '../../../src/ledger/person/people.ts';
import { type DashboardWorld, openDashboardWorld, PASSWORD, type TestBrowser } from '../support/dashboard-world.ts';

let world: DashboardWorld;
let admin: TestBrowser;
beforeAll(async () => {
  world = await openDashboardWorld();
  admin = await world.as('admin');
});
afterAll(() => world.close());

const linkIn = (text: string) => /http:\/\/[^<]+(\/set-up\/[\w-]{43})/.exec(text)?.[1] ?? '';
const person = async (name: string) => (await listPeople(world.app.ledger)).find((row) => row.name === name);
const logIn = (name: string, password: string) => world.stranger().post('/login', { name, password }, '');

/** The tests build on each other. */
describe('/people', () => {
  it('invites somebody by a link that is shown once and works once', async () => {
    const { status, text } = await admin.post('/people', { name: 'Bob', role: 'operator', reason: 'joins us' });
    expect(status).toBe(200);
    expect((await admin.get('/people')).text).not.toContain('/set-up/');
    const link = linkIn(text);
    const bob = world.stranger();
    expect((await bob.get(link)).text).toContain('Welcome, bob');
    const chosen = { password: 'a long enough password', repeated: 'a long enough password' };
    expect(await bob.post(link, chosen, '')).toMatchObject({ status: 303, location: '/' });
    expect((await bob.get('/')).status).toBe(200);
    expect((await world.stranger().post(link, chosen, '')).status).toBe(404);
    expect((await logIn('bob', 'a long enough password')).status).toBe(303);
  });

  it.each([
    ['no role', { name: 'x', role: 'king', reason: 'x' }],
    ['no reason', { name: 'x', role: 'viewer', reason: '' }],
    ['no name', { name: 'not a name', role: 'viewer', reason: 'x' }],
    ['a name that is taken', { name: 'viewer', role: 'viewer', reason: 'x' }],
  ])('refuses %s and makes nobody', async (_, form) => {
    const before = (await listPeople(world.app.ledger)).length;
    expect((await admin.post('/people', form)).status).toBe(400);
    expect(await listPeople(world.app.ledger)).toHaveLength(before);
  });

  it('gives another role, which holds at once', async () => {
    const other = await world.as('other');
    expect((await other.get('/people')).status).toBe(403);
    await admin.post('/people/other', { do: 'role', role: 'admin', reason: 'stands in' });
    expect((await other.get('/people')).status).toBe(200);
    await admin.post('/people/other', { do: 'role', role: 'operator', reason: 'is back' });
    expect((await other.get('/people')).status).toBe(403);
  });

  it('shuts somebody out at once, and lets him in again by a new link only', async () => {
    const second = await world.as('second');
    await admin.post('/people/second', { do: 'disable', reason: 'left' });
    expect((await second.get('/')).status).toBe(302);
    expect((await logIn('second', PASSWORD)).status).toBe(401);
    const { text } = await admin.post('/people/second', { do: 'enable', reason: 'came back' });
    expect((await logIn('second', PASSWORD)).status).toBe(401);
    const again = { password: 'another long password', repeated: 'another long password' };
    expect((await world.stranger().post(linkIn(text), again, '')).status).toBe(303);
    expect((await person('second'))?.disabledAt).toBeNull();
  });

  it('does not shut out the last administrator', async () => {
    const { status, text } = await admin.post('/people/admin', { do: 'disable', reason: 'why not' });
    expect([status, text]).toEqual([409, expect.stringContaining('Make another administrator first.')]);
    expect((await admin.get('/people')).status).toBe(200);
  });

  it('does nothing that the form does not name', async () => {
    expect((await admin.post('/people/viewer', { do: 'promote', reason: 'x' })).status).toBe(400);
    expect((await admin.post('/people/nobody', { do: 'disable', reason: 'x' })).status).toBe(404);
  });
});
