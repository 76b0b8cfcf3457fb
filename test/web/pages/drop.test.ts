import { describe, expect, it } from 'vitest';
import { assetAt } from '../../../src/web/assets.ts';
import { dashboardForTests, openDashboardWorld } from '../support/dashboard-world.ts';

const world = dashboardForTests();

describe('GET /drop', () => {
  it('asks for the account and the operation, and says when each folder is looked at', async () => {
    const { status, text } = await (await world.as('operator')).get('/drop');
    expect(status).toBe(200);
    expect(text).toMatch(/<option value(="")?>Choose…<\/option>/);
    for (const operation of ['card', 'ach-charge', 'ach-refund'])
      expect(text).toContain(`<option value="drop/${operation}">main: ${operation}</option>`);
    expect(text).toContain('It is taken after it is unchanged for a second.');
    expect(text).toContain('1,073,741,824 bytes');
    expect(text).toMatch(/<label for="f-files">/);
    expect(text).toMatch(/id="drop-status" role="status"/);
  });

  it('offers to drop only to those who may', async () => {
    for (const [person, may] of [
      ['operator', 'yes'],
      ['admin', 'yes'],
      ['viewer', 'no'],
      ['approver', 'no'],
    ] as const) {
      const { text } = await (await world.as(person)).get('/drop');
      expect([person, /data-may-drop="(\w+)"/.exec(text)?.[1]]).toEqual([person, may]);
    }
    expect((await world.stranger().get('/drop')).location).toBe('/login?next=%2Fdrop');
  });

  it('keeps to the policy: no script and no style in the page itself, and the script is there', async () => {
    const browser = await world.as('viewer');
    const { text } = await browser.get('/drop');
    expect(text).not.toMatch(/ style=| on\w+=|<style/);
    expect(text.match(/<script[^>]*>/g)).toEqual([
      `<script src="${assetAt('dashboard.js')}" type="module">`,
      `<script src="${assetAt('drop.js')}" type="module">`,
    ]);
    const script = await browser.get(assetAt('drop.js'));
    expect(script.headers.get('content-type')).toContain('javascript');
    // File contents must never become part of the page.
    expect(script.text).not.toMatch(/innerHTML|insertAdjacentHTML|outerHTML|document\.write/);
  });
});

describe('GET /drop where there is less to choose', () => {
  it('names the folder where account and operation alone do not tell, and asks nothing where there is one', async () => {
    const folder = (path: string) => ({ path, account: 'main', operation: 'card' });
    const two = await openDashboardWorld({ settings: { folders: [folder('drop/a'), folder('drop/b')] } });
    const { text } = await (await two.as('viewer')).get('/drop');
    expect(text).toContain('<option value="drop/a">main: card, folder drop/a</option>');
    await two.close();
    const one = await openDashboardWorld({ settings: { folders: [folder('drop/a')] } });
    expect((await (await one.as('viewer')).get('/drop')).text).not.toContain('Choose…');
    await one.close();
  });

  it('says what would stand here where no folder lies', async () => {
    const elsewhere = await openDashboardWorld({ folder: { site: 'branch' } });
    const browser = await elsewhere.as('operator');
    const { text } = await browser.get('/drop');
    expect(text).toContain('This host has no drop folder');
    expect(text).not.toContain('drop-form');
    await elsewhere.close();
  });
});
