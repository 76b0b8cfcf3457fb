import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DashboardWorld, openDashboardWorld, PASSWORD } from '../support/dashboard-world.ts';

let world: DashboardWorld;
beforeAll(async () => {
  world = await openDashboardWorld();
});
afterAll(() => world.close());

const NEW = 'five other words entirely';

describe('/me', () => {
  it('says who one is and what one may do', async () => {
    const { text } = await (await world.as('approver')).get('/me');
    expect(text).toContain('approver: lets held files go');
  });

  it.each([
    ['a wrong present password', { old: 'not this one', password: NEW, repeated: NEW }, 'This is not your password.'],
    ['a short new one', { old: PASSWORD, password: 'short', repeated: 'short' }, 'Use at least 12 characters.'],
    ['two new ones', { old: PASSWORD, password: NEW, repeated: PASSWORD }, 'The two are not the same.'],
  ])('changes nothing for %s', async (_, form, says) => {
    const browser = await world.as('viewer');
    const { status, text } = await browser.post('/me/password', form);
    expect([status, text]).toEqual([400, expect.stringContaining(says)]);
    expect((await world.as('viewer')).cookie).not.toBe('');
  });

  it('changes the password and logs out the other browsers of this person', async () => {
    const [here, there, another] = [await world.as('second'), await world.as('second'), await world.as('viewer')];
    const { status } = await here.post('/me/password', { old: PASSWORD, password: NEW, repeated: NEW });
    expect(status).toBe(200);
    expect((await here.get('/me')).status).toBe(200);
    expect((await there.get('/me')).status).toBe(302);
    expect((await another.get('/me')).status).toBe(200);
    const tries = [PASSWORD, NEW].map((password) => world.stranger().post('/login', { name: 'second', password }, ''));
    expect((await Promise.all(tries)).map((answer) => answer.status)).toEqual([401, 303]);
  });
});
