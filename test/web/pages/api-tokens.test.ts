import { describe, expect, it } from 'vitest';
import { ACTIONS, type ActionName, mayDo } from '../../../schemas/actions.ts';
import { listApiTokens } from '../../../src/ledger/person/api-tokens.ts';
import { askApi, dashboardForTests, TEST_PEOPLE, type TestBrowser } from '../support/dashboard-world.ts';

const world = dashboardForTests();

type Form = { name?: string; days?: string; actions?: readonly string[] };

/** Sends the form on `/me` as a browser does: each ticked box is a separate field. */
async function ask(browser: TestBrowser, { name = 'nightly report', days = '90', actions = ['look'] }: Form = {}) {
  const body = new URLSearchParams({ name, days, _csrf: await browser.csrf() });
  for (const action of actions) body.append('actions', action);
  return browser.send('/me/tokens', { method: 'POST', body });
}

function secretIn(text: string): string | undefined {
  return /<code class="wrap">([\w-]{43})<\/code>/.exec(text)?.[1];
}

describe('makeApiToken', () => {
  it('shows a token once, which then works', async () => {
    const browser = await world.as('operator');
    const secret = secretIn((await ask(browser)).text)!;
    expect((await askApi(world.url, secret, '/overview')).status).toBe(200);
    const { text } = await browser.get('/me');
    expect(text).toContain('nightly report');
    expect(text).not.toContain(secret);
    expect((await listApiTokens(world.app.ledger, 'operator'))[0]).toMatchObject({ actions: ['look'] });
  });

  it('offers what the role may and a program can do, and ticks nothing but looking', async () => {
    for (const person of ['viewer', 'operator', 'approver', 'admin'] as const) {
      const { text } = await (await world.as(person)).get('/me');
      const boxes = [...text.matchAll(/<input id="action-([\w-]+)"[^>]*>/g)];
      const elsewhere = ['check', 'drop', 'people'];
      const expected = (Object.keys(ACTIONS) as ActionName[]).filter(
        (action) => mayDo(TEST_PEOPLE[person], action) && !elsewhere.includes(action),
      );
      expect(boxes.map(([, action]) => action)).toEqual(expected);
      expect(boxes.filter(([box]) => / checked/.test(box)).map(([, action]) => action)).toEqual(['look']);
    }
  });

  it('gives no more than the role may, whatever the form says', async () => {
    const browser = await world.as('operator');
    expect((await ask(browser, { name: 'greedy', actions: ['look', 'approve', 'people', 'retry'] })).status).toBe(200);
    expect((await listApiTokens(world.app.ledger, 'operator'))[0]).toMatchObject({ actions: ['look', 'retry'] });
  });

  it.each<[string, Form, string]>([
    ['no name', { name: ' ' }, 'Give it a name'],
    ['a name without end', { name: 'x'.repeat(61) }, 'Give it a name'],
    ['no day', { days: '0' }, 'from 1 to 365'],
    ['too many days', { days: '366' }, 'from 1 to 365'],
    ['no number of days', { days: '1e2' }, 'from 1 to 365'],
    ['nothing that it is good for', { actions: [] }, 'Choose at least one'],
    ['only what the role may not', { actions: ['approve'] }, 'Choose at least one'],
  ])('refuses %s and keeps what was filled in', async (_, form, says) => {
    const browser = await world.as('other');
    const { status, text } = await ask(browser, form);
    expect([status, secretIn(text)]).toEqual([400, undefined]);
    expect(text).toContain(says);
    expect(text).toContain(`value="${form.days ?? '90'}"`);
    expect(await listApiTokens(world.app.ledger, 'other')).toEqual([]);
  });

  it('makes one that lives as long as was asked for', async () => {
    await ask(await world.as('second'), { days: '365' });
    const [token] = await listApiTokens(world.app.ledger, 'second');
    expect(token!.expiresAt.getTime() - token!.madeAt.getTime()).toBeCloseTo(365 * 86_400_000, -4);
  });

  it('masks a number in the name, which the audit trail keeps', async () => {
    await ask(await world.as('second'), { name: 'for 4222222222222220' });
    expect((await listApiTokens(world.app.ledger, 'second'))[0]!.name).toBe('for ************2220');
  });

  it('wants the token of the form', async () => {
    const browser = await world.as('approver');
    const form = { name: 'ridden', days: '1', actions: 'look' };
    expect((await browser.post('/me/tokens', form, 'x')).status).toBe(403);
    expect(await listApiTokens(world.app.ledger, 'approver')).toEqual([]);
  });
});

describe('endApiTokens', () => {
  it('revokes a token of the person at once', async () => {
    const program = await world.program('viewer', ['look']);
    const browser = await world.as('viewer');
    expect((await program.ask('/overview')).status).toBe(200);
    const { status, location } = await browser.post(`/me/tokens/${program.tokenNo}/revoke`);
    expect([status, location]).toEqual([303, '/me']);
    expect((await program.ask('/overview')).status).toBe(401);
    expect((await browser.get('/me')).text).toContain('revoked');
  });

  it("revokes nobody else's, and none that is not there", async () => {
    const program = await world.program('viewer', ['look']);
    const browser = await world.as('admin');
    for (const tokenNo of [program.tokenNo, 9_999_999, 'x'])
      expect((await browser.post(`/me/tokens/${tokenNo}/revoke`)).status).toBe(404);
    expect((await program.ask('/overview')).status).toBe(200);
  });
});

describe('ApiTokens', () => {
  it('says when a token was used last, and which have ended', async () => {
    const program = await world.program('second', ['look']);
    const browser = await world.as('second');
    expect((await browser.get('/me')).text).toContain('never');
    await program.ask('/overview');
    await world.app.ledger.pool.query(`UPDATE api_token SET expires_at = made_at WHERE person = 'second'`);
    const { text } = await browser.get('/me');
    expect(text).toContain('ended');
    expect(text).not.toContain('/revoke');
  });

  it('says what would stand here when there is none', async () => {
    expect((await (await world.as('other')).get('/me')).text).toContain('A token lets a program use the');
  });
});
