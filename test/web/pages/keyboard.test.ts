import { describe, expect, it } from 'vitest';
import { dashboardForTests } from '../support/dashboard-world.ts';
import { tableOf, wordsOf } from '../support/read-page.ts';

const world = dashboardForTests();

describe('/keyboard', () => {
  it('lists the keys of this page and of no subject that the role may not see', async () => {
    const { text } = await (await world.as('viewer')).get('/keyboard');
    const listed = tableOf(text).map(([keys]) => keys!);
    const installed = [...text.matchAll(/data-hotkey="(g \w)"/g)].map(([, keys]) => keys!);
    expect(installed.length).toBeGreaterThan(6);
    expect(listed.filter((keys) => keys.startsWith('g ')).toSorted()).toEqual(installed.toSorted());
    expect(new Set(installed).size).toBe(installed.length);
    expect(listed).not.toContain('g u');
    const admin = await (await world.as('admin')).get('/keyboard');
    expect(wordsOf(admin.text)).toContain('g u Users');
  });

  it('hides the switch from those without a script', async () => {
    expect((await (await world.as('viewer')).get('/keyboard')).text).toMatch(/<label [^>]*hidden>/);
  });
});
