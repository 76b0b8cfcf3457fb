import { afterEach, describe, expect, it } from 'vitest';
import { readAccountStates } from '../../../src/ledger/account/read-holds.ts';
import { reconcileAccount } from '../../../src/actions/resolve/reconcile-account.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';
import { dayReport, type ReportLine } from '../../workers/support/day-report.ts';
import { chargedAt } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
afterEach(() => world.empty());

const because = { actor: 'operator:ada', reason: 'after the restore' };
const AT = new Date(START);

function compare(lines: readonly ReportLine[], agent = 'TEST88') {
  const context = { ledger: world.ledger, name: 'main', account: { agentCode: 'TEST88', server: 'NA' } } as const;
  return reconcileAccount(context, Buffer.from(dayReport(lines, agent)), because);
}

/** A report line for a row of a file made by `world.accepted`. */
const chargeOf = (fileId: string, line: number, at = AT): ReportLine => ({
  at,
  invoice: `INV-${fileId}-${line}`,
  number: '****0001',
  total: `${line}.00`,
});

describe('reconcileAccount', () => {
  it('knows what the ledger sent, and lists the charges that nobody here made', async () => {
    const own = await chargedAt(world, 'main', AT);
    const later = new Date(AT.getTime() + 60_000);
    const found = await compare([
      own,
      { at: later, invoice: 'LOST-1', total: '7.50' },
      { ...own, at: later, result: 'REJ:15' },
    ]);
    expect(found).toMatchObject({ charged: 2, known: 1, from: AT, to: later, inDoubt: [] });
    expect(found.unknown).toMatchObject([{ invoice: 'LOST-1', amountCents: 750 }]);
    expect(await world.ledger.pool.query('SELECT FROM account_stop')).toMatchObject({ rowCount: 0 });
  });

  it('takes a second charge of a row that was sent once for one that nobody knows', async () => {
    const own = await chargedAt(world, 'main', AT);
    expect(await compare([own, own])).toMatchObject({ charged: 2, known: 1, unknown: [{ invoice: own.invoice }] });
  });

  it('puts a batch in doubt that waits while the report shows a row of it, and stops the account', async () => {
    const { file_id: fileId } = await world.accepted({ account: 'main', batches: 2 });
    const found = await compare([chargeOf(fileId, 2)]);
    expect(found).toMatchObject({ known: 0, unknown: [], inDoubt: [{ fileId, batchNo: 1, rows: 2, shown: 1 }] });
    const { rows } = await world.ledger.pool.query('SELECT state, reason FROM batch ORDER BY batch_no');
    expect(rows).toMatchObject([{ state: 'unknown' }, { state: 'ready' }]);
    const [state] = await readAccountStates(world.ledger, ['main']);
    expect(state!.stops[0]!.reason).toContain('the report of the service knows 1 call');
    // A second comparison changes nothing.
    expect(await compare([chargeOf(fileId, 2)])).toMatchObject({ known: 1, unknown: [], inDoubt: [] });
  });

  it('leaves batches of other accounts and other amounts alone', async () => {
    const { file_id: fileId } = await world.accepted({ account: 'other' });
    const { file_id: own } = await world.accepted({ account: 'main' });
    const found = await compare([chargeOf(fileId, 2), { ...chargeOf(own, 2), total: '9.99' }]);
    expect(found).toMatchObject({ inDoubt: [], known: 0 });
    expect(found.unknown).toHaveLength(2);
  });

  it('says which forgotten calls lie outside of what the report shows', async () => {
    for (const [call, at] of [1, 2].map((n) => [n, new Date(AT.getTime() + n * 3_600_000)] as const))
      await world.force(
        `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, sha256, at, since) VALUES ($1, 1, 1, 'main', '', $2, $2)`,
        [`gone-${call}`, at],
      );
    const until = new Date(AT.getTime() + 5_400_000);
    expect(await compare([{ at: AT }, { at: until }])).toMatchObject({ calls: { forgotten: 2, outside: 1 } });
    expect(await compare([{ at: AT, result: 'REJ:15' }])).toMatchObject({
      charged: 0,
      from: null,
      calls: { forgotten: 2, outside: 2 },
    });
  });

  it('refuses a report of another account, and what is none', async () => {
    await expect(compare([{ at: AT }], 'OTHER9')).rejects.toMatchObject({ code: 'RESOLUTION_REFUSED' });
    await expect(compare([])).rejects.toThrow('it has no lines');
  });

  it('writes down who compared with what', async () => {
    const { sha256 } = await compare([{ at: AT }]);
    const { rows: links } = await world.ledger.pool.query(
      `SELECT actor, evidence FROM audit WHERE move = 'reconcile-account'`,
    );
    expect(links).toMatchObject([
      { actor: 'operator:ada', evidence: { account: 'main', sha256, charged: 1, unknown: 1 } },
    ]);
  });
});
