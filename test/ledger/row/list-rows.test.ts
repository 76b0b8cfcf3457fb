import { reconcileBatch } from '../../support/end-batches.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { countRows, listRows, MOST_SORTED, type RowFilter, type RowOrder } from '../../../src/ledger/row/list-rows.ts';
import type { ListPage } from '../../../src/ledger/engine/list-page.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { copyFaults } from '../../../src/ledger/row/copy-rows.ts';
import { listFaults, readFaultCounts } from '../../../src/ledger/row/fault-counts.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { readWithheldFiles, sumWithheld, withheldOf } from '../../../src/ledger/file/file-figures.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openStepWorld } from '../../workers/support/step-world.ts';
import { takeIn } from '../../workers/support/story.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('listRows', () => {
  let file: FileRow;
  beforeAll(async () => {
    file = await world.accepted({ batches: 3, rowsPerBatch: 3, withheld: 1 });
    const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
    const [one, two, three] = outcomesOf(batch);
    const outcomes = [one!, { ...two!, outcome: 'declined' as const, code: 15, message: 'no' }, three!];
    await reconcileBatch(world.ledger, keyOf(batch), file.file_no, outcomes, {});
    const by = { actor: 'worker:poll', reason: 'new', source: 'asked again' };
    await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), [{ ...three!, outcome: 'unknown' }], by));
    await world.putBatch({ fileId: file.file_id, batchNo: 2 }, 'cancelled');
    await world.putBatch({ fileId: file.file_id, batchNo: 3 }, 'submitted');
  });
  const lines = async (
    { limit = 100, ...filter }: RowFilter & { limit?: number },
    page: Partial<ListPage<RowOrder>> = {},
  ) => (await listRows(world.ledger, file, filter, { limit, ...page })).map((row) => row.line);

  it('has all rows in the order of lines, each with the outcome that it has now and the state of its batch', async () => {
    const rows = await listRows(world.ledger, file, {}, { limit: 100 });
    expect(rows.map((row) => [row.line, row.batch_state, row.outcome, row.code])).toEqual([
      [2, 'reconciled', 'approved', null],
      [3, 'reconciled', 'declined', 15],
      [4, 'reconciled', 'unknown', null],
      [5, 'cancelled', null, null],
      [6, 'cancelled', null, null],
      [7, 'cancelled', null, null],
      [8, 'submitted', null, null],
      [9, 'submitted', null, null],
      [10, 'submitted', null, null],
      [11, null, null, null],
    ]);
    expect(rows[1]).toMatchObject({ amount_cents: 300, last_four: '0001', message: 'no' });
  });

  it.each<[RowFilter & { limit?: number }, number[]]>([
    [{ from: 9 }, [9, 10, 11]],
    [{ from: 3, limit: 2 }, [3, 4]],
    [{ from: 12 }, []],
    [{ outcome: 'approved' }, [2]],
    [{ outcome: 'declined' }, [3]],
    [{ outcome: 'declined', from: 4 }, []],
    [{ outcome: 'unknown' }, [4]],
    [{ outcome: 'duplicate' }, []],
    [{ outcome: 'not_sent' }, [5, 6, 7]],
    [{ outcome: 'not_sent', from: 6, limit: 1 }, [6]],
    [{ outcome: 'open' }, [8, 9, 10]],
    [{ outcome: 'invalid' }, [11]],
    [{ outcome: 'invalid', from: 12 }, []],
    [{ batch: 2 }, [5, 6, 7]],
    [{ batch: 2, outcome: 'open' }, []],
    [{ batch: 1, outcome: 'declined' }, [3]],
    [{ batch: 1, outcome: 'invalid' }, []],
    [{ batch: 9 }, []],
  ])('filters by %j', async (filter, expected) => {
    expect(await lines(filter)).toEqual(expected);
    // The other way to find them, through all rows in order.
    const { limit = 100, ...rest } = filter;
    const reverse = await lines(rest, { isDescending: true });
    expect(reverse.toReversed().slice(0, limit)).toEqual(expected);
    expect(await countRows(world.ledger, file, rest, 100)).toBe(reverse.length);
  });

  it('sorts by line and by amount, page by page in both directions', async () => {
    const amounts = new Map((await listRows(world.ledger, file, {}, { limit: 100 })).map((row) => [row.line, row]));
    const byAmount = [...amounts.values()].sort(
      (one, other) => one.amount_cents! - other.amount_cents! || one.line - other.line,
    );
    const expected = byAmount.map(({ line }) => line);
    expect(await lines({}, { order: 'amount' })).toEqual(expected);
    for (const isDescending of [false, true]) {
      const order = isDescending ? expected.toReversed() : expected;
      const page = { order: 'amount' as const, isDescending };
      expect(await lines({ limit: 4 }, { ...page, after: order[3] })).toEqual(order.slice(4, 8));
      expect(await lines({ limit: 4 }, { ...page, before: order[8] })).toEqual(order.slice(4, 8));
    }
    expect(await lines({ limit: 2 }, { before: 6 })).toEqual([4, 5]);
  });

  it('leaves a file that is too large to sort in the order of its lines', async () => {
    const large = { ...file, records: MOST_SORTED + 1 };
    const rows = await listRows(world.ledger, large, {}, { order: 'amount', isDescending: true, limit: 3 });
    expect(rows.map((row) => row.line)).toEqual([2, 3, 4]);
  });

  it('counts no further than asked for', async () => {
    expect(await countRows(world.ledger, file, {}, 100)).toBe(10);
    expect(await countRows(world.ledger, file, {}, 3)).toBeGreaterThan(3);
    expect(await countRows(world.ledger, file, { from: 9 }, 100)).toBe(3);
  });

  it('finds an invoice, also together with an outcome', async () => {
    const invoice = (line: number) => `INV-${file.file_id}-${line}`;
    expect(await lines({ invoice: invoice(3) })).toEqual([3]);
    expect(await lines({ invoice: invoice(3), outcome: 'declined' })).toEqual([3]);
    expect(await lines({ invoice: invoice(3), outcome: 'approved' })).toEqual([]);
    expect(await lines({ invoice: invoice(11), outcome: 'invalid' })).toEqual([11]);
    expect(await lines({ invoice: 'INV' })).toEqual([]);
  });

  it('walks over many batches to fill a page', async () => {
    const large = await world.accepted({ batches: 40, rowsPerBatch: 1 });
    for (const batchNo of [1, 20, 39, 40]) await world.putBatch({ fileId: large.file_id, batchNo }, 'cancelled');
    const found = await listRows(world.ledger, large, { outcome: 'open' }, { limit: 100 });
    expect(found).toHaveLength(36);
    const unsent = await listRows(world.ledger, large, { outcome: 'not_sent' }, { limit: 3 });
    expect(unsent.map((row) => row.batch_no)).toEqual([1, 20, 39]);
  });
});

it('readFaultCounts has each code once with its rows, with the particulars of its first, in the order of finding', async () => {
  const file = await world.claimed();
  const beside = await world.claimed();
  await transact(world.ledger, async (tx) => {
    await copyFaults(tx, beside.file_no, 1, [{ code: 'CONTROL_TOTALS', line: 0 }]);
    await copyFaults(tx, file.file_no, 1, [
      { code: 'DUPLICATE_ROW', line: 4, detail: 'the first is on line 2' },
      { code: 'SAME_ROWS', line: 0 },
      { code: 'DUPLICATE_ROW', line: 7, detail: 'the first is on line 3' },
      { code: 'DUPLICATE_ROW', line: 7, detail: 'another cell of the same row' },
    ]);
  });
  expect(await readFaultCounts(world.ledger, file.file_no)).toEqual([
    { code: 'DUPLICATE_ROW', count: 2, line: 4, detail: 'the first is on line 2' },
    { code: 'SAME_ROWS', count: 1, line: 0, detail: null },
  ]);
  expect(await readFaultCounts(world.ledger, (await world.claimed()).file_no)).toEqual([]);
});

it('listFaults pages in the order of finding, of this file alone', async () => {
  const [file, beside] = [await world.claimed(), await world.claimed()];
  await transact(world.ledger, async (tx) => {
    await copyFaults(tx, beside.file_no, 1, [{ code: 'NO_ROWS', line: 0 }]);
    await copyFaults(tx, file.file_no, 1, [
      { code: 'AMOUNT_FORMAT', line: 4, column: 'amount', value: '25,0', detail: 'a comma' },
      { code: 'SAME_ROWS', line: 0 },
      { code: 'EXPIRY_PAST', line: 7 },
    ]);
  });
  const fault = { column: 'amount', code: 'AMOUNT_FORMAT', detail: 'a comma', value: '25,0' };
  const first = { seq: 1, line: 4, ...fault, isRow: false };
  expect(await listFaults(world.ledger, file.file_no, { from: 0, limit: 1 })).toEqual([first]);
  const rest = await listFaults(world.ledger, file.file_no, { from: 2, limit: 5 });
  expect(rest.map(({ seq, code, column }) => [seq, code, column])).toEqual([
    [2, 'SAME_ROWS', null],
    [3, 'EXPIRY_PAST', null],
  ]);
});

describe('read withheld', () => {
  const world = openedForTests(() => openStepWorld({ accounts: 3 }));

  async function taken(rows: readonly string[]) {
    const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/card`, lines(rows));
    return readFileRow(world.app.ledger, fileId);
  }

  const SOUND = Array.from({ length: 30 }, (_, index) => cardRow(index + 1));

  describe('withheldOf', () => {
    it('counts the rows that were withheld, their money, and the amounts that cannot be read', async () => {
      const file = await taken([
        ...SOUND,
        cardRow(40, { amount: 'ten', expiry: '1' }),
        cardRow(41, { amount: '7.50', mop: 'X', expiry: '1' }),
        cardRow(42, { amount: '1.25', expiry: '1' }),
      ]);
      const withheld = { rows: 3, cents: 875, unreadable: 1 };
      expect(withheldOf(file)).toEqual(withheld);
      const day = { from: new Date(0), until: new Date(file.claimed_at.getTime() + 86_400_000) };
      expect(await sumWithheld(world.app.ledger.pool, file.account, day.from, day.until)).toEqual(withheld);
    });

    it('finds none where all were sent', async () => {
      expect(withheldOf(await taken(SOUND))).toEqual({ rows: 0, cents: 0, unreadable: 0 });
    });
  });

  describe('readWithheldFiles', () => {
    it('names the files of which rows were withheld, since a moment', async () => {
      const file = await taken([...SOUND, cardRow(50, { amount: 'ten' })]);
      const { ledger } = world.app;
      const found = await readWithheldFiles(ledger, new Date(0));
      expect(found).toContainEqual({
        fileId: file.file_id,
        name: file.name,
        account: file.account,
        claimedAt: file.claimed_at,
        rows: 1,
        cents: 0,
        unreadable: 1,
      });
      expect(found.every(({ rows }) => rows > 0)).toBe(true);
      expect(await readWithheldFiles(ledger, new Date(file.claimed_at.getTime() + 1))).toEqual([]);
    });
  });
});
