import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { Refusal } from '../../src/web/access/refusal.ts';
import { troubleOf } from '../../src/web/answer-errors.tsx';
import { type DashboardWorld, openDashboardWorld } from './support/dashboard-world.ts';

describe('troubleOf', () => {
  it.each([
    [new Refusal('NOT_ALLOWED'), 403, 'NOT_ALLOWED', /Your role does not allow this/],
    [new PipelineError('NOT_FOUND', 'find a file "x"'), 404, 'NOT_FOUND', /find a file "x"/],
    [new PipelineError('MOVE_REFUSED', 'approve it'), 409, 'MOVE_REFUSED', /approve it/],
    [new PipelineError('LEDGER_UNREACHABLE', 'reach it'), 503, 'LEDGER_UNREACHABLE', /reach it/],
    [Object.assign(new Error('limit of /etc'), { statusCode: 413 }), 413, 'BAD_REQUEST', /larger than is taken/],
    [Object.assign(new Error('x'), { statusCode: 999 }), 500, 'INTERNAL', /Something went wrong/],
    [new Error('password of user postgres at 10.0.0.1'), 500, 'INTERNAL', /^Something went wrong here/],
    ['thrown text', 500, 'INTERNAL', /Something went wrong/],
    [null, 500, 'INTERNAL', /Something went wrong/],
  ])('tells of %s what may be told', (error, status, code, says) => {
    expect(troubleOf(error)).toMatchObject({ status, code, says: expect.stringMatching(says) });
  });
});

describe('answerErrors', () => {
  let world: DashboardWorld;
  beforeAll(async () => {
    world = await openDashboardWorld();
  });
  afterAll(() => world.close());

  it('answers a person with a page and a program with JSON', async () => {
    const browser = await world.as('viewer');
    const page = await browser.get('/nothing/here');
    expect([page.status, page.text]).toEqual([404, expect.stringContaining('There is nothing here')]);
    const json = await browser.get('/nothing/here', { accept: 'application/json' });
    expect([json.status, JSON.parse(json.text)]).toEqual([
      404,
      { error: { code: 'NOT_FOUND', says: 'There is nothing here (any more).' } },
    ]);
  });

  it('escapes whatever stands in the address', async () => {
    const { text } = await (await world.as('viewer')).get('/<script>alert(1)</script>"\'');
    expect(text).not.toMatch(/<script>alert/);
  });

  it.each([
    ['a form that is too large', { method: 'POST', body: new URLSearchParams({ name: 'x'.repeat(300_000) }) }, 413],
    [
      'a kind of content that nobody asked for',
      { method: 'POST', body: '<x/>', headers: { 'content-type': 'text/xml' } },
      415,
    ],
  ])('refuses %s', async (_, init, status) => {
    expect((await world.stranger().send('/login', init)).status).toBe(status);
  });
});
