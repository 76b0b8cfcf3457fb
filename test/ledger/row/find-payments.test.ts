import { reconcileBatch } from '../../support/end-batches.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyRows } from '../support/put-rows.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import {
  buildSearchIndex,
  dropSearchIndex,
  listSearchIndexes,
  SEARCH_INDEXES,
  type SearchIndex,
} from '../../../src/ledger/file/search.ts';
import { findPayments, type PaymentSearch } from '../../../src/ledger/row/find-payments.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { FORGET_STATISTICS } from '../../support/force-sql.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

beforeEach(() => world.empty());

describe('findPayments', () => {
  type Row = { invoice?: string; customerCode?: string; amountCents?: number; lastFour?: string };

  /** Puts rows from line 1 on into a new file. */
  async function fileOf(rows: readonly Row[], claim = {}) {
    const file = await world.claimed(claim);
    const all = rows.map((row, at) => ({
      line: at + 1,
      batchNo: null,
      invoice: '',
      customerCode: '',
      amountCents: null,
      lastFour: '',
      ...row,
    }));
    await transact(world.ledger, (tx) => copyRows(tx, file.file_no, all));
    await world.force('UPDATE file SET records = $2 WHERE file_no = $1', [file.file_no, rows.length]);
    return file;
  }
  const linesOf = async (search: PaymentSearch) =>
    (await findPayments(world.ledger, search, 10)).rows.map(({ name, line }) => `${name} ${line}`);

  /** Returns how the server answers all queries of a search. */
  const plansOf = async (search: PaymentSearch) => {
    const plans: string[] = [];
    const query = async (sql: string, values: unknown[]) => {
      const { rows } = await world.ledger.pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, values);
      plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
      return world.ledger.pool.query(sql, values);
    };
    await findPayments({ ...world.ledger, pool: { query } as never }, search, 51);
    return plans.join('\n');
  };

  const NAMES = Object.keys(SEARCH_INDEXES) as SearchIndex[];

  it.each([
    ['without further indexes', []],
    ['with all of them', NAMES],
  ])('finds payments by each fact, and by all together, in any case, %s', async (_, indexes) => {
    for (const name of indexes) await buildSearchIndex(world.ledger, name);
    await fileOf(
      [
        { invoice: 'INV-4711', customerCode: 'C-19', amountCents: 8_750, lastFour: '4242' },
        { invoice: 'inv-4712', customerCode: 'c-20', amountCents: 50_000, lastFour: '4242' },
        { invoice: '4711', amountCents: 8_750, lastFour: '1111' },
      ],
      { name: 'a', account: 'main' },
    );
    await fileOf([{ invoice: 'Inv_47%', amountCents: 8_750, lastFour: '4242' }], { name: 'b', account: 'other' });
    expect(await linesOf({ invoiceStart: 'iNv-47' })).toEqual(['a 1', 'a 2']);
    expect(await linesOf({ invoiceStart: 'inv_' })).toEqual(['b 1']);
    expect(await linesOf({ invoiceEnd: '4711' })).toEqual(['a 1', 'a 3']);
    expect(await linesOf({ invoiceEnd: '47%' })).toEqual(['b 1']);
    expect(await linesOf({ cents: { from: 8_750, to: 8_750 } })).toEqual(['b 1', 'a 1', 'a 3']);
    expect(await linesOf({ cents: { from: 8_751, to: 50_000 } })).toEqual(['a 2']);
    expect(await linesOf({ cents: { from: 8_750, to: 8_750 }, lastFour: '4242' })).toEqual(['b 1', 'a 1']);
    expect(await linesOf({ lastFour: '4242', accounts: ['main'] })).toEqual(['a 1', 'a 2']);
    expect(await linesOf({ customer: 'C-' })).toEqual(['a 1', 'a 2']);
    expect(await linesOf({ invoiceStart: 'inv', cents: { from: 1, to: 9_000 }, accounts: ['main'] })).toEqual(['a 1']);
    expect(await linesOf({})).toEqual(['b 1', 'a 1', 'a 2', 'a 3']);
    for (const name of indexes) await dropSearchIndex(world.ledger, name);
    expect([...(await listSearchIndexes(world.ledger))]).toEqual([]);
  });

  it('finds payments by the day of their file', async () => {
    await fileOf([{ invoice: 'X-1' }], { name: 'monday' });
    world.clock.set('2026-06-16T10:00:00.000Z');
    await fileOf([{ invoice: 'X-2' }], { name: 'tuesday' });
    const tuesday = new Date('2026-06-16T00:00:00.000Z');
    expect(await linesOf({ from: tuesday })).toEqual(['tuesday 1']);
    expect(await linesOf({ until: tuesday, invoiceStart: 'x' })).toEqual(['monday 1']);
    expect(await linesOf({ from: tuesday, until: tuesday })).toEqual([]);
  });

  it('finds payments by present outcome, code and advice', async () => {
    const batch = await world.batchIn('result_in', { account: 'main', name: 'june', rowsPerBatch: 4 });
    const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
    const [first, second, third, ...others] = outcomesOf(batch);
    const declined = { outcome: 'declined', message: 'no', authorization: '' } as const;
    const outcomes = [{ ...first!, ...declined, code: 15 }, { ...second!, ...declined, code: 14 }, third!, ...others];
    await reconcileBatch(world.ledger, keyOf(batch), fileNo, outcomes, {});
    const at = (...lines: number[]) => lines.map((line) => `june ${line}`);
    const [one, two, ...rest] = outcomes.map(({ line }) => line);
    expect(await linesOf({ outcome: 'declined' })).toEqual(at(one!, two!));
    expect(await linesOf({ code: 15 })).toEqual(at(one!));
    expect(await linesOf({ advice: 'later' })).toEqual(at(two!));
    expect(await linesOf({ outcome: 'approved', accounts: ['main'] })).toEqual(at(...rest));
    expect(await linesOf({ outcome: 'declined', invoiceStart: 'inv-', cents: { from: 1, to: 9_999 } })).toEqual(
      at(one!, two!),
    );
    expect(await linesOf({ outcome: 'declined', accounts: ['other'] })).toEqual([]);
  });

  it('finds the newest of very many that begin alike, and says how far back it looked', async () => {
    const old = await fileOf([{ invoice: 'SAME-0', amountCents: 1 }], { name: 'old' });
    world.clock.set('2026-06-16T10:00:00.000Z');
    const large = await fileOf([], { name: 'large' });
    await world.force(
      `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
       SELECT $1, n, NULL, 'SAME-' || n, '', n, '' FROM generate_series(1, 7000) n`,
      [large.file_no],
    );
    // Of more rows than are looked at.
    await world.force('UPDATE file SET records = 200000 WHERE file_no = $1', [large.file_no]);
    world.clock.set('2026-06-17T10:00:00.000Z');
    await fileOf([{ invoice: 'same-new', amountCents: 1 }], { name: 'new' });
    const { rows, since } = await findPayments(world.ledger, { invoiceStart: 'same' }, 2);
    expect([rows.map(({ name, line }) => `${name} ${line}`), since]).toEqual([['new 1', 'large 1'], large.claimed_at]);
    expect(await findPayments(world.ledger, { cents: { from: 1, to: 1 } }, 9)).toMatchObject({
      rows: [{ name: 'new' }, { name: 'large' }],
      since: large.claimed_at,
    });
    expect(await linesOf({ cents: { from: 1, to: 1 }, until: large.claimed_at })).toEqual(['old 1']);
    expect(old.claimed_at < large.claimed_at).toBe(true);
  });

  it('reads payments by indexes, whether or not the server has counted them', async () => {
    await buildSearchIndex(world.ledger, 'amounts');
    const { file_no: fileNo } = await fileOf([{ invoice: 'INV-1' }]);
    await world.force(
      `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
       SELECT $1 + n % 50, n + 10, NULL, 'INV-' || n % 7 || n, 'C-' || n, n % 900, n % 10000 FROM generate_series(1, 30000) n`,
      [fileNo],
    );
    await world.force(
      `INSERT INTO row_outcome (file_no, line, outcome, code, message, "authorization")
       SELECT file_no, line, CASE WHEN line % 50 = 0 THEN 'declined' ELSE 'approved' END,
              CASE WHEN line % 50 = 0 THEN 15 END, '', '' FROM payment_row`,
    );
    for (const prepare of [FORGET_STATISTICS, 'ANALYZE payment_row, row_outcome, file']) {
      await world.force(prepare);
      const byStart = await plansOf({ invoiceStart: 'inv-333', accounts: ['main'] });
      expect(byStart, prepare).toContain('payment_row_by_invoice_start');
      const byAmount = await plansOf({ cents: { from: 500, to: 500 } });
      expect(byAmount, prepare).toContain('payment_row_by_amount');
      const newest = await plansOf({ customer: 'c-1', from: new Date(START) });
      const declined = await plansOf({ outcome: 'declined' });
      expect(declined, prepare).toContain('row_outcome_not_paid');
      for (const plan of [byStart, byAmount, newest, declined])
        expect(plan, prepare).not.toMatch(/Seq Scan on (?:payment_row|row_outcome)/);
    }
    await dropSearchIndex(world.ledger, 'amounts');
  });

  it('does not read the whole table for each small file beside few large ones', async () => {
    for (const name of ['large', 'larger']) {
      const { file_no: fileNo } = await fileOf([], { name });
      await world.force(
        `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
         SELECT $1, n, NULL, '', '', 1, '' FROM generate_series(1, 55000) n`,
        [fileNo],
      );
    }
    for (const name of ['small', 'smaller']) await fileOf([{ lastFour: '4242' }], { name });
    await world.force('ANALYZE payment_row');
    const plans = await plansOf({ lastFour: '4242' });
    expect(plans).toContain('payment_row_pkey');
    expect(plans).not.toContain('Seq Scan on payment_row');
  });

  it('builds an index anew that was left over from a build that broke off, and no index twice', async () => {
    await world.force('CREATE INDEX payment_row_by_invoice_end ON paydrop.payment_row (line)');
    await world.force(
      `UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'paydrop.payment_row_by_invoice_end'::regclass`,
    );
    expect([...(await listSearchIndexes(world.ledger))]).toEqual([]);
    await buildSearchIndex(world.ledger, 'endings');
    expect([...(await listSearchIndexes(world.ledger))]).toEqual(['endings']);
    await expect(buildSearchIndex(world.ledger, 'endings')).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await dropSearchIndex(world.ledger, 'endings');
  });
});
