import { beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../../src/ledger/overview/list-audit.ts';
import { listRuns, readReprocess } from '../../../src/ledger/reprocess/judge-items.ts';
import { selectPicked } from '../../../src/ledger/reprocess/select-items.ts';
import { forceSql } from '../../support/force-sql.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { doIt, fileNamed, openAction, readAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';
import { linksOf } from '../support/read-page.ts';

const OPERATOR = { actor: 'operator:operator', reason: 'selected' };
const FILES = { 'few.csv': 1, 'many.csv': 3, 'ticked.csv': 2, 'stopped.csv': 2 };
type Name = keyof typeof FILES;

const world = openedForTests(() =>
  openDashboardWorld({
    folder: { sameTotals: 'off' },
    settings: { reprocess: { secondPersonAbove: { payments: 2, money: 1_000 } } },
  }),
);
let operator: TestBrowser;
beforeAll(async () => {
  operator = await world.as('operator');
  const declined = (n: number) => cardRow(n, { card: MAGIC_CARD, amount: '2.00' });
  for (const [index, [name, rows]] of Object.entries(FILES).entries())
    await world.drop('card', name, lines(Array.from({ length: rows }, (_, row) => declined(10 * index + row + 1))));
  await world.finish();
});

const idOf = async (name: Name) => (await fileNamed(world, name)).file_id;
const pathOf = (no: number) => `/queue/selections/${no}`;

/** Selects the first payments of a file. */
async function selected(name: Name, rows: number): Promise<{ no: number; path: string }> {
  const fileId = await idOf(name);
  const lineNos = Array.from({ length: rows }, (_, index) => ({ fileId, line: index + 1 }));
  const no = await selectPicked(world.app.ledger, { rows: lineNos, batches: [], lost: [] }, OPERATOR);
  return { no, path: `${pathOf(no)}/do` };
}

const stateOf = async (no: number) => (await readReprocess(world.app.ledger.pool, no)).state;
const countRuns = async () => (await listRuns(world.app.ledger, 100)).length;

describe('reprocess', () => {
  it('shows the plan, asks why, begins the run, and leads to its page, however often its button is clicked', async () => {
    const { no, path } = await selected('few.csv', 1);
    const { words, text, hidden } = await openAction(operator, `${path}/reprocess`);
    for (const part of [
      'Sends 1 row, 2.00 USD of account main of 1 file again',
      'Payments 1 Total in USD 2.00 USD',
      'few.csv',
      'Reprocess 1 payment',
    ])
      expect(words).toContain(part);
    expect(text).toContain(`value="Selection ${no}"`);
    const silent = await doIt(operator, `${path}/reprocess`, { reason: '' });
    expect([silent.status, await stateOf(no)]).toEqual([400, 'selected']);
    const form = { ...hidden, reason: 'the line is up again', name: 'Declines of June' };
    const clicks = await Promise.all([1, 2, 3].map(() => operator.post(`${path}/reprocess`, form)));
    expect(clicks.map(({ status, location }) => [status, location])).toEqual(clicks.map(() => [303, pathOf(no)]));
    expect(await readReprocess(world.app.ledger.pool, no)).toMatchObject({
      state: 'running',
      name: 'Declines of June',
      begun_by: 'operator:operator',
    });
    expect((await operator.get(`${path}/reprocess`)).location).toBe(pathOf(no));
    const page = await openAction(operator, pathOf(no));
    for (const part of ['Declines of June', '0 of 1 payment:', 'few.csv Waits 1 2.00 USD'])
      expect(page.words).toContain(part);
    expect(page.text).toContain('<noscript><meta http-equiv="refresh" content="3"/></noscript>');
    const stopped = await doIt(operator, `${path}/stop-run`, {});
    expect([stopped.status, stopped.location]).toEqual([303, pathOf(no)]);
    expect((await openAction(operator, pathOf(no))).words).toContain('Stopped by operator');
    await forceSql(world.app, `UPDATE reprocess_run SET state = 'ended' WHERE run_no = ${no}`);
    expect((await openAction(operator, pathOf(no))).text).not.toContain('http-equiv="refresh"');
  });

  it('is proposed when it is much; another person sees its plan and begins it', async () => {
    const { no, path } = await selected('many.csv', 3);
    const proposed = await doIt(operator, `${path}/reprocess`, { reason: 'the line is up again', name: 'Declines' });
    expect([proposed.status, proposed.location]).toEqual([303, pathOf(no)]);
    const own = await openAction(operator, pathOf(no));
    expect(own.words).toContain('Nothing happens until another person confirms it');
    expect(own.text).not.toContain('<form method="post" action="/queue');
    const approver = await world.as('approver');
    const listed = await openAction(approver, '/approvals');
    for (const part of ['Declines', '3 rows, 6.00', 'See the plan', 'reprocess the selected payments'])
      expect(listed.words).toContain(part);
    expect(linksOf(listed.text)).toContain(pathOf(no));
    expect((await openAction(approver, pathOf(no))).words).toContain('3 rows, 6.00 USD of account main of 1 file');
    const [, proposalNo] = /\/proposals\/(\d+)\/do\/confirm/.exec(listed.text)!;
    expect(await stateOf(no)).toBe('selected');
    const confirmed = await doIt(approver, `/proposals/${proposalNo}/do/confirm`, {});
    expect([confirmed.status, await stateOf(no)]).toEqual([200, 'running']);
    expect(linksOf(confirmed.text)).toContain(pathOf(no));
    await doIt(operator, `${path}/stop-run`, {});
  });

  it('is nothing for a viewer, and nothing where there is no selection', async () => {
    const { no, path } = await selected('ticked.csv', 1);
    const viewer = await world.as('viewer');
    expect((await openAction(viewer, `${path}/reprocess`)).status).toBe(403);
    expect((await openAction(viewer, pathOf(no))).words).toContain('Nothing is done yet');
    const statusOf = async (odd: string) => (await operator.get(`/queue/selections/${odd}`)).status;
    for (const odd of [String(no + 100), '0', 'x', '1e3', '9'.repeat(20)]) expect(await statusOf(odd)).toBe(404);
    expect(await statusOf('%00')).toBe(400);
  });
});

describe('a selection', () => {
  const select = async (form: Record<string, string> | URLSearchParams) => {
    const body = new URLSearchParams(form);
    body.set('_csrf', await operator.csrf());
    return readAction(await operator.send('/queue/selections', { method: 'POST', body }));
  };
  const LIST = '/queue?list=again&advice=all&after=9.1';

  it('holds what was ticked, and leads to its plan and back to the list', async () => {
    const fileId = await idOf('ticked.csv');
    const { status, location } = await select(
      new URLSearchParams([
        ['item', `${fileId}/1`],
        ['item', `${fileId}/2`],
        ['from', LIST],
      ]),
    );
    expect([status, location]).toEqual([303, expect.stringMatching(/^\/queue\/selections\/\d+\?from=/)]);
    const plan = await operator.get(location!);
    expect(plan.location).toBe(location!.replace('?', '/do/reprocess?'));
    const { text, words, hidden } = await openAction(operator, plan.location!);
    expect(words).toContain('2 rows, 4.00 USD of account main of 1 file');
    expect(hidden['from']).toBe(LIST);
    const begun = await operator.post(plan.location!.split('?')[0]!, { ...hidden, reason: 'up again' });
    expect(begun.location).toBe(location);
    expect(linksOf((await operator.get(begun.location!)).text)).toContain(LIST);
    expect(linksOf(text)).toContain(LIST);
    await doIt(operator, `${location!.split('?')[0]!}/do/stop-run`, {});
  });

  it.each(['//evil.example/', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)'])(
    'never leads to %s',
    async (from) => {
      const { location } = await select({ item: `${await idOf('ticked.csv')}/1`, from });
      expect(location).not.toContain('from');
      const page = await operator.get(`${location}/do/reprocess?from=${encodeURIComponent(from)}`);
      expect([page.status, page.text.includes('evil'), page.text.includes('alert')]).toEqual([200, false, false]);
    },
  );

  it('of a file or of a whole list is frozen when the button is clicked', async () => {
    await forceSql(world.app, `UPDATE row_outcome SET code = 14 WHERE outcome = 'declined'`);
    const file = await select({ file: await idOf('many.csv') });
    expect((await openAction(operator, `${file.location}/do/reprocess`)).words).toContain('3 rows, 6.00 USD');
    const all = await select({ all: '1', advice: 'later', account: 'main', item: 'ignored' });
    const plan = await openAction(operator, `${all.location}/do/reprocess`);
    expect(plan.words).toContain('8 rows, 16.00 USD of account main of 4 files');
    expect(plan.words).toContain('You propose this');
    expect((await select({ all: '1', advice: 'fix' })).words).toContain('there are none that may go again');
    expect((await select({ all: '1', advice: 'later', account: 'other' })).status).toBe(409);
  });

  it('of forged, charged or odd items is refused, and changes nothing', async () => {
    const fileId = await idOf('few.csv');
    await forceSql(
      world.app,
      `UPDATE row_outcome SET outcome = 'unknown', code = NULL WHERE line = 1 AND file_no = $1`,
      [(await fileNamed(world, 'few.csv')).file_no],
    );
    const count = await countRuns();
    const tries: readonly [string, number][] = [
      [`${fileId}/1`, 409],
      [`batch:${fileId}/1`, 409],
      [`${fileId}/999`, 404],
      ['lost:4711', 404],
      [`${fileId}/1; DROP TABLE file`, 400],
      ['4111111111111111', 400],
    ];
    for (const [item, status] of tries) {
      const answer = await select({ item, from: LIST });
      expect([item, answer.status, answer.words]).toEqual([
        item,
        status,
        expect.stringContaining('Nothing was selected'),
      ]);
      expect(linksOf(answer.text)).toContain(LIST);
      expect(answer.text).not.toContain('4111111111111111');
    }
    expect((await select({})).words).toContain('nothing is ticked');
    expect((await select({ run: '99999' })).status).toBe(409);
    expect(await countRuns()).toBe(count);
    const viewer = await world.as('viewer');
    expect((await viewer.post('/queue/selections', { all: '1' })).status).toBe(403);
    expect(await countRuns()).toBe(count);
  });
});

describe('the page of a run', () => {
  it('ends with what became of each payment, links to its new file, and offers the rest again', async () => {
    const { no, path } = await selected('stopped.csv', 2);
    await doIt(operator, `${path}/reprocess`, { reason: 'the line is up again', name: '=Run' });
    await doIt(operator, `${path}/stop-run`, {});
    await world.finish();
    const page = await openAction(operator, pathOf(no));
    for (const part of [
      '2 of 2 payments: 0 sent again, 2 left out, 0 failed',
      'Left out 2 4.00 USD',
      'Stopped by operator',
    ])
      expect(page.words).toContain(part);
    const again = await operator.post('/queue/selections', { run: String(no) });
    await doIt(operator, `${again.location}/do/reprocess`, { reason: 'now it may' });
    await world.finish();
    const after = await openAction(operator, again.location!);
    expect(after.words).toContain('2 of 2 payments: 2 sent again, 0 left out, 0 failed');
    const newFile = linksOf(after.text).filter((link) => link.startsWith('/files/'))[1]!;
    const back = await openAction(operator, newFile);
    expect(back.words).toContain('This file has rows of stopped.csv');
    expect(linksOf(back.text)).toContain(again.location);
  });

  it('is exported line by line, which the audit trail records', async () => {
    const [run] = await listRuns(world.app.ledger, 1);
    const { status, text } = await operator.get(`/export/run.csv?run=${run!.run_no}`);
    expect(status).toBe(200);
    const [titles, ...rows] = text.trim().split('\r\n');
    expect(titles!.replace('\ufeff', '')).toBe('File,Line,Account,Invoice,Number,Amount,Result,What happened,New file');
    expect(rows).toHaveLength(2);
    for (const [index, row] of rows.entries())
      expect(row).toMatch(
        new RegExp(`^stopped\\.csv,${index + 1},main,C-3${index + 1},••1111,2\\.00,Sent again,.*: 2 payments,stopped`),
      );
    const [taken] = await listAudit(world.app.ledger, { move: 'export', limit: 1 });
    expect(taken!.evidence).toMatchObject({ list: 'run', filter: { run: run!.run_no }, rows: 2, isWhole: true });
    expect((await operator.get('/export/run.csv?run=x')).status).toBe(404);
  });

  it('is listed on the queue for 30 days', async () => {
    const [run] = await listRuns(world.app.ledger, 1);
    const listed = async () => linksOf((await operator.get('/queue?list=finished')).text).includes(pathOf(run!.run_no));
    expect(await listed()).toBe(true);
    await forceSql(world.app, `UPDATE reprocess_run SET begun_at = begun_at - interval '31 days'`);
    expect(await listed()).toBe(false);
  });
});
