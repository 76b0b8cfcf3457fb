import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLastRun } from '../../../src/ledger/schedule/read-runs.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { doIt, openAction } from '../support/action-page.ts';
import { type DashboardWorld, openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';

const PATH = '/schedules/nightly/do/run-now';

let world: DashboardWorld;
let operator: TestBrowser;
beforeAll(async () => {
  const daily = { at: '23:59', timeZone: 'UTC' };
  world = await openDashboardWorld({
    folder: { schedule: 'nightly' },
    settings: {
      schedules: {
        nightly: { does: 'take', ...daily },
        closing: { does: 'day-close', account: 'main', ...daily },
        never: { does: 'take', ...daily, holidays: [new Date().toISOString().slice(0, 10)] },
      },
    },
  });
  operator = await world.as('operator');
  // Creates the folders.
  await world.finish();
});
afterAll(() => world.close());

const lastRun = () => readLastRun(world.app.ledger, 'nightly', '9999-12-31');

describe('run-now', () => {
  it("makes today's run once, and takes the files in its folders", async () => {
    await world.drop('card', 'june.csv', lines([cardRow(1)]));
    const plan = await openAction(operator, PATH);
    expect(plan.words).toContain('It is not made again at its regular time.');
    expect(await lastRun()).toBeUndefined();
    const done = await doIt(operator, PATH);
    expect([done.status, done.words]).toEqual([200, expect.stringMatching(/is done: 1 file taken\./)]);
    expect(await lastRun()).toMatchObject({ state: 'done', tries: 1, summary: { files: 1 } });
    const again = await openAction(operator, PATH);
    expect([again.status, again.words]).toEqual([409, expect.stringContaining('was already made')]);
    expect(again.text).toContain('name="again"');
  });

  it('takes once more what lies in the folders when that is asked for', async () => {
    await world.drop('card', 'late.csv', lines([cardRow(2)]));
    const done = await doIt(operator, `${PATH}?again=yes`);
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Taken again: 1 file.')]);
    expect(Object.keys(await world.states())).toEqual(['june.csv', 'late.csv']);
  });

  it('does not close a day twice, nor run on what is not a business day', async () => {
    const closing = await openAction(operator, '/schedules/closing/do/run-now?again=yes');
    expect([closing.status, closing.words]).toEqual([409, expect.stringContaining('a day is closed only once')]);
    const never = await openAction(operator, '/schedules/never/do/run-now');
    expect([never.status, never.words]).toEqual([409, expect.stringContaining('is not a business day of it')]);
  });
});
