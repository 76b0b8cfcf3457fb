import { beforeAll, describe, expect, it } from 'vitest';
import { readBatches } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { CARD, cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { formsOf, linksOf, sectionOf, tableOf, wordsOf } from '../support/read-page.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { noteUpload } from '../../../src/ledger/transfer/note-upload.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { dayInZone } from '../../../src/calendar/zone-time.ts';
import { runNow } from '../../../src/actions/run-now.ts';
import { runSchedule } from '../../../workers/schedule/schedule.ts';
import { openDoubtWorld } from '../support/doubt-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

describe('/search', () => {
  const world = dashboardForTests();
  let viewer: TestBrowser;
  let file: FileRow;
  let batchId: string;
  beforeAll(async () => {
    await world.drop('card', 'monday.csv', lines([cardRow(1), cardRow(2, { invoice: '20260615001' })]));
    await world.drop(
      'card',
      'declined.csv',
      lines([cardRow(9, { invoice: 'c-02', amount: '16.00', card: MAGIC_CARD })]),
    );
    await world.finish();
    file = await findFile(world.app.ledger, 'monday.csv');
    batchId = (await readBatches(world.app.ledger, file.file_id))[0]!.batch_id!;
    viewer = await world.as('viewer');
  });
  const search = (q: string) => viewer.get(`/search?q=${encodeURIComponent(q)}`);

  it('tells what became of payments and what to do, and leads to the page of each', async () => {
    const found = sectionOf((await search('c-')).text, 'Payments');
    expect(
      tableOf(found)
        .map((row) => row.slice(0, 6).join(' | '))
        .toSorted(),
    ).toEqual([
      'C-1 | 25.00 USD | Approved | Charged or refunded |  | ••2220',
      'c-02 | 16.00 USD | Declined | The card could not be processed; check the card data | Correct the row before it is sent again | ••1111',
    ]);
    expect(linksOf(found)).toContain(`/payments/${file.file_id}/1`);
  });

  it('finds a file by its id, the first letters of it and a part of its name, as one result', async () => {
    for (const words of [file.file_id, file.file_id.slice(0, 6), 'MONDAY'])
      expect(tableOf(sectionOf((await search(words)).text, 'Files')).map((row) => row[1])).toEqual(['monday.csv']);
  });

  it('finds a batch by the id of the service', async () => {
    const found = sectionOf((await search(batchId)).text, 'Batches');
    expect(tableOf(found)[0]!.slice(0, 3)).toEqual(['Reconciled', 'Batch 1 of monday.csv', 'main']);
    expect(linksOf(found)).toEqual([`/files/${file.file_id}/batches/1`]);
  });

  it('says what can be searched for, when there is nothing, and when a fact is missing', async () => {
    expect(wordsOf((await viewer.get('/search')).text)).toContain('What you can search for');
    expect(wordsOf((await search('nobody')).text)).toContain('Nothing fits.');
    const { text } = await search('last:2220');
    expect(wordsOf(text)).toContain('add the amount, a day or an account');
    expect(text).not.toContain('Nothing fits.');
  });

  it('repeats long numbers masked in the title and in the field', async () => {
    const { text } = await search('20260615001');
    expect(wordsOf(text)).toContain('Search for *******5001');
    expect(tableOf(sectionOf(text, 'Payments'))).toHaveLength(1);
    expect(text).not.toContain('value="20260615001"');
  });

  it.each([CARD, '4222 2222 2222 2220', '4222-2222-2222-2220', `card ${CARD} of June`, '900000000001'])(
    'refuses the long number "%s" before anything else, and repeats it nowhere',
    async (words) => {
      for (const browser of [viewer, world.stranger()]) {
        const { status, text, location } = await browser.get(`/search?q=${encodeURIComponent(words)}`);
        expect([status, location]).toEqual([400, undefined]);
        expect(wordsOf(text)).toContain('Numbers of 12 digits or more are not searched.');
        expect(text.replaceAll(/\D/g, '')).not.toContain(words.replaceAll(/\D/g, ''));
      }
    },
  );

  it.each(['%', '_', "'; --", '\\', 'x'.repeat(5_000), '__proto__'])('answers "%s"', async (words) => {
    expect((await search(words)).status).toBe(200);
  });
});

describe('approvalsPage with proposals', () => {
  const world = dashboardForTests({ account: { secondPerson: { overrides: true } } });
  beforeAll(async () => {
    await world.drop('card', 'held.csv.ctl', 'rows=99\ntotal=1.00\n');
    await world.drop('card', 'held.csv', lines([cardRow(1), cardRow(2)]));
    await world.finish();
  });

  it('says what would stand here when nothing waits', async () => {
    const { words } = await openAction(await world.as('viewer'), '/approvals?account=other');
    expect(words).toContain('Nothing to decide');
  });

  it('shows what waits with money, person, reason and evidence, and offers what each may do', async () => {
    const { file_id: fileId } = await fileNamed(world, 'held.csv');
    const because = { actor: 'operator:approver', reason: 'meant <so>', evidence: { overrides: ['CONTROL_TOTALS'] } };
    const no = await proposeApproval(world.app.ledger, fileId, because);
    const shown = async (person: Parameters<typeof world.as>[0]) => openAction(await world.as(person), '/approvals');
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
  });
});

/** The tests build on each other. */
describe('approvalsPage with held files', () => {
  const world = dashboardForTests({ folder: { duplicateRows: 'hold', sameTotals: 'off', limits: { rowAmount: 90 } } });
  const idOf = async (name: string) => (await fileNamed(world, name)).file_id;
  beforeAll(async () => {
    const own = lines([cardRow(31, { amount: '95.00' })]);
    const upload = {
      account: 'main',
      folder: 'drop/card',
      name: 'own.csv',
      bytes: own.length,
      actor: 'operator:second',
    };
    await noteUpload(world.app.ledger, { ...upload, sha256: sha256Of(Buffer.from(own)) });
    await world.drop('card', 'twice.csv', lines([cardRow(1), cardRow(2), cardRow(2)]));
    await world.drop('card', 'large.csv', lines([cardRow(11), cardRow(12, { amount: '91.50' })]));
    await world.drop('card', 'own.csv', own);
    await world.drop('card', 'paid.csv', lines([cardRow(41)]));
    await world.finish();
    await world.drop('card', 'again.csv', lines([cardRow(42), cardRow(41)]));
    await world.finish();
  });

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

/** The tests build on each other. */
describe('schedulesPage', () => {
  const world = dashboardForTests({
    folder: { schedule: 'nightly' },
    settings: {
      schedules: {
        nightly: { does: 'take', at: '23:59', timeZone: 'Pacific/Kiritimati' },
        close: { does: 'day-close', at: '23:59', account: 'main' },
        idle: { does: 'take', at: '23:59' },
      },
    },
  });
  async function linesOf(person: 'viewer' | 'operator'): Promise<string[]> {
    const { status, text } = await (await world.as(person)).get('/schedules');
    expect(status).toBe(200);
    const [, body = ''] = /<tbody[^>]*>(.*)<\/tbody>/s.exec(text) ?? [];
    return body.split('</tr>').slice(0, -1);
  }

  it('says of each what it does, when next by its own clock, and that it has not run', async () => {
    const [nightly, close, idle] = (await linesOf('viewer')).map((line) => wordsOf(line));
    expect(nightly).toMatch(
      /^nightly takes the files in drop\/card, drop\/ach-charge, drop\/ach-refund 23:59 Kiritimati, \d\d:59 yours · in .* none yet$/,
    );
    expect(close).toMatch(/^close closes the day: writes its report 23:59 · in .* none yet$/);
    expect(idle).toMatch(/^idle takes files, but no folder names it/);
  });

  it('offers a run by hand to those who may, and to nobody else', async () => {
    expect((await linesOf('operator'))[0]).toContain('href="/schedules/nightly/do/run-now"');
    expect((await linesOf('viewer')).join('')).not.toContain('run-now');
  });

  it('says what became of the last run', async () => {
    await runSchedule(world.app, { schedule: 'nightly' });
    await runNow(world.app, 'nightly', { because: { actor: 'operator:operator', reason: 'early' } });
    const day = dayInZone(world.app.clock.now(), 'Pacific/Kiritimati');
    expect(wordsOf((await linesOf('viewer'))[0]!)).toContain(`${day} Done 0 files taken`);
  });
});

function actionLinks(text: string): string[] {
  return [...text.matchAll(/href="[^"]*\/do\/([\w-]+)[^"]*"/g)].map(([, action]) => action!);
}

describe('resolvePage', () => {
  const world = openedForTests(() =>
    openDoubtWorld({
      lost: { operation: 'ach-charge', isBooked: false, account: { timeZone: 'America/Toronto' } },
      paired: { operation: 'ach-charge', isBooked: false, account: { secondPerson: { resolutions: true } } },
    }),
  );

  it('shows what is known, and every way out with its action, the safest first', async () => {
    const { status, words, text } = await openAction(
      await world.as('operator'),
      `${await world.pathOf('lost')}/resolve`,
    );
    expect(status).toBe(200);
    for (const part of [
      'Resolve batch 1 of lost.csv',
      'The service may or may not have taken this batch',
      'Do not drop the file again',
      'Rows 2',
      'Total 50.00 USD',
      'Attempt 1',
      'Returned nothing',
      'Written',
      'This is possible from',
      'approved ACH/EFT payments',
    ])
      expect(words).toContain(part);
    expect(actionLinks(text)).toEqual(['adopt', 'probe', 'journal', 'not-received', 'close-in-doubt']);
  });

  it('lets a person who may not do it read it, without the links', async () => {
    for (const person of ['viewer', 'approver'] as const) {
      const { status, words, text } = await openAction(await world.as(person), `${await world.pathOf('lost')}/resolve`);
      expect([status, actionLinks(text)]).toEqual([200, []]);
      expect(words).toContain('Your role can view these; an operator can do them.');
      expect(words).toContain('Mark it as not received');
    }
  });

  it('leads to the second person while a proposal waits', async () => {
    await world.age('paired', 'attempt', 25);
    const base = await world.pathOf('paired');
    const before = await openAction(await world.as('operator'), `${base}/resolve`);
    expect(before.words).toContain('Another person must confirm it.');
    const form = { evidence: 'Ann of the service desk, ticket 4711', reason: 'never arrived' };
    await doIt(await world.as('operator'), `${base}/do/not-received`, form);
    const { words, text } = await openAction(await world.as('approver'), `${base}/resolve`);
    expect(words).toContain('operator proposed: not received.');
    expect(actionLinks(text)).toEqual(['confirm', 'refuse']);
  });

  it('says of a batch that is not in doubt that there is nothing to resolve', async () => {
    const path = (await world.pathOf('lost')).replace('/batches/1', '/batches/2/resolve');
    expect((await openAction(await world.as('viewer'), path)).words).toContain('There is nothing to resolve.');
    expect((await openAction(await world.as('viewer'), path.replace('/2/', '/9/'))).status).toBe(404);
  });
});
