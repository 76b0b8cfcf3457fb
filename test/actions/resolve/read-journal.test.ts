import { describe, expect, it } from 'vitest';
import { readBatchRow, readOutcomeTotals } from '../../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { readJournal } from '../../../src/actions/resolve/read-journal.ts';
import { type FilePlan, keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { dayReport, type ReportLine } from '../../workers/support/day-report.ts';
import { chargedAt, DAY_MS, contextAt, contextForTwo, doubtfulBatch } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const HOUR_MS = 3_600_000;

function hours(count: number): ReportLine {
  return { at: new Date(new Date(START).getTime() + count * HOUR_MS) };
}

function rowLine(batch: BatchRow, line: number): ReportLine {
  return { ...hours(0.01), invoice: `INV-${batch.file_id}-${line}`, total: `${line}.00`, number: '****0001' };
}

function given(lines: readonly ReportLine[], name = 'report.csv') {
  return { name, bytes: Buffer.from(dayReport(lines)), reason: 'what the report says' };
}

async function doubtful(plan: FilePlan = {}): Promise<BatchRow> {
  world.clock.set(START);
  return doubtfulBatch(world, plan);
}

/** Returns a batch in doubt, and the line of a payment its account made an hour before. */
async function doubtfulAfterCharge(account: string): Promise<{ batch: BatchRow; known: ReportLine }> {
  const known = await chargedAt(world, account, hours(-1).at);
  return { batch: await doubtful({ account }), known };
}

describe('readJournal', () => {
  it('ends the batch at once when the report shows every row', async () => {
    const batch = await doubtful();
    const context = await contextAt(world, batch);
    const all = given([rowLine(batch, 2), rowLine(batch, 3)]);
    expect(await readJournal({ ...context, dryRun: true }, all)).toMatchObject({ outcome: { result: 'dry-run' } });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    const reading = await readJournal(context, all);
    expect(reading).toMatchObject({ outcome: { result: 'done' }, counts: { found: 2 }, certain: 2, uncertain: [] });
    const totals = await readOutcomeTotals(world.ledger, context.file.file_no);
    expect(totals).toEqual({ accepted_pending: { rows: 2, cents: 500 } });
  });

  it('takes the rows that two reports lack for not charged, the second a day after the first', async () => {
    const { batch, known } = await doubtfulAfterCharge('lacking');
    const context = await contextAt(world, batch);
    world.clock.advance(2 * HOUR_MS);
    const first = given([known, rowLine(batch, 2), hours(1)]);
    expect(await readJournal(context, first)).toMatchObject({
      outcome: { result: 'kept' },
      certain: 1,
      uncertain: [3],
    });
    expect(await readJournal(context, first)).toMatchObject({ outcome: { result: 'kept' }, uncertain: [3] });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);

    world.clock.advance(DAY_MS);
    const done = await readJournal(context, given([known, hours(1), hours(25)], 'second.csv'));
    expect(done).toMatchObject({ outcome: { result: 'done' }, counts: { absent: 2 }, certain: 2, uncertain: [] });
    const totals = await readOutcomeTotals(world.ledger, context.file.file_no);
    expect(totals).toEqual({ accepted_pending: { rows: 1, cents: 200 }, not_charged: { rows: 1, cents: 300 } });
  });

  it('concludes nothing from the same report given twice, however late', async () => {
    const { batch, known } = await doubtfulAfterCharge('twice');
    const context = await contextAt(world, batch);
    world.clock.advance(2 * DAY_MS);
    const report = given([known, hours(30)]);
    await readJournal(context, report);
    world.clock.advance(2 * DAY_MS);
    expect(await readJournal(context, report)).toMatchObject({ outcome: { result: 'kept' }, uncertain: [2, 3] });
  });

  it('names the rows that cannot be told, with the reason', async () => {
    const batch = await doubtful();
    const reading = await readJournal(await contextAt(world, batch), given([{ ...rowLine(batch, 2), total: '99.00' }]));
    expect(reading.ambiguous).toEqual([{ line: 2, why: expect.stringContaining('another amount') }]);
  });

  it('proposes the end where two persons are needed, and keeps the report', async () => {
    const batch = await doubtful();
    const reading = await readJournal(await contextForTwo(world, batch), given([rowLine(batch, 2), rowLine(batch, 3)]));
    expect(reading.outcome).toMatchObject({ result: 'proposed' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('is refused for a file that is no report of the account, and for a batch that is not in doubt', async () => {
    const context = await contextAt(world, await doubtful());
    const other = { ...given([]), bytes: Buffer.from(dayReport([hours(1)], 'OTHER1')) };
    await expect(readJournal(context, other)).rejects.toThrow('it lists payments of another account');
    await expect(readJournal(context, { ...other, bytes: Buffer.from('%PDF') })).rejects.toMatchObject({
      code: 'RESOLUTION_REFUSED',
    });
    const final = await contextAt(world, await world.batchIn('reconciled'));
    await expect(readJournal(final, given([hours(1)]))).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});
