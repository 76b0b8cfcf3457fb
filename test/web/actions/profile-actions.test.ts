import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HANDLERS } from '../../../src/actions/handlers.ts';
import { confirmProfileWith } from '../../../src/actions/profile/confirm-profile.ts';
import { findConfirmed, readVersions } from '../../../src/ledger/profile/read-profiles.ts';
import { readOpenProposals } from '../../../src/ledger/proposal/proposals.ts';
import { PROFILE_TEXT, putDraft } from '../../ledger/support/put-version.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { type ActionPage, doIt, openAction, readAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';

const FOLDER = { path: 'drop/dues', account: 'main', operation: 'card', profile: 'dues' };
const world = openedForTests(() =>
  openDashboardWorld({ account: { secondPerson: { profiles: true } }, settings: { folders: [FOLDER] } }),
);

const READING = { fits: true, rows: 24, cents: 135_500, amounts: [], skipped: [] } as const;
const confirmed = HANDLERS['confirm-profile'];
beforeAll(() => void Object.assign(HANDLERS, { 'confirm-profile': confirmProfileWith(async () => READING) }));
afterAll(() => void Object.assign(HANDLERS, { 'confirm-profile': confirmed }));

/** Sends the form of an action with a file, as a browser does. */
async function upload(
  browser: TestBrowser,
  action: string,
  [field, content]: readonly [field: string, content: string],
  fields: Record<string, string> = {},
): Promise<ActionPage> {
  const body = new FormData();
  for (const [name, value] of Object.entries({ _csrf: await browser.csrf(), ...fields })) body.set(name, value);
  body.set(field, new File([content], 'june.csv', { type: 'text/csv' }));
  return readAction(await browser.send(`/profiles/dues/do/${action}`, { method: 'POST', body }));
}

/** The tests build on each other, as people work. */
describe('the pages of a profile', () => {
  it('take a text from an operator as a draft, and nothing from a viewer', async () => {
    const [viewer, operator] = [await world.as('viewer'), await world.as('operator')];
    expect((await upload(viewer, 'import-profile', ['text', PROFILE_TEXT])).status).toBe(403);
    const plan = await upload(operator, 'import-profile', ['text', PROFILE_TEXT]);
    expect([plan.status, plan.words]).toEqual([
      200,
      expect.stringContaining('It reads nothing until it is confirmed.'),
    ]);
    const form = { ...plan.hidden, reason: 'new export' };
    const done = await upload(operator, 'import-profile', ['text', PROFILE_TEXT], form);
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Imported: dues version 1')]);
    expect(done.words).toContain('For another person: “Confirm a version”');
    expect(done.text).not.toContain('/do/confirm-profile');
    const [version] = await readVersions(world.app.ledger, 'dues');
    expect(version).toMatchObject({ version: 1, state: 'draft', made_by: 'operator:operator' });
    const faulty = await upload(operator, 'import-profile', ['text', 'layout: card\nnope: 1\n']);
    expect([faulty.status, faulty.words]).toEqual([409, expect.stringContaining('PROFILE_KEY')]);
  });

  it('let an approver confirm it only with the figures of the sample, which they do not show before', async () => {
    const [operator, approver] = [await world.as('operator'), await world.as('approver')];
    expect((await operator.get('/profiles/dues/do/confirm-profile')).status).toBe(403);
    const asked = await openAction(approver, '/profiles/dues/do/confirm-profile');
    expect([asked.status, asked.hidden['bind']]).toEqual([200, undefined]);
    expect(asked.words).not.toMatch(/\b1,?355\b/);
    const sample = ['sample', 'a sample'] as const;
    const wrong = await upload(approver, 'confirm-profile', sample, { rows: '24', total: '1355.01' });
    expect([wrong.status, wrong.words]).toEqual([
      409,
      expect.stringContaining('the difference is 0 payments with 0.01'),
    ]);
    const figures = { rows: '24', total: '1355.00' };
    const plan = await upload(approver, 'confirm-profile', sample, figures);
    expect([plan.status, plan.words]).toEqual([200, expect.stringContaining('Both agree.')]);
    const form = { ...figures, ...plan.hidden, reason: 'agreed with Ms Byron' };
    expect((await upload(approver, 'confirm-profile', sample, form)).words).toContain('reads the files of drop/dues');
    expect(await findConfirmed(world.app.ledger.pool, 'dues')).toMatchObject({ confirmed_by: 'operator:approver' });
  });

  it('let its author only propose it, and list that until another person decides', async () => {
    const admin = await world.as('admin');
    await putDraft(world.app.ledger, 'dues', PROFILE_TEXT.replace("decimal: '.'", "decimal: ','"), 'operator:admin');
    const figures = { rows: '24', total: '1355.00' };
    const plan = await upload(admin, 'confirm-profile', ['sample', 'a sample'], figures);
    expect(plan.words).toContain('Another person must confirm');
    const form = { ...figures, ...plan.hidden, reason: 'new export' };
    expect((await upload(admin, 'confirm-profile', ['sample', 'a sample'], form)).words).toContain('Proposed');
    const [open] = await readOpenProposals(world.app.ledger);
    const listed = await openAction(admin, '/approvals');
    expect(listed.words).toContain('profile dues version 2');
    const approver = await world.as('approver');
    expect((await openAction(approver, '/')).words).toContain('dues version 2');
    expect((await openAction(admin, '/')).words).not.toContain('dues version 2');
    const path = `/proposals/${open!.proposal_no}/do/confirm`;
    const { words } = await openAction(approver, path);
    expect(words).toMatch(
      /Sample 24 rows, 1,355\.00 Changes columns\.amount\.number\.decimal: .* Profile dues Version 2/,
    );
    expect((await doIt(approver, path, {})).words).toContain('Proposal');
    expect(await findConfirmed(world.app.ledger.pool, 'dues')).toMatchObject({ version: 2 });
  });

  it('retire it, and the front page then says that its folder takes nothing', async () => {
    const operator = await world.as('operator');
    expect((await openAction(operator, '/')).words).not.toContain('takes no files');
    const done = await doIt(operator, '/profiles/dues/do/retire-profile');
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Retired: dues version 2.')]);
    const front = await openAction(operator, '/');
    expect(front.words).toContain('Folder drop/dues takes no files');
    expect(front.text).toContain('href="/queue?list=failed"');
    const helps = await openAction(operator, '/queue?list=failed');
    expect(helps.text).toContain('href="/profiles/dues/do/import-profile"');
    expect((await openAction(operator, '/profiles/Not%20a%20name/do/retire-profile')).status).toBe(404);
  });
});
