import { beforeAll, describe, expect, it } from 'vitest';
import { PROFILE_TEXT, putConfirmed, putDraft } from '../../../ledger/support/put-version.ts';
import { openedForTests } from '../../../support/opened-for-tests.ts';
import { openDashboardWorld, type TestBrowser, type TestPerson } from '../../support/dashboard-world.ts';
import { linksOf, sectionOf, tableOf, wordsOf } from '../../support/read-page.ts';

const FOLDER = { path: 'drop/dues', account: 'main', operation: 'card', profile: 'dues' };
const world = openedForTests(() => openDashboardWorld({ settings: { folders: [FOLDER] } }));
const look = async (path: string, person: TestPerson = 'viewer') => (await world.as(person)).get(path);

const changed = (title: string) =>
  PROFILE_TEXT.replace('Memo, Due]', `Memo, Due, "${title}"]`).concat(`ignore: ["${title}"]\n`);
const SAMPLE = 'Number,Customer,Memo,Due\nI-1,C100045,June,25.00\nI-2,C100046,4222 2222 2222 2220,30.00\n';

describe('the list of profiles', () => {
  it('names a profile that a folder waits for, and offers to make one only to those who may', async () => {
    const page = await look('/profiles');
    expect(tableOf(page.text)).toEqual([['dues', 'drop/dues', 'nothing', 'none', '']]);
    expect(linksOf(page.text)).toContain('/profiles/dues');
    expect(linksOf(page.text)).not.toContain('/new-profile');
    expect(linksOf((await look('/profiles', 'operator')).text)).toContain('/new-profile');
    expect(wordsOf((await look('/profiles/dues')).text)).toContain('None yet. Make one from a file');
    expect(linksOf((await look('/profiles/dues')).text)).not.toContain('/new-profile');
    expect(linksOf((await look('/profiles/dues', 'operator')).text)).toContain('/new-profile');
  });
});

describe('the pages of a profile', () => {
  beforeAll(async () => {
    await putConfirmed(world.app.ledger, 'dues');
    await putDraft(world.app.ledger, 'dues', changed('Fee<b>'));
  });

  it('show who made and confirmed each version, with the figures of its sample', async () => {
    const { text } = await look('/profiles/dues');
    const [draft, confirmed] = tableOf(sectionOf(text, 'Versions'));
    expect(draft!.slice(0, 3)).toEqual(['Version 2', 'Draft', expect.stringMatching(/^ada, .* new export$/)]);
    expect(confirmed!.slice(0, 2)).toEqual(['Version 1', 'Confirmed']);
    expect(confirmed![3]).toMatch(/^grace, /);
    expect(confirmed![5]).toBe('24 rows, 1,355.00 USD');
    expect(sectionOf(text, 'Text of version 1')).toContain('columns:');
  });

  it('link only to what the person may do and the versions allow', async () => {
    const actionsFor = async (person: TestPerson) =>
      linksOf((await look('/profiles/dues', person)).text).filter((link) => link.includes('/do/'));
    const [made, confirmed, retired] = ['import', 'confirm', 'retire'].map(
      (name) => `/profiles/dues/do/${name}-profile`,
    );
    expect(await actionsFor('viewer')).toEqual([]);
    expect(await actionsFor('operator')).toEqual([made, retired]);
    expect(await actionsFor('approver')).toEqual([confirmed, retired]);
    expect(await actionsFor('admin')).toEqual([made, confirmed, retired]);
  });

  it('show what differs between two versions, by default between the one that reads and the newest', async () => {
    const { text } = await look('/profiles/dues/diff?from=1&to=2');
    expect(tableOf(text)).toEqual([['head.titles: + "Fee<b>"'], ['ignore: + "Fee<b>"']]);
    expect(text).not.toContain('<b>');
    expect(tableOf((await look('/profiles/dues/diff')).text)).toEqual(tableOf(text));
    expect(wordsOf((await look('/profiles/dues/diff?from=2&to=2')).text)).toContain('They do not differ.');
  });

  it('show hidden characters of a text by their numbers', async () => {
    await putDraft(world.app.ledger, 'hidden', changed('Fee\u202e<b>'));
    const { text } = await look('/profiles/hidden');
    expect(sectionOf(text, 'Text of version 1')).toContain('FeeU+202E&lt;b>');
    expect(text).not.toMatch(/\u202e|<b>/);
    const refused = await preview(await world.as('viewer'), SAMPLE, { version: '1', profile: 'hidden' });
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('U+202E')]);
  });

  it.each([
    '/profiles/other',
    '/profiles/other/diff',
    '/profiles/other/preview',
    '/profiles/dues?version=9',
    '/profiles/dues/diff?to=9',
    '/profiles/4222222222222220',
  ])('know nothing of %s', async (path) => {
    const { status, text } = await look(path);
    expect(status).toBe(404);
    expect(text.slice(text.indexOf('<main'))).not.toContain('4222222222222220');
  });
});

/** Sends a file to the preview. */
async function preview(
  browser: TestBrowser,
  sample: string | undefined,
  { version = '1', profile = 'dues' }: { version?: string; profile?: string } = {},
) {
  const body = new FormData();
  body.set('_csrf', await browser.csrf());
  body.set('version', version);
  if (sample !== undefined) body.set('sample', new File([sample], 'june.csv'));
  return browser.send(`/profiles/${profile}/preview`, { method: 'POST', body });
}

describe('the preview of a profile', () => {
  it('shows what is sent for each cell, masked, and what would become of the file, but no count and no total', async () => {
    const viewer = await world.as('viewer');
    expect((await viewer.get('/profiles/dues/preview')).text).toContain('name="sample"');
    const { status, text } = await preview(viewer, SAMPLE);
    expect(status).toBe(200);
    const rows = tableOf(sectionOf(text, 'Your cells, and what is sent'));
    expect(rows).toContainEqual(['Due', '25.00', 'Amount: 25.00']);
    expect(wordsOf(text)).toContain('Memo **** **** **** 2220 Comment: **** **** **** 2220');
    expect(text.replaceAll(' ', '')).not.toContain('4222222222222220');
    expect(sectionOf(text, 'What would become of it')).toContain('CARD_NUMBER_IN_TEXT');
    expect(text).not.toContain('55.00');
    expect(await world.states()).toEqual({});
  });

  it('says what does not fit', async () => {
    const { text } = await preview(await world.as('operator'), SAMPLE.replace('25.00', '25'));
    expect(sectionOf(text, 'What would become of it')).toContain('NUMBER_FORMAT');
    const refused = await preview(await world.as('operator'), SAMPLE, { version: '2' });
    expect(sectionOf(refused.text, 'What would become of it')).toContain('TITLES_DIFFER');
  });

  it('asks for a file that was not chosen, and refuses one that is too large', async () => {
    const viewer = await world.as('viewer');
    expect((await preview(viewer, undefined)).status).toBe(400);
    expect((await preview(viewer, 'x'.repeat(3 * 1024 * 1024))).status).toBe(413);
  });
});
