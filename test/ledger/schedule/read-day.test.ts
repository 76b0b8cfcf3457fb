import { reconcileBatch } from '../../support/end-batches.ts';
import type { Pool } from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { startOfDay } from '../../../src/calendar/zone-time.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { type BatchKey, moveBatch } from '../../../src/ledger/engine/move.ts';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { type DayFigures, type DaySpan, readDay, sumDays } from '../../../src/ledger/schedule/read-day.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { balanceDay } from '../../../src/reconcile/balance-day.ts';
import { FORGET_STATISTICS } from '../../support/force-sql.ts';
import { openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('readDay', () => {
  beforeEach(() => world.empty());
  /** In New York the clocks go back on 2026-11-01: that day has 25 hours. */
  const ZONE = 'America/New_York';
  const DAYS = ['2026-10-31', '2026-11-01', '2026-11-02'] as const;
  const NOTHING = { rows: 0, cents: 0 };
  const BALANCED = { rows: 0, cents: 0 };
  const keyOf = (file: FileRow, batchNo = 1): BatchKey => ({ fileId: file.file_id, batchNo });
  async function dayOf(day: string, account = 'main'): Promise<DayFigures> {
    const after = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
    return readDay(world.ledger, account, startOfDay(day, ZONE)!, startOfDay(after, ZONE)!);
  }
  /** Ends a batch now: its first rows get these outcomes, the others are approved. */
  async function end(file: FileRow, batchNo: number, ...outcomes: SentOutcome[]): Promise<void> {
    const batch = await world.putBatch(keyOf(file, batchNo), 'result_in');
    const rows = outcomesOf(batch).map((row, index) => ({ ...row, outcome: outcomes[index] ?? row.outcome }));
    await reconcileBatch(world.ledger, keyOf(file, batchNo), file.file_no, rows, {});
  }
  /** Plays three days, each step at its time in New York. */
  async function liveThreeDays(): Promise<{ one: FileRow; two: FileRow }> {
    world.clock.set('2026-10-31T09:00:00-04:00');
    const one = await world.accepted({ account: 'main', batches: 2, withheld: 1 });
    const held = await world.held({ account: 'main' });
    await world.accepted({ account: 'side' });
    world.clock.set('2026-10-31T23:59:59.999-04:00');
    await end(one, 1, 'declined');
    world.clock.set('2026-11-01T00:00:00-04:00');
    await end(one, 2);
    // This is the second 1:30 of that night, followed by the last minute of the day.
    world.clock.set('2026-11-01T01:30:00-05:00');
    await approveFile(world.ledger, held.file_id, { actor: 'operator:ada', reason: 'known' });
    world.clock.set('2026-11-01T23:59:00-05:00');
    const two = await world.accepted({ account: 'main', rowsPerBatch: 3 });
    world.clock.set('2026-11-02T12:00:00-05:00');
    await transact(world.ledger, (tx) =>
      moveBatch(tx, 'cancel', keyOf(held), { actor: 'operator:ada', reason: 'not wanted' }),
    );
    const [first] = outcomesOf(await world.putBatch(keyOf(one, 1), 'reconciled'));
    const by = { actor: 'worker:poll', reason: 'late', source: 'asked again' };
    await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(one, 1), [first!], by));
    return { one, two };
  }

  it('follows three days, one of them of 25 hours, and each balances to the cent', async () => {
    const { two } = await liveThreeDays();
    const [saturday, sunday, monday] = await Promise.all(DAYS.map((day) => dayOf(day)));
    expect(saturday).toMatchObject({
      broughtForward: NOTHING,
      accepted: { files: 1, rows: 4, cents: 1_400 },
      final: { declined: { rows: 1, cents: 200 }, approved: { rows: 1, cents: 300 } },
      open: { rows: 2, cents: 900 },
      changes: [],
      withheld: { rows: 1 },
    });
    expect(sunday).toMatchObject({
      broughtForward: { rows: 2, cents: 900 },
      accepted: { files: 2, rows: 5, cents: 500 + 900 },
      final: { approved: { rows: 2, cents: 900 } },
      open: { rows: 5, cents: 1_400 },
    });
    expect(monday).toMatchObject({
      broughtForward: { rows: 5, cents: 1_400 },
      accepted: { files: 0, ...NOTHING },
      final: { not_sent: { rows: 2, cents: 500 } },
      open: { rows: 3, cents: 900 },
      openBatches: [{ fileId: two.file_id, batchNo: 1, rows: 3, cents: 900, stateNow: 'ready' }],
      changes: [{ before: 'declined', after: 'approved', rows: 1, cents: 200 }],
    });
    for (const day of [saturday, sunday, monday]) expect(balanceDay(day!)).toEqual(BALANCED);
  });

  it('says of a past day what it said at its end', async () => {
    const kept: DayFigures[] = [];
    await liveThreeDays();
    for (const day of DAYS) kept.push(await dayOf(day));
    world.clock.set('2026-12-24T12:00:00Z');
    const { rows } = await world.ledger.pool.query<FileRow>(
      `SELECT * FROM file WHERE account = 'main' ORDER BY file_no`,
    );
    await end(rows.at(-1)!, 1);
    const again: DayFigures[] = [];
    for (const day of DAYS) again.push(await dayOf(day));
    const withoutNow = (days: DayFigures[]) =>
      days.map((day) => ({ ...day, openBatches: day.openBatches.map(({ stateNow: _now, ...batch }) => batch) }));
    expect(withoutNow(again)).toEqual(withoutNow(kept));
    expect(balanceDay(await dayOf('2026-12-24'))).toEqual(BALANCED);
    expect((await dayOf('2026-12-24')).final).toEqual({ approved: { rows: 3, cents: 900 } });
  });

  it('counts each account for itself, and knows nothing of what was never accepted', async () => {
    await liveThreeDays();
    expect(await dayOf('2026-10-31', 'side')).toMatchObject({ accepted: { files: 1, rows: 2, cents: 500 }, final: {} });
    expect(await dayOf('2026-10-31', 'nobody')).toMatchObject({ accepted: { files: 0 }, open: NOTHING });
    const held = await world.held({ account: 'shop' });
    await declineFile(world.ledger, held.file_id, { actor: 'operator:ada', reason: 'no' });
    await world.rejected({ account: 'shop' });
    const shop = await dayOf('2026-11-02', 'shop');
    expect(shop).toMatchObject({ broughtForward: NOTHING, accepted: { files: 0 }, final: {}, open: NOTHING });
  });

  it('does not count a batch as final before its file was accepted, also when the clock was set back', async () => {
    world.clock.set('2026-11-02T09:00:00-05:00');
    const file = await world.accepted({ account: 'main' });
    world.clock.set('2026-11-01T09:00:00-05:00');
    await end(file, 1);
    for (const day of ['2026-11-01', '2026-11-02']) expect(balanceDay(await dayOf(day))).toEqual(BALANCED);
  });

  it.each([
    ['a row of an outcome was lost', `UPDATE batch_outcome SET rows = rows - 1 WHERE outcome = 'approved'`],
    ['an amount was altered', `UPDATE batch_outcome SET cents = cents + 1 WHERE outcome = 'declined'`],
    ['a batch has vanished', 'DELETE FROM batch WHERE batch_no = 2'],
    ['a file says another total', 'UPDATE file SET valid_cents = valid_cents - 1'],
  ])('does not balance when %s', async (_what, sql) => {
    await liveThreeDays();
    await world.force(sql);
    const differences = await Promise.all(DAYS.map(async (day) => balanceDay(await dayOf(day))));
    expect(differences).not.toEqual(DAYS.map(() => BALANCED));
  });

  it('has the figures that the ledger itself has, file by file', async () => {
    const { one } = await liveThreeDays();
    const file = await readFileRow(world.ledger, one.file_id);
    expect(file.accepted_at).toEqual(new Date('2026-10-31T13:00:00.000Z'));
  });
});

describe('sumDays', () => {
  const NONE = { rows: 0, cents: 0, unreadable: 0 };
  beforeAll(async () => {
    world.clock.set('2026-06-15T10:00:00Z');
    const one = await world.accepted({ account: 'main', batches: 2, rowsPerBatch: 3 });
    const side = await world.accepted({ account: 'side' });
    await end(one, 1, 'declined', 'unknown');
    await end(side, 1);
    world.clock.set('2026-06-16T00:00:00Z');
    await end(one, 2, 'declined', 'declined');
    const never = await world.accepted({ account: 'main' });
    await transact(world.ledger, (tx) =>
      moveBatch(tx, 'cancel', { fileId: never.file_id, batchNo: 1 }, { actor: 'operator:ada', reason: 'not wanted' }),
    );
  });
  /** Ends a batch: its first rows get these outcomes, the others are approved. */
  async function end(file: FileRow, batchNo: number, ...outcomes: SentOutcome[]): Promise<void> {
    const key = { fileId: file.file_id, batchNo };
    const batch = await world.putBatch(key, 'result_in');
    const rows = outcomesOf(batch).map((row, index) => ({ ...row, outcome: outcomes[index] ?? row.outcome }));
    await reconcileBatch(world.ledger, key, file.file_no, rows, {});
  }
  function spanOf(account: string, day: string, from = `${day}T00:00:00Z`): DaySpan {
    return { account, day, from: new Date(from), until: new Date(Date.parse(from) + 86_400_000) };
  }

  it('sums what ended on each day of each account, and leaves out what was never sent', async () => {
    const spans = ['2026-06-14', '2026-06-15', '2026-06-16'].flatMap((day) => [
      spanOf('main', day),
      spanOf('side', day),
    ]);
    const none = { withheld: NONE, waits: null };
    const [first, second] = [
      { ...none, day: '2026-06-15' },
      { ...none, day: '2026-06-16' },
    ];
    const outcomes = { declined: 200, unknown: 300, approved: 400 };
    expect(await sumDays(world.ledger, spans)).toEqual([
      { ...first, account: 'main', rows: 3, cents: 900, declined: 1, outcomes },
      { ...first, account: 'side', rows: 2, cents: 500, declined: 0, outcomes: { approved: 500 } },
      { ...second, account: 'main', rows: 3, cents: 1_800, declined: 2, outcomes: { declined: 1_100, approved: 700 } },
    ]);
  });

  it('says within which time half and most of the results came', async () => {
    const file = await world.accepted({ account: 'slow', batches: 21 });
    for (let batchNo = 1; batchNo <= 21; batchNo += 1) {
      await end(file, batchNo);
      await world.force(
        `UPDATE batch SET result_at = final_at, submitted_at = final_at - $3 * interval '1 second'
         WHERE file_id = $1 AND batch_no = $2`,
        [file.file_id, batchNo, batchNo],
      );
    }
    expect(await sumDays(world.ledger, [spanOf('slow', '2026-06-16')])).toMatchObject([{ waits: [11, 20] }]);
  });

  it('counts the first moment of a day to it, and that of the next not', async () => {
    const later = [spanOf('main', 'a', '2026-06-15T10:00:00.001Z'), spanOf('main', 'b', '2026-06-15T00:00:00Z')];
    expect(await sumDays(world.ledger, later)).toMatchObject([
      { day: 'a', rows: 3, declined: 2 },
      { day: 'b', rows: 3, declined: 1 },
    ]);
  });

  it('adds up what was withheld of the files accepted on a day, also where nothing ended', async () => {
    world.clock.set('2026-06-20T10:00:00Z');
    for (const withheld of ['invalid_rows = 3, withheld_cents = 5500, withheld_unreadable = 2', 'invalid_rows = 1']) {
      const { file_id: fileId } = await world.accepted({ account: 'main' });
      await world.ledger.pool.query(`UPDATE file SET ${withheld} WHERE file_id = $1`, [fileId]);
    }
    expect(await sumDays(world.ledger, [spanOf('main', '2026-06-20'), spanOf('side', '2026-06-20')])).toEqual([
      {
        account: 'main',
        day: '2026-06-20',
        rows: 0,
        cents: 0,
        declined: 0,
        outcomes: {},
        waits: null,
        withheld: { rows: 4, cents: 5_500, unreadable: 2 },
      },
    ]);
  });

  it('says nothing of days without an end, nor of no days', async () => {
    expect(await sumDays(world.ledger, [spanOf('main', '2026-06-17')])).toEqual([]);
    expect(await sumDays(world.ledger, [])).toEqual([]);
  });
});

describe('a day with two thousand batches of one file', () => {
  const BATCHES = 2_000;
  const OTHERS = 350;
  const [FROM, UNTIL] = [new Date('2026-06-15T00:00:00Z'), new Date('2026-06-16T00:00:00Z')];
  /** Blocks that the server may touch. To read a batch costs five to eight; to read its whole file each time, thirty. */
  const FEW = 12 * (BATCHES + OTHERS);

  /** Adds up the blocks that the queries of a read touch. */
  async function countBlocks(read: (ledger: Ledger) => Promise<unknown>): Promise<number> {
    const client = await world.ledger.pool.connect();
    let blocks = 0;
    const query = async (text: string, values?: unknown[]) => {
      if (/^\s*SELECT/.test(text)) {
        const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
        const { Plan: plan } = rows[0]['QUERY PLAN'][0];
        blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      }
      return client.query(text, values);
    };
    const pool = { query, connect: async () => ({ query, release: () => {} }) } as unknown as Pool;
    await read({ ...world.ledger, pool }).finally(() => client.release());
    return blocks;
  }

  beforeAll(async () => {
    await world.empty();
    const { file_id: fileId } = await world.accepted({ account: 'main' });
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    // Files of one batch each, beside the large one: the more files, the less PostgreSQL expects of each.
    await world.force(
      `INSERT INTO file OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(f, jsonb_build_object(
         'file_id', 'copy' || no, 'file_no', f.file_no + no, 'sha256', lpad(no::text, 64, '0')))).*
       FROM file f, generate_series(1, ${OTHERS}) no`,
    );
    await world.force(
      `INSERT INTO batch SELECT (jsonb_populate_record(b, jsonb_build_object(
         'file_id', part.file_id, 'batch_no', part.batch_no, 'batch_id', 'id-' || part.file_id || '-' || part.batch_no,
         'first_line', 2 * part.batch_no, 'last_line', 2 * part.batch_no + 1))).*
       FROM batch b, (SELECT b.file_id, no AS batch_no FROM batch b, generate_series(2, ${BATCHES}) no
                      UNION ALL SELECT file_id, 1 FROM file WHERE file_id LIKE 'copy%') part`,
    );
    await world.force(`UPDATE batch SET final_at = '${FROM.toISOString()}'`);
    await world.force(
      `INSERT INTO batch_outcome
       SELECT file_no, batch_no, 'approved', 2, 500 FROM batch JOIN file USING (file_id)`,
    );
  });

  it.each(['without', 'with'])('reads each batch once, %s statistics of the tables', async (statistics) => {
    await world.force(statistics === 'with' ? 'ANALYZE' : FORGET_STATISTICS);
    const month = (ledger: Ledger) => sumDays(ledger, [{ account: 'main', day: 'a', from: FROM, until: UNTIL }]);
    const [all] = await month(world.ledger);
    expect(all).toMatchObject({ rows: 2 * (BATCHES + OTHERS), cents: 500 * (BATCHES + OTHERS) });
    expect(await countBlocks(month)).toBeLessThan(FEW);
    expect(await countBlocks((ledger) => readDay(ledger, 'main', FROM, UNTIL))).toBeLessThan(FEW);
  });
});
