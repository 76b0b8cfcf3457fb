import { countPaidTwice, readPaidTwice } from '../../../src/ledger/duplicates/read-double-charges.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { findLastingCauses } from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { countNeeds, readNeeds } from '../../../src/explain/needs-you.ts';
import { describeAlarm } from '../../../workers/upkeep/alarms/describe-alarm.ts';
import { readDayReport } from '../../../workers/schedule/read-day-report.ts';
import { dayReportText } from '../../../src/reconcile/outputs/day-report.ts';
import { cardRow, lines, MAGIC_CARD } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

/** What `release`, `acknowledge` and the views say about a payment that was charged after it was sent again. */

const because = { actor: 'operator:ada', reason: 'wait' };
const ANN = 'operator:ann';

const world = openedForTests(() =>
  openCliWorld({ folder: { sameTotals: 'off' }, settings: { batch: { maxRows: 1 } } }),
);
const declined = cardRow(1, { card: MAGIC_CARD, amount: '2.00' });

/** The service says that it has charged the row after all. */
async function approveLate(name: string): Promise<void> {
  const { file_id: fileId } = await findFile(world.app.ledger, name);
  const row = { line: 1, outcome: 'approved', code: null, message: 'Approved', authorization: '1' } as const;
  const by = { actor: 'worker:poll', reason: 'it says so', source: 'asked again' };
  await transact(world.app.ledger, (tx) => changeOutcomes(tx, { fileId, batchNo: 1 }, [row], by));
}

const alarms = async () =>
  (await findLastingCauses(world.app.ledger)).filter(
    ({ kind }) => kind === 'paid_meanwhile' || kind === 'perhaps_twice',
  );
const needs = async () => (await readNeeds(world.app.ledger, world.app.settings, ANN)).map(({ kind }) => kind);

beforeAll(async () => {
  await world.drop('card', 'monday.csv', lines([declined]));
  await world.finish();
  await pauseAccount(world.app.ledger, 'main', because);
  await world.drop('card', 'tuesday.csv', lines([declined, cardRow(7)]));
  await world.finish();
  await approveLate('monday.csv');
  await resumeAccount(world.app.ledger, 'main', because);
  await world.finish();
});

describe('a batch that is perhaps paid already', () => {
  it('does not leave, and everything else does', async () => {
    expect(world.sandbox.books().map(({ invoice }) => invoice)).toHaveLength(2);
    expect(await world.states()).toEqual({ 'monday.csv': 'completed', 'tuesday.csv': 'in_progress' });
  });

  it('stands in status, with status 3', async () => {
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(3);
    expect(out).toMatch(
      /Perhaps paid already\n(.*\n){2}main +\S+\/1 +tuesday\.csv +1 +2\.00 .* 1 row +\S+\/1 line 1\n/,
    );
    const json = JSON.parse((await world.paydrop('status', '--json')).out) as Record<string, unknown>;
    expect(json).toMatchObject({ paid: [{ name: 'tuesday.csv', matches: 1 }], twice: [] });
  });

  it('says in why which other row was charged, since when, and what can be done', async () => {
    const { out } = await world.paydrop('why', 'tuesday.csv/1');
    expect(out).toMatch(
      /Perhaps paid already: line 1 is line 1 of monday\.csv \(\S+\/1: invoice \S+, 2\.00\), APPROVED.* since .* \(asked again\)\./i,
    );
    expect(out).toMatch(/"paydrop cancel \S+\/1 --reason …"\. If they are two payments: "paydrop release \S+\/1/);
    expect(out).not.toContain('There is nothing to do');
    expect((await world.paydrop('why', 'tuesday.csv')).out).toContain('Perhaps paid already: line 1 is line 1 of');
  });

  it('is an alarm and waits for a person', async () => {
    const [alarm] = await alarms();
    expect(alarm).toMatchObject({
      kind: 'paid_meanwhile',
      account: 'main',
      figures: { batchNo: 1, rows: 1, cents: 200 },
    });
    expect(describeAlarm(alarm!)).toMatch(/^Batch \S+\/1: 1 row, 2\.00\. It is not sent\. "paydrop why/);
    expect(await needs()).toEqual(['paid_meanwhile']);
    expect(await countNeeds(world.app.ledger, world.app.settings, ANN)).toMatchObject({ needsYou: 1 });
  });

  it('is released with a reason, by a plan that shows both rows', async () => {
    expect(await world.paydrop('release', 'tuesday.csv/1')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop('release', 'tuesday.csv/2', '--reason', 'x')).toMatchObject({ status: 5, out: '' });
    const plan = await world.paydrop('release', 'tuesday.csv/1', '--plan');
    expect(plan.out).toContain('1 row, 2.00 USD will be sent, although payments of it may have been charged already.');
    expect(plan.out).toMatch(/Line 1 is line 1 of monday\.csv/);
    const done = await world.paydrop('release', 'tuesday.csv/1', '--reason', 'two terms of dues');
    expect(done).toEqual({
      status: 0,
      out: 'Released: batch 1 of tuesday.csv, 1 row, 2.00 USD, will be sent.\n',
      err: '',
    });
    await world.finish();
    expect(await world.states()).toEqual({ 'monday.csv': 'completed', 'tuesday.csv': 'completed' });
    expect(await alarms()).toEqual([]);
  });
});

describe('a payment perhaps paid twice', () => {
  beforeAll(() => approveLate('tuesday.csv'));

  it('stands in status with status 5, and names who approved it', async () => {
    const { status, out } = await world.paydrop('status', '--check');
    expect(status).toBe(5);
    expect(out).toMatch(/Perhaps paid twice\n(.*\n){2}main +\S+\/1 +1 +\S+ +2\.00 +\S+\/1 line 1 +/);
    const { twice } = JSON.parse((await world.paydrop('status', '--json')).out) as { twice: object[] };
    expect(twice).toMatchObject([{ row: { name: 'tuesday.csv' }, other: { name: 'monday.csv' }, isTwice: true }]);
  });

  it('is told by why, the day report, an alarm and the list of needs', async () => {
    const { out } = await world.paydrop('why', 'tuesday.csv/1');
    expect(out).toMatch(/Perhaps paid twice: line 1 of tuesday\.csv .* and line 1 of monday\.csv .* are one payment/);
    expect(out).toMatch(/Refund one of each pair.*"paydrop acknowledge \S+\/1 --reason …"/);
    const account = world.app.account('main');
    const report = await readDayReport(world.app.ledger, account, world.app.clock.now().toISOString().slice(0, 10));
    expect(dayReportText([report])).toMatch(
      /Perhaps paid twice; refund one of each\n\S+\/1 line 1 and \S+\/1 line 1, 2\.00/,
    );
    expect(await countPaidTwice(world.app.ledger)).toEqual([{ account: 'main', open: 1, acknowledged: 0 }]);
    const [alarm] = await alarms();
    expect(alarm).toMatchObject({ kind: 'perhaps_twice', figures: { rows: 1, cents: 200 } });
    expect(describeAlarm(alarm!)).toContain('1 row, 2.00 perhaps paid twice.');
    expect(await needs()).toEqual(['perhaps_twice']);
    expect(await countNeeds(world.app.ledger, world.app.settings, ANN)).toMatchObject({ needsYou: 1 });
  });

  it('is acknowledged with a reason, and stays findable', async () => {
    const plan = await world.paydrop('acknowledge', 'tuesday.csv/1', '--plan');
    expect(plan.out).toContain('1 payment of it was perhaps made twice.');
    const { status, out } = await world.paydrop('acknowledge', 'tuesday.csv/1', '--reason', 'refunded in refunds.csv');
    expect({ status, out }).toEqual({
      status: 0,
      out: 'Acknowledged: 1 payment of it was perhaps made twice, batch 1 of tuesday.csv.\n',
    });
    expect((await world.paydrop('status', '--check')).status).toBe(0);
    expect((await world.paydrop('why', 'tuesday.csv/1')).out).toMatch(
      /Looked at by \S+ at .*: refunded in refunds\.csv\./,
    );
    expect(await alarms()).toEqual([]);
    const { ledger } = world.app;
    expect(await countPaidTwice(ledger)).toEqual([{ account: 'main', open: 0, acknowledged: 1 }]);
    expect(await readPaidTwice(ledger)).toEqual([]);
    expect(await readPaidTwice(ledger, { acknowledged: true })).toMatchObject([
      { isTwice: true, acknowledgeReason: 'refunded in refunds.csv' },
    ]);
    const again = await world.paydrop('acknowledge', 'tuesday.csv/1', '--plan');
    expect([again.status, again.out]).toEqual([0, expect.stringContaining('No payment of it is on record')]);
  });
});
