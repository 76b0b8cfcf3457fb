import { beforeAll, describe, expect, it } from 'vitest';
import { readBatchRow, readOutcomeTotals } from '../../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { readJournal } from '../../../src/actions/resolve/read-journal.ts';
import { type FilePlan, keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import {
  chargedAt,
  contextAt,
  contextForTwo,
  DAY_MS,
  dayReport,
  doubtfulBatch,
  type ReportLine,
} from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { App } from '../../../src/app.ts';
import type { ReportAnswer } from '../../../src/gateway/answers.ts';
import { askReportAgain, correctShown } from '../../../src/actions/resolve/ask-report-again.ts';

describe('readJournal', () => {
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

describe('ask report again', () => {
  const world = openedForTests(openTestLedger);
  /** Only read by the tests that share it. */
  let lacked: Awaited<ReturnType<typeof lackedFile>>;
  beforeAll(async () => {
    lacked = await lackedFile('asked');
  });

  function hours(count: number): ReportLine {
    return { at: new Date(new Date(START).getTime() + count * 3_600_000) };
  }

  /** The service as it answers now, with its newest lists by kind. */
  function appAt(approved: readonly ReportLine[] | ReportAnswer, rejected: readonly ReportLine[] = []): App {
    const asked: unknown[] = [];
    const answer = (given: readonly ReportLine[] | ReportAnswer) => async (range: unknown) => {
      asked.push(range);
      if ('kind' in given) return given;
      return { kind: 'read', report: { csv: dayReport(given), entries: given.map(entryOf) } };
    };
    const parts = {
      ledger: world.ledger,
      clock: world.clock,
      account: () => ({ agentCode: 'TEST88', server: 'NA', timeZone: 'UTC' }),
      gateway: () => ({ askTime: async () => world.clock.now() }),
      reports: () => ({
        getACHEFTApprovedDateRangeCSV: answer(approved),
        getACHEFTRejectDateRangeCSV: answer(rejected),
      }),
    };
    return parts as unknown as App;
  }

  function entryOf({ invoice = '', result = '' }: ReportLine) {
    return { invoice, outcome: /TIMEOUT/.test(result) ? 'unknown' : 'rejected' };
  }

  /** Returns a file whose two rows two reports lack, and the line of an earlier payment. */
  async function lackedFile(account: string) {
    const known = await chargedAt(world, account, hours(-1).at);
    world.clock.set(START);
    const batch = await doubtfulBatch(world, { account });
    const context = await contextAt(world, batch);
    for (const n of [1, 26]) {
      world.clock.set(hours(n + 1).at);
      const bytes = Buffer.from(dayReport([known, hours(1), hours(n)]));
      await readJournal(context, { name: `${n}.csv`, bytes, reason: 'asked the service' });
    }
    world.clock.advance(DAY_MS);
    const late = (line: number, more: Partial<ReportLine> = {}): ReportLine => ({
      ...hours(40),
      invoice: `INV-${batch.file_id}-${line}`,
      total: `${line}.00`,
      number: '****0001',
      ...more,
    });
    return { file: context.file, known, late };
  }

  describe('askReportAgain', () => {
    it('asks nothing when no row is asked about', async () => {
      const { file } = lacked;
      const app = { ledger: world.ledger } as unknown as App;
      expect(await askReportAgain(app, file, [])).toEqual({ lacking: [], shown: [], unproven: [] });
    });

    it('lets rows go that the newest report lacks still, and shows a payment from before and from after', async () => {
      const { file, known } = lacked;
      expect(await askReportAgain(appAt([known, hours(27), hours(45)]), file, [2, 3])).toEqual({
        lacking: [2, 3],
        shown: [],
        unproven: [],
        report: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/), lines: 3 },
      });
    });

    it('finds a row that was booked late, and one whose invoice stands there in another way', async () => {
      const { file, known, late } = lacked;
      const exact = await askReportAgain(appAt([known, late(2), hours(45)]), file, [2, 3]);
      expect(exact).toMatchObject({
        lacking: [3],
        shown: [{ batchNo: 1, row: { line: 2, outcome: 'accepted_pending' } }],
      });
      const loose = late(3, { invoice: `inv ${file.file_id} 3`, total: '99.00', ...hours(9_000) });
      const other = await askReportAgain(appAt([known, loose, hours(45)]), file, [3]);
      expect(other).toMatchObject({ lacking: [], shown: [{ row: { line: 3, outcome: 'unknown' } }], unproven: [] });
    });

    it('takes a payment that timed out for one that may come still, and one that was rejected for none', async () => {
      const { file, known, late } = lacked;
      const approved = [known, hours(27), hours(45)];
      const timedOut = appAt(approved, [late(2, { result: 'REJ:TIMEOUT' })]);
      expect(await askReportAgain(timedOut, file, [2, 3])).toMatchObject({
        lacking: [3],
        shown: [{ row: { line: 2 } }],
      });
      const rejected = appAt(approved, [late(2, { result: 'REJ:15' })]);
      expect(await askReportAgain(rejected, file, [2, 3])).toMatchObject({ lacking: [2, 3], shown: [] });
    });

    it('lets no row go of which the newest report proves nothing, whatever it says of others', async () => {
      const { file, known, late } = lacked;
      const noKnown = await askReportAgain(appAt([late(2), hours(45)]), file, [2, 3]);
      expect(noKnown).toMatchObject({
        lacking: [],
        shown: [{ row: { line: 2 } }],
        unproven: [{ batchNo: 1, lines: [3], why: expect.stringContaining('another time zone, account or filter') }],
      });
      const older = await askReportAgain(appAt([known, hours(20)]), file, [2, 3]);
      expect(older.unproven).toEqual([{ batchNo: 1, lines: [2, 3], why: expect.stringContaining('ends before one') }]);
      const empty = await askReportAgain(appAt([]), file, [2, 3]);
      expect(empty).toMatchObject({ lacking: [], unproven: [{ why: expect.stringContaining('it has no lines') }] });
    });

    it('lets no row go when the service did not give its newest report', async () => {
      const { file } = lacked;
      const answers: ReportAnswer[] = [
        { kind: 'failed', errors: 'the connection was reset' },
        { kind: 'not_sent', why: 'nobody listens' },
        { kind: 'restricted', message: 'not offered here' },
      ];
      for (const answer of answers) {
        const asked = await askReportAgain(appAt(answer), file, [2, 3]);
        expect(asked).toEqual({
          lacking: [],
          shown: [],
          unproven: [
            { batchNo: 1, lines: [2, 3], why: expect.stringContaining('the service did not give its newest report') },
          ],
        });
      }
    });
  });

  describe('correctShown', () => {
    it('gives the rows their outcome as a correction, with what shows it', async () => {
      const { file, known, late } = await lackedFile('corrected');
      const app = appAt([known, late(2), hours(45)]);
      const asked = await askReportAgain(app, file, [2, 3]);
      await correctShown(app, file, asked, { actor: 'operator:ada', reason: 'send them again' });
      const totals = await readOutcomeTotals(world.ledger, file.file_no);
      expect(totals).toEqual({ accepted_pending: { rows: 1, cents: 200 }, not_charged: { rows: 1, cents: 300 } });
      const correction = (await world.links(file.file_id)).find(({ move }) => move === 'correct');
      expect(correction).toMatchObject({
        actor: 'operator:ada',
        reason: 'the newest report of the service shows rows that earlier ones did not',
        evidence: { report: asked.report, changes: { 'not_charged > accepted_pending': { rows: 1, cents: 200 } } },
      });
      await correctShown(app, file, { shown: [] }, { actor: 'operator:ada', reason: 'nothing to correct' });
      expect((await world.links(file.file_id)).filter(({ move }) => move === 'correct')).toHaveLength(1);
    });
  });
});
