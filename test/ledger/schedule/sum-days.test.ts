import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { reconcileBatch } from '../../../src/ledger/batch/receive-result.ts';
import { moveBatch } from '../../../src/ledger/engine/move.ts';
import { type DaySpan, sumDays } from '../../../src/ledger/schedule/read-day.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';

const NONE = { rows: 0, cents: 0, unreadable: 0 };

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
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
afterAll(() => world.close());

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

describe('sumDays', () => {
  it('sums what ended on each day of each account, and leaves out what was never sent', async () => {
    const spans = ['2026-06-14', '2026-06-15', '2026-06-16'].flatMap((day) => [
      spanOf('main', day),
      spanOf('side', day),
    ]);
    expect(await sumDays(world.ledger, spans)).toEqual([
      { account: 'main', day: '2026-06-15', rows: 3, cents: 900, declined: 1, withheld: NONE },
      { account: 'side', day: '2026-06-15', rows: 2, cents: 500, declined: 0, withheld: NONE },
      { account: 'main', day: '2026-06-16', rows: 3, cents: 1_800, declined: 2, withheld: NONE },
    ]);
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
        withheld: { rows: 4, cents: 5_500, unreadable: 2 },
      },
    ]);
  });

  it('says nothing of days without an end, nor of no days', async () => {
    expect(await sumDays(world.ledger, [spanOf('main', '2026-06-17')])).toEqual([]);
    expect(await sumDays(world.ledger, [])).toEqual([]);
  });
});
