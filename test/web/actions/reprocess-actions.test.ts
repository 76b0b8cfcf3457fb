import { beforeAll, describe, expect, it } from 'vitest';
import { readReprocess } from '../../../src/ledger/reprocess/judge-items.ts';
import { selectPicked } from '../../../src/ledger/reprocess/select-items.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { doIt, fileNamed, openAction } from '../support/action-page.ts';
import { openDashboardWorld, type TestBrowser } from '../support/dashboard-world.ts';

const OPERATOR = { actor: 'operator:operator', reason: 'selected' };

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
  for (const [index, name] of ['few.csv', 'many.csv', 'asked.csv'].entries()) {
    const rows = name === 'many.csv' ? [1, 2, 3] : [1];
    await world.drop('card', name, lines(rows.map((n) => declined(10 * index + n))));
  }
  await world.finish();
});

/** Selects the first payments of a file. */
async function selected(name: string, rows: number): Promise<{ no: number; path: string }> {
  const { file_id: fileId } = await fileNamed(world, name);
  const lineNos = Array.from({ length: rows }, (_, index) => ({ fileId, line: index + 1 }));
  const no = await selectPicked(world.app.ledger, { rows: lineNos, batches: [], lost: [] }, OPERATOR);
  return { no, path: `/queue/selections/${no}/do` };
}

const stateOf = async (no: number) => (await readReprocess(world.app.ledger.pool, no)).state;

describe('reprocess', () => {
  it('shows the plan, asks why, and begins the run', async () => {
    const { no, path } = await selected('few.csv', 1);
    const { words, text } = await openAction(operator, `${path}/reprocess`);
    for (const part of ['1 row, 2.00 USD of account main of 1 file are sent again', 'few.csv', 'Reprocess 1 payment'])
      expect(words).toContain(part);
    expect(text).toContain(`value="Selection ${no}"`);
    const silent = await doIt(operator, `${path}/reprocess`, { reason: '' });
    expect([silent.status, await stateOf(no)]).toEqual([400, 'selected']);
    const done = await doIt(operator, `${path}/reprocess`, {
      reason: 'the line is up again',
      name: 'Declines of June',
    });
    expect([done.status, done.words]).toEqual([200, expect.stringContaining('Begun: 1 payment')]);
    expect(await readReprocess(world.app.ledger.pool, no)).toMatchObject({
      state: 'running',
      name: 'Declines of June',
      begun_by: 'operator:operator',
    });
    expect((await doIt(operator, `${path}/stop-run`, {})).words).toContain('Stopped: 1 payment is left out');
  });

  it('is proposed when it is much; another person begins it from the list of proposals', async () => {
    const { no, path } = await selected('many.csv', 3);
    const proposed = await doIt(operator, `${path}/reprocess`, { reason: 'the line is up again', name: 'Declines' });
    expect(proposed.words).toContain('Another person must confirm it');
    const approver = await world.as('approver');
    const listed = await openAction(approver, '/approvals');
    for (const part of ['Declines', '3 rows, 6.00', 'See the plan', 'reprocess the selected payments'])
      expect(listed.words).toContain(part);
    const [, proposalNo] = /\/proposals\/(\d+)\/do\/confirm/.exec(listed.text)!;
    expect(await stateOf(no)).toBe('selected');
    const confirmed = await doIt(approver, `/proposals/${proposalNo}/do/confirm`, {});
    expect([confirmed.status, await stateOf(no)]).toEqual([200, 'running']);
  });

  it('is nothing for a viewer, and nothing where there is no selection', async () => {
    const { no, path } = await selected('asked.csv', 1);
    expect((await openAction(await world.as('viewer'), `${path}/reprocess`)).status).toBe(403);
    expect((await openAction(operator, `/queue/selections/${no + 100}/do/reprocess`)).status).toBe(404);
  });
});
