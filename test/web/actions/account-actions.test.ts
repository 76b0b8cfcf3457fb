import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { actionsFor } from '../../../src/web/actions/actions-for.ts';
import { linksOf } from '../support/read-page.ts';

describe('actionsFor', () => {
  it.each([
    ['file', 'claimed', ['check-outputs', 'rebuild-outputs']],
    ['file', 'held', ['approve', 'decline', 'move', 'check-outputs', 'rebuild-outputs']],
    ['batch', 'refused', ['cancel-batch', 'retry', 'release', 'acknowledge-batch', 'withdraw']],
  ] as const)('of a %s that is %s are %j', (kind, state, actions) => {
    expect(actionsFor([], kind, state)).toEqual(actions);
  });
});

const daily = { at: '23:59', timeZone: 'UTC' };
const world = dashboardForTests({
  folder: { schedule: 'nightly' },
  settings: {
    schedules: { nightly: { does: 'take', ...daily }, closing: { does: 'day-close', account: 'main', ...daily } },
  },
});
let operator: TestBrowser;
beforeAll(async () => {
  operator = await world.as('operator');
  // Creates the folders.
  await world.finish();
});

/** The tests build on each other. */
describe('run-now', () => {
  const PATH = '/schedules/nightly/do/run-now';

  it("makes today's run, and offers to take again what lies in its folders", async () => {
    await world.drop('card', 'june.csv', lines([cardRow(1)]));
    expect((await openAction(operator, PATH)).words).toContain('It is not made again at its regular time.');
    const done = await doIt(operator, PATH);
    expect([done.status, done.words]).toEqual([200, expect.stringMatching(/is done: 1 file taken\./)]);
    const again = await openAction(operator, PATH);
    expect([again.status, again.words]).toEqual([409, expect.stringContaining('was already made')]);
    expect(again.text).toContain('name="again"');
    const taken = await doIt(operator, `${PATH}?again=yes`);
    expect([taken.status, taken.words]).toEqual([200, expect.stringContaining('Taken again: 0 files.')]);
  });

  it('does not close a day twice', async () => {
    const closing = await openAction(operator, '/schedules/closing/do/run-now?again=yes');
    expect([closing.status, closing.words]).toEqual([409, expect.stringContaining('a day is closed only once')]);
  });
});

/** The tests build on each other. */
describe('actions on outputs', () => {
  const nameOf = async (kind: 'result' | 'summary-txt') => Object.keys(await world.outputs(kind))[0] ?? '';
  const pathOf = (name: string) => join(world.settings.paths.out, name);
  let base: string;
  beforeAll(async () => {
    await world.finish();
    base = `/files/${(await fileNamed(world, 'june.csv')).file_id}/do`;
  });

  it('check-outputs says that every output is whole, and which one is not', async () => {
    const viewer = await world.as('viewer');
    const whole = await doIt(viewer, `${base}/check-outputs`, {});
    expect([whole.status, whole.words]).toEqual([200, expect.stringContaining('Every output is intact.')]);
    expect(linksOf(whole.text)).not.toContain(`${base}/rebuild-outputs`);
    const [result, summary] = [await nameOf('result'), await nameOf('summary-txt')];
    await writeFile(pathOf(result), 'changed');
    await rm(pathOf(summary));
    const broken = await doIt(viewer, `${base}/check-outputs`, {});
    for (const part of [
      `${result} differs same`,
      `${summary} missing same`,
      'Missing: it was moved or removed.',
      'For another person: “Restore missing outputs”',
    ])
      expect(broken.words).toContain(part);
    expect(broken.words).toMatch(/2 of \d+ outputs are not intact\./);
    expect(linksOf(broken.text)).not.toContain(`${base}/rebuild-outputs`);
    const again = await doIt(operator, `${base}/check-outputs`, {});
    expect(linksOf(again.text)).toContain(`${base}/rebuild-outputs`);
  });

  it('rebuild-outputs brings back what is missing and leaves alone what was changed', async () => {
    expect((await openAction(operator, `${base}/rebuild-outputs`)).words).toContain(
      'Files in the out folder are left alone',
    );
    const done = await doIt(operator, `${base}/rebuild-outputs`, {});
    const [result, summary] = [await nameOf('result'), await nameOf('summary-txt')];
    expect(done.words).toContain(`Restored: ${summary}.`);
    expect(await readFile(pathOf(summary), 'utf8')).toContain('june.csv');
    expect(await readFile(pathOf(result), 'utf8')).toBe('changed');
    expect((await doIt(operator, `${base}/rebuild-outputs`, {})).words).toContain('Nothing was restored.');
  });
});
