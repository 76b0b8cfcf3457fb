import { beforeAll, describe, expect, it } from 'vitest';
import { declineFile, proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { noteUpload } from '../../../src/ledger/transfer/note-upload.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { actionsOf, doIt, fileNamed, openAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const ADA = { actor: 'operator:ada', reason: 'Ms Byron confirms it', evidence: { overrides: ['CONTROL_TOTALS'] } };
const NAMES = ['sent.csv', 'unwanted.csv', 'own.csv', 'made.csv', 'declined.csv', 'changed.csv'];

const world = openedForTests(() =>
  openDashboardWorld({ account: { secondPerson: { overrides: true } }, folder: { sameTotals: 'off' } }),
);
let approver: TestBrowser;
let second: TestBrowser;
beforeAll(async () => {
  [approver, second] = [await world.as('approver'), await world.as('second')];
  for (const [index, name] of NAMES.entries()) {
    const content = lines([cardRow(2 * index + 1), cardRow(2 * index + 2)]);
    const upload = { account: 'main', folder: 'drop/card', name, bytes: content.length, actor: 'operator:second' };
    if (name === 'made.csv') await noteUpload(world.app.ledger, { ...upload, sha256: sha256Of(Buffer.from(content)) });
    await world.drop('card', `${name}.ctl`, 'rows=99\n');
    await world.drop('card', name, content);
  }
  await world.finish();
});

async function proposed(name: string, because = ADA): Promise<string> {
  const { file_id: fileId } = await fileNamed(world, name);
  return `/proposals/${await proposeApproval(world.app.ledger, fileId, because)}/do`;
}

describe('confirm', () => {
  it('shows who proposed what and why, and does it', async () => {
    const path = await proposed('sent.csv');
    const plan = await openAction(approver, `${path}/confirm`);
    for (const words of [
      'what ada proposed',
      'Ms Byron confirms it',
      'Needs approval because the control file does not match',
      'Total 50.00 USD',
      'sent.csv',
    ])
      expect(plan.words).toContain(words);
    const done = await doIt(approver, `${path}/confirm`, {});
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Confirmed: approve the held file')]);
    const { file_id: fileId, state } = await fileNamed(world, 'sent.csv');
    expect(state).toBe('accepted');
    expect(await actionsOf(world, fileId)).toEqual([
      'operator:ada propose: Ms Byron confirms it',
      'operator:approver confirm: Ms Byron confirms it',
      'operator:approver approve: Ms Byron confirms it',
    ]);
    const again = await openAction(approver, `${path}/confirm`);
    expect([again.status, again.words]).toEqual([409, expect.stringContaining('it is confirmed')]);
  });

  it('is refused to the person who proposed it, who may take it back', async () => {
    const { file_id: fileId } = await fileNamed(world, 'own.csv');
    await doIt(approver, `/files/${fileId}/do/approve`, { reason: 'meant so' });
    const shown = await approver.get('/approvals');
    const [, no = ''] = /\/proposals\/(\d+)\/do\/refuse/.exec(shown.text)!;
    const { status, words } = await openAction(approver, `/proposals/${no}/do/confirm`);
    expect([status, words]).toEqual([403, expect.stringContaining('cannot also confirm it')]);
    const { hidden } = await openAction(second, `/proposals/${no}/do/confirm`);
    expect((await approver.post(`/proposals/${no}/do/confirm`, hidden)).status).toBe(403);
    const taken = await doIt(approver, `/proposals/${no}/do/refuse`, { reason: 'it was another file' });
    expect(taken.words).toContain('Refused: approve the held file');
    const { words: approvals } = await openAction(approver, '/approvals');
    expect(approvals).toMatch(/Decided in the last 30 days.*own\.csv ?: .* Refused .*it was another file/s);
    expect((await fileNamed(world, 'own.csv')).state).toBe('held');
  });

  it('is refused to the person who dropped the file on the dashboard, and not to another', async () => {
    const path = await proposed('made.csv');
    const { status, words } = await openAction(second, `${path}/confirm`);
    expect([status, words]).toEqual([403, expect.stringContaining('the same person dropped it on the dashboard')]);
    expect((await doIt(approver, `${path}/confirm`, {})).status).toBe(200);
  });

  it('does nothing when the file went another way, or is not what it was proposed for', async () => {
    const declined = await proposed('declined.csv');
    await declineFile(world.app.ledger, (await fileNamed(world, 'declined.csv')).file_id, ADA);
    expect((await openAction(approver, `${declined}/confirm`)).words).toContain('it is void');
    const changed = await proposed('changed.csv');
    await world.app.ledger.pool.query(
      `UPDATE proposal SET binding = '{"rows": 1}' WHERE verdict IS NULL AND file_id = $1`,
      [(await fileNamed(world, 'changed.csv')).file_id],
    );
    const { status, words } = await openAction(approver, `${changed}/confirm`);
    expect([status, words]).toEqual([409, expect.stringContaining('has changed since')]);
    expect((await fileNamed(world, 'changed.csv')).state).toBe('held');
  });
});

describe('refuse', () => {
  it('ends it without doing anything, also by an operator', async () => {
    const path = await proposed('unwanted.csv');
    const done = await doIt(await world.as('operator'), `${path}/refuse`, { reason: 'the sender wants it back' });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Nothing was done.')]);
    const { file_id: fileId, state } = await fileNamed(world, 'unwanted.csv');
    expect(state).toBe('held');
    expect((await actionsOf(world, fileId)).at(-1)).toBe('operator:operator refuse-proposal: the sender wants it back');
    expect((await doIt(approver, `${path}/confirm`, {})).status).toBe(409);
  });
});
