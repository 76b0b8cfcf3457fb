import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { findFile } from '../../../src/ledger/file/search.ts';
import { Config } from '../../../schemas/config.ts';
import { resolveSettings } from '../../../src/config/config.ts';
import { assetAt } from '../../../src/web/assets.ts';
import { openDashboard } from '../../../src/web/open-dashboard.tsx';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openAction } from '../support/action-page.ts';
import { dashboardForTests, openBrowser, PASSWORD, type TestBrowser } from '../support/dashboard-world.ts';
import { linksOf, wordsOf } from '../support/read-page.ts';
import { sendFile } from '../support/send-file.ts';

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
  const folder = (path: string, site = 'main') => ({ path, account: 'main', operation: 'card', site });

  /** Returns the page of a dashboard with these folders, beside that of the world. */
  async function pageWith(folders: readonly object[]): Promise<string> {
    const config = Config.parse({ ...world.config, folders });
    const settings = { ...world.settings, folders: resolveSettings(config, world.root, world.env).folders };
    const other = { ...world.settings.dashboard!, listen: { host: '127.0.0.1', port: 0 } };
    const { url, close } = await openDashboard({ ...world.app, settings }, other);
    const browser = openBrowser(url);
    await browser.post('/login', { name: 'viewer', password: PASSWORD }, '');
    const { text } = await browser.get('/drop');
    await close();
    return text;
  }

  it('names the folder where account and operation alone do not tell, and asks nothing where there is one', async () => {
    expect(await pageWith([folder('drop/a'), folder('drop/b')])).toContain(
      '<option value="drop/a">main: card, folder drop/a</option>',
    );
    expect(await pageWith([folder('drop/a')])).not.toContain('Choose…');
  });

  it('says what would stand here where no folder lies', async () => {
    const text = await pageWith([folder('drop/a', 'branch')]);
    expect(text).toContain('This host has no drop folder');
    expect(text).not.toContain('drop-form');
  });
});

describe('POST /drop/submit of a corrected file', () => {
  let operator: TestBrowser;
  beforeAll(async () => {
    operator = await world.as('operator');
  });

  it('makes it and the refused one that it stands for lead to each other, before and after it is taken', async () => {
    const bad = lines([cardRow(1, { amount: 'ten' }), cardRow(2, { amount: 'ten' })]);
    await world.drop('ach-charge', 'wrong.csv', bad);
    await world.finish();
    const { file_id: replaces, state } = await findFile(world.app.ledger, 'wrong.csv');
    expect(state).toBe('rejected');
    const content = lines([cardRow(3), cardRow(4)]);
    const { json } = await sendFile(operator, 'submit', { name: 'corrected.csv', content, replaces });
    expect(json.uploadNo).toBeGreaterThan(0);
    const linked = async (id: string) => linksOf((await operator.get(`/files/${id}`)).text);
    expect(wordsOf((await operator.get(`/files/${replaces}`)).text)).toContain('It was corrected by corrected.csv');
    await world.finish();
    const { file_id: fileId } = await findFile(world.app.ledger, 'corrected.csv');
    expect(await linked(replaces)).toContain(`/files/${fileId}`);
    expect(await linked(fileId)).toContain(`/files/${replaces}`);
  });

  it('warns an approver of it, because both would be sent', async () => {
    const approver = await world.as('approver');
    const content = lines([cardRow(6), cardRow(7)]);
    await world.drop('card', 'waits.csv.ctl', 'rows=99\n');
    await world.drop('card', 'waits.csv', content);
    await world.finish();
    const { file_id: replaces, state } = await findFile(world.app.ledger, 'waits.csv');
    expect(state).toBe('held');
    await sendFile(operator, 'submit', { name: 'right.csv', content: lines([cardRow(8)]), replaces });
    await world.finish();
    const { words } = await openAction(approver, `/files/${replaces}/do/approve`);
    expect(words).toMatch(/It was corrected: "right\.csv" was uploaded in its place and is \w+\. With both/);
  });

  it('takes none when the old one was let go meanwhile, or is of nobody', async () => {
    const { file_id: sent } = await findFile(world.app.ledger, 'corrected.csv');
    const refused = await sendFile(operator, 'submit', {
      name: 'twice.csv',
      content: lines([cardRow(5)]),
      replaces: sent,
    });
    expect([refused.status, refused.json.error!.says]).toEqual([
      409,
      expect.stringContaining('its state is completed now'),
    ]);
    const unknown = { name: 'twice.csv', content: lines([cardRow(5)]), replaces: 'zzzzzzzzzzzzzzzz' };
    expect((await sendFile(operator, 'submit', unknown)).status).toBe(404);
    expect(await readdir(join(world.root, 'drop', 'card'))).not.toContain('twice.csv');
  });
});
