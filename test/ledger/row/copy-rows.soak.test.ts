import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/rows/rows.ts';
import { copyFaults } from '../../../src/ledger/row/copy-rows.ts';
import { copyRows } from '../support/put-rows.ts';
import type { NewRow } from '../../../src/ledger/copy/row-tuples.ts';
import { readFaults, readRows } from '../../../src/ledger/file/read-file.ts';
import type { LedgerRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

/** Texts that mean something to COPY, or could be confused with others. */
const AWKWARD = [
  'tab\tin it',
  'back\\slash',
  'ends in a backslash\\',
  'line\nfeed',
  'carriage\r\nreturn',
  '\\N',
  '\\.',
  '\\x41',
  '\\t is no tab',
  'äöü 漢字 \u{1F600} e\u0301',
  '"quoted", with comma',
  'null',
  ' spaces around ',
  '',
];

const row = (line: number, more: Partial<NewRow> = {}): NewRow => ({
  line,
  batchNo: 1,
  invoice: 'INV',
  customerCode: 'C1',
  amountCents: 100,
  lastFour: '0001',
  ...more,
});

async function rowsOf(fileNo: number): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = [];
  for await (const page of readRows(world.ledger, fileNo)) rows.push(...page);
  return rows;
}

async function faultsOf(fileNo: number): Promise<Fault[]> {
  const faults: Fault[] = [];
  for await (const page of readFaults(world.ledger, fileNo)) faults.push(...page);
  return faults;
}

describe('copyRows', () => {
  it('keeps every text as it is', async () => {
    const { file_no: fileNo } = await world.claimed();
    const rows = AWKWARD.map((text, index) => row(index + 1, { invoice: text, customerCode: text, lastFour: text }));
    await transact(world.ledger, (tx) => copyRows(tx, fileNo, rows));
    const kept = await rowsOf(fileNo);
    expect(kept.map((one) => one.invoice)).toEqual(AWKWARD);
    expect(kept.map((one) => one.customer_code)).toEqual(AWKWARD);
    expect(kept.map((one) => one.last_four)).toEqual(AWKWARD);
  });

  it('replaces what PostgreSQL cannot keep, so that one character cannot stop a file', async () => {
    const { file_no: fileNo } = await world.claimed();
    await transact(world.ledger, (tx) => copyRows(tx, fileNo, [row(1, { invoice: 'a\0b\ud83d' })]));
    expect((await rowsOf(fileNo))[0]!.invoice).toBe('a\uFFFDb\uFFFD');
  });

  it('keeps nulls and money of either sign', async () => {
    const { file_no: fileNo } = await world.claimed();
    await transact(world.ledger, (tx) =>
      copyRows(tx, fileNo, [
        row(1, { batchNo: null, amountCents: null }),
        row(2, { amountCents: -9_000_000_000 }),
        row(3, { amountCents: 9_000_000_000 }),
      ]),
    );
    const kept = await world.ledger.pool.query(
      'SELECT batch_no, amount_cents FROM payment_row WHERE file_no = $1 ORDER BY line',
      [fileNo],
    );
    expect(kept.rows).toEqual([
      { batch_no: null, amount_cents: null },
      { batch_no: 1, amount_cents: -9_000_000_000 },
      { batch_no: 1, amount_cents: 9_000_000_000 },
    ]);
  });

  it('takes no rows for none', async () => {
    const { file_no: fileNo } = await world.claimed();
    await transact(world.ledger, (tx) => copyRows(tx, fileNo, []));
    expect(await rowsOf(fileNo)).toEqual([]);
  });

  it('takes many rows at once', async () => {
    const { file_no: fileNo } = await world.claimed();
    const rows = Array.from({ length: 20_000 }, (_, index) => row(index + 2, { invoice: `INV-${index}` }));
    await transact(world.ledger, (tx) => copyRows(tx, fileNo, rows));
    const kept = await rowsOf(fileNo);
    expect(kept).toHaveLength(20_000);
    expect(kept.at(-1)).toMatchObject({ line: 20_001, invoice: 'INV-19999' });
  });

  it('refuses the same line twice, says no data, and leaves a connection that works', async () => {
    const { file_no: fileNo } = await world.claimed();
    const twice = transact(world.ledger, (tx) => copyRows(tx, fileNo, [row(1, { invoice: 'CANARY-77' }), row(1)]));
    const failure = await twice.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: '23505', constraint: 'payment_row_pkey' });
    expect(JSON.stringify(failure) + String((failure as Error).stack)).not.toMatch(
      /CANARY-77|Key \(|COPY payment_row, line/,
    );
    expect(await rowsOf(fileNo)).toEqual([]);
    expect(world.ledger.pool.idleCount).toBe(world.ledger.pool.totalCount);
    await transact(world.ledger, (tx) => copyRows(tx, fileNo, [row(1)]));
    expect(await rowsOf(fileNo)).toHaveLength(1);
  });
});

describe('copyFaults', () => {
  it('keeps faults in their order, over several calls, with what each of them says', async () => {
    const { file_no: fileNo } = await world.claimed();
    const faults: Fault[] = [
      { code: 'ENCODING', line: 9 },
      { code: 'AMOUNT_FORMAT', line: 3, column: 'amount', detail: 'tab\there', value: '\\N' },
      { code: 'NO_FINAL_NEWLINE', line: 0, detail: '' },
    ];
    await transact(world.ledger, async (tx) => {
      await copyFaults(tx, fileNo, 1, faults.slice(0, 2));
      await copyFaults(tx, fileNo, 3, faults.slice(2));
    });
    expect(await faultsOf(fileNo)).toEqual(faults);
  });
});
