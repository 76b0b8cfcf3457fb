import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { type DashboardWorld, openDashboardWorld } from '../support/dashboard-world.ts';
import { linksOf } from '../support/read-page.ts';

let world: DashboardWorld;
let base: string;
beforeAll(async () => {
  world = await openDashboardWorld();
  await world.drop('ach-charge', 'wanted.csv', lines(upTo(3).map((n) => achRow(n))));
  await world.finish();
  base = `/files/${(await fileNamed(world, 'wanted.csv')).file_id}/do`;
});
afterAll(() => world.close());

const nameOf = async (kind: 'result' | 'summary-txt') => Object.keys(await world.outputs(kind))[0] ?? '';
const pathOf = (name: string) => join(world.settings.paths.out, name);

/** The tests build on each other. */
describe('check-outputs', () => {
  it('says that every output is whole, and which one is not', async () => {
    const viewer = await world.as('viewer');
    const whole = await doIt(viewer, `${base}/check-outputs`, {});
    expect([whole.status, whole.words]).toEqual([200, expect.stringContaining('Every output is intact.')]);
    expect(linksOf(whole.text)).not.toContain(`${base}/rebuild-outputs`);
    const [result, summary] = [await nameOf('result'), await nameOf('summary-txt')];
    await writeFile(pathOf(result), 'changed');
    await rm(pathOf(summary));
    const broken = await doIt(viewer, `${base}/check-outputs`, {});
    expect(broken.words).toMatch(/2 of \d+ outputs are not intact\./);
    expect(broken.words).toContain(`${result} differs same`);
    expect(broken.words).toContain(`${summary} missing same`);
    expect(broken.words).toContain('Missing: it was moved or removed.');
    expect(linksOf(broken.text)).toContain(`${base}/rebuild-outputs`);
  });
});

describe('rebuild-outputs', () => {
  it('brings back what is missing and leaves alone what was changed', async () => {
    const operator = await world.as('operator');
    expect((await openAction(operator, `${base}/rebuild-outputs`)).words).toContain(
      'Files in the out folder are left alone',
    );
    const done = await doIt(operator, `${base}/rebuild-outputs`, {});
    const [result, summary] = [await nameOf('result'), await nameOf('summary-txt')];
    expect(done.words).toContain(`Restored: ${summary}.`);
    expect(await readFile(pathOf(summary), 'utf8')).toContain('wanted.csv');
    expect(await readFile(pathOf(result), 'utf8')).toBe('changed');
    expect((await doIt(operator, `${base}/rebuild-outputs`, {})).words).toContain('Nothing was restored.');
  });
});
