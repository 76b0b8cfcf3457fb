import { beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { dashboardForTests, type TestProgram } from '../support/dashboard-world.ts';

const world = dashboardForTests();
let maker: TestProgram;
let viewer: TestProgram;

beforeAll(async () => {
  const declined = (n: number) => cardRow(n, { card: MAGIC_CARD, amount: '2.00' });
  await world.drop('card', 'june.csv', lines([declined(1), cardRow(2), declined(3)]));
  await world.finish();
  maker = await world.program('operator', ['look', 'reprocess', 'stop-run']);
  viewer = await world.program('viewer', ['look']);
});

describe('selections', () => {
  it('are frozen, planned, begun and shown', async () => {
    const { status, json } = await maker.ask('/selections', { account: 'main' });
    expect(status).toBe(200);
    const path = `/selections/${json.selection}`;
    const planned = await maker.ask(`${path}/reprocess?plan=1`, {});
    expect(planned.json).toMatchObject({ isProposal: false, bind: expect.any(String) });
    const stale = await maker.ask(`${path}/reprocess`, { reason: 'wanted', bind: 'another' });
    expect(stale.json.error.code).toBe('PLAN_CHANGED');
    const begun = await maker.ask(`${path}/reprocess`, { reason: 'wanted', bind: planned.json.bind });
    expect(begun.json.result).toMatchObject({ state: 'running', rows: 2, cents: 400 });
    expect((await viewer.ask(path)).json).toMatchObject({
      selection: { state: 'running', reason: 'wanted', begun_by: expect.stringMatching(/^operator:/) },
      items: [{ name: 'june.csv', lines: [1, 3], rows: 2, cents: 400, result: null, newName: null }],
    });
    expect((await maker.ask(`${path}/stop-run`, {})).json.result).toMatchObject({ leftOut: 2 });
    expect((await viewer.ask('/selections')).json.selections).toMatchObject([{ rows: 2, done: 0, left: 2 }]);
  });

  it('are frozen by those who may reprocess, and by nobody else', async () => {
    expect((await viewer.ask('/selections', { account: 'main' })).status).toBe(403);
  });

  it.each([
    [{ items: ['june.csv/1'] }, 'USAGE'],
    [{ items: ['aaaaaaaaaaaaaaaa/1'] }, 'NOT_FOUND'],
    [{ account: 'other' }, 'MOVE_REFUSED'],
    [{ advice: 'soon' }, 'BAD_REQUEST'],
  ])('refuse %j', async (body, code) => {
    expect((await maker.ask('/selections', body)).json.error.code).toBe(code);
  });
});
