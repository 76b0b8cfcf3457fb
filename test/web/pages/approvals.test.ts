import { beforeAll, describe, expect, it } from 'vitest';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { dashboardForTests } from '../support/dashboard-world.ts';
import { formsOf, sectionOf, tableOf, wordsOf } from '../support/read-page.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { noteUpload } from '../../../src/ledger/file/note-upload.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';

/** Account `side` takes two persons for an approval, `main` one. */
const world = dashboardForTests({
  accounts: {
    side: {
      agentCode: 'SIDE',
      password: 'TEST88',
      server: 'NA',
      country: 'US',
      currency: 'USD',
      secondPerson: { overrides: true },
    },
  },
  settings: {
    folders: ['main', 'side'].map((account) => ({
      path: `drop/${account}`,
      account,
      operation: 'card',
      complete: { by: 'quiet', quietMs: 20, probes: 2 },
      duplicateRows: 'hold',
      sameTotals: 'off',
      limits: { rowAmount: 90 },
    })),
  },
});
const idOf = async (name: string) => (await fileNamed(world, name)).file_id;
beforeAll(async () => {
  const own = lines([cardRow(31, { amount: '95.00' })]);
  const upload = { account: 'main', folder: 'drop/main', name: 'own.csv', bytes: own.length, actor: 'operator:second' };
  await noteUpload(world.app.ledger, { ...upload, sha256: sha256Of(Buffer.from(own)) });
  await world.drop('side', 'held.csv.ctl', 'rows=99\ntotal=1.00\n');
  await world.drop('side', 'held.csv', lines([cardRow(51), cardRow(52)]));
  await world.drop('main', 'twice.csv', lines([cardRow(1), cardRow(2), cardRow(2)]));
  await world.drop('main', 'large.csv', lines([cardRow(11), cardRow(12, { amount: '91.50' })]));
  await world.drop('main', 'own.csv', own);
  await world.drop('main', 'paid.csv', lines([cardRow(41)]));
  await world.finish();
  await world.drop('main', 'again.csv', lines([cardRow(42), cardRow(41)]));
  await world.finish();
});

describe('approvalsPage with proposals', () => {
  it('says what would stand here when nothing waits', async () => {
    const { words } = await openAction(await world.as('viewer'), '/approvals?account=other');
    expect(words).toContain('Nothing to decide');
  });

  it('shows what waits with money, person, reason and evidence, and offers what each may do', async () => {
    const { file_id: fileId } = await fileNamed(world, 'held.csv');
    const because = { actor: 'operator:approver', reason: 'meant <so>', evidence: { overrides: ['CONTROL_TOTALS'] } };
    const no = await proposeApproval(world.app.ledger, fileId, because);
    const shown = async (person: Parameters<typeof world.as>[0]) =>
      openAction(await world.as(person), '/approvals?account=side');
    const { words, text } = await shown('second');
    for (const part of ['held.csv', '2 rows, 50.00 USD', 'approver', 'meant <so>', 'the control file does not match'])
      expect(words).toContain(part);
    expect(text).toContain('meant &lt;so');
    expect(words).toContain('The control file does not match the payment file: it says 99 rows, the file has 2.');
    expect(words).toContain('The whole file: it says a total of 1.00, the file has 50.00');
    const [confirm, refuse] = [`/proposals/${no}/do/confirm`, `/proposals/${no}/do/refuse`];
    const offersOf = (page: { text: string }) =>
      [...page.text.matchAll(/(?:href|action)="(\/(?:proposals|files)\/[^"]+\/do\/[^"]+)"/g)].map(([, to]) => to);
    expect(offersOf({ text })).toEqual([confirm, refuse]);
    expect(offersOf(await shown('operator'))).toEqual([refuse]);
    expect(offersOf(await shown('viewer'))).toEqual([]);
    const own = await shown('approver');
    expect([offersOf(own), own.words]).toEqual([[refuse], expect.stringContaining('another person must confirm')]);
    expect(own.words).toContain('admin or second can confirm it');
    const taken = await doIt(await world.as('approver'), refuse, { reason: 'it was another file' });
    expect(taken.words).toContain('Refused: approve the held file');
    expect((await shown('viewer')).words).toMatch(
      /Decided in the last 30 days.*held\.csv ?: .* Refused .*it was another file/s,
    );
  });
});

/** The tests build on each other. */
describe('approvalsPage with held files', () => {
  it('shows beside each decision what it is about: both rows, the row and its limit, the row paid before', async () => {
    const { text } = await (await world.as('approver')).get('/approvals');
    const rowsOf = (name: string) => tableOf(sectionOf(text, name)).map((cells) => cells.slice(1, 5));
    expect(rowsOf('twice.csv')).toEqual([
      ['Line 2', 'C-2', '', '25.00'],
      ['Line 3', 'C-2', '', '25.00'],
    ]);
    expect(rowsOf('large.csv')).toEqual([['Line 2: 91.50, at most 90.00', 'C-12', '', '91.50']]);
    expect(rowsOf('again.csv')).toEqual([
      [`Line 1 of paid.csv (file ${await idOf('paid.csv')})`, 'C-41', '', '25.00'],
      ['Line 2', 'C-41', '', '25.00'],
    ]);
    expect(text.match(/class="main"/g)).toHaveLength(1);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has no form for the person who uploaded the file, nor for one who may not approve, and says who can', async () => {
    const listFor = async (person: 'second' | 'operator') => (await (await world.as(person)).get('/approvals')).text;
    const own = sectionOf(await listFor('second'), 'own.csv');
    expect(own).not.toContain('<form');
    expect(wordsOf(own)).toContain('You uploaded it. admin or approver can decide.');
    const seen = await listFor('operator');
    expect(sectionOf(seen, 'twice.csv')).not.toContain('<form');
    expect(sectionOf(seen, 'twice.csv')).toContain('Line 3');
    expect(wordsOf(sectionOf(seen, 'own.csv'))).toMatch(/uploaded by second .* admin or approver can decide\./);
  });

  it('decides on the card itself, if the file is still as it was shown', async () => {
    const approver = await world.as('approver');
    const formOf = async (name: string) => {
      const { text } = await approver.get(`/approvals?file=${await idOf(name)}`);
      const [form] = formsOf(sectionOf(text, name));
      return { ...form!, values: Object.fromEntries(form!.fields.map((field) => [field.name, field.value])) };
    };
    const { action, values } = await formOf('twice.csv');
    const wrong = await approver.post(action, { reason: 'both meant', bind: 'x'.repeat(32) });
    expect([wrong.status, wordsOf(wrong.text)]).toEqual([409, expect.stringContaining('This has changed')]);
    const done = await approver.post(action, { ...values, reason: 'both meant' });
    expect([done.status, wordsOf(done.text)]).toEqual([200, expect.stringContaining('Approved: 3 rows, 75.00 USD')]);
    const { location } = await approver.get(`/approvals?file=${await idOf('twice.csv')}`);
    expect(location).toBe(`/files/${await idOf('twice.csv')}/do/approve`);
  });
});
