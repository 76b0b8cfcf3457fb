import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readCallInDoubt } from '../../../src/ledger/queries/in-doubt.ts';
import type { BatchRow } from '../../../src/ledger/records.ts';
import type { Desk } from '../../../workers/resolve/desk.ts';
import { type Cover, judgeCover } from '../../../workers/resolve/judge-cover.ts';
import { readReportFile, type ReportFile } from '../../../workers/resolve/read-report-file.ts';
import { keyOf, type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';
import { dayReport, type ReportLine } from '../support/day-report.ts';
import { chargedAt, DAY_MS, deskAt, doubtfulBatch } from '../support/resolve-desk.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const ACCOUNT = 'main';
const HOUR_MS = 3_600_000;
const after = (ms: number) => new Date(new Date(START).getTime() + ms);
const LATER: ReportLine = { at: after(HOUR_MS) };

let known: ReportLine;
let batch: BatchRow;
beforeEach(async () => {
  await world.empty();
  known = await chargedAt(world, ACCOUNT, after(-HOUR_MS));
  world.clock.set(START);
  batch = await doubtfulBatch(world, { account: ACCOUNT });
  world.clock.set(after(2 * HOUR_MS));
});

async function cover(
  lines: readonly ReportLine[],
  gateway: Partial<Desk['gateway']> = {},
  change = '',
): Promise<Cover> {
  const about = { agentCode: 'TEST88', server: 'NA', operation: 'ach-charge' } as const;
  const report = readReportFile(
    Buffer.from(change === '' ? dayReport(lines) : dayReport(lines).replace(change, 'Desk')),
    about,
  ) as ReportFile;
  const call = await readCallInDoubt(world.ledger, keyOf(batch));
  return judgeCover(await deskAt(world, batch, { gateway }), report, call);
}

function shifted(line: ReportLine, ms: number): ReportLine {
  return { ...line, at: new Date(line.at.getTime() + ms) };
}

describe('judgeCover', () => {
  it('takes a report that shows a known payment from before the call and a later one', async () => {
    expect(await cover([known, LATER])).toEqual({
      covers: true,
      coversNot: '',
      neverCovers: false,
      oldestAt: known.at,
      newestAt: LATER.at,
    });
  });

  it.each<[string, () => ReportLine[]]>([
    ['none that we know', () => [{ at: known.at }, LATER]],
    ['the known one with another amount', () => [{ ...known, total: '2.01' }, LATER]],
    ['the known one as declined', () => [{ ...known, result: 'REJ:15' }, LATER]],
    ['the known one as of another kind', () => [{ ...known, kind: 'VISA' }, LATER]],
    ['the known one three hours earlier, as in another zone', () => [shifted(known, -3 * HOUR_MS), LATER]],
    ['the known one later than the call', () => [shifted(known, 2 * HOUR_MS), LATER]],
    ['the known one 400 days before', () => [shifted(known, -400 * DAY_MS), LATER]],
  ])('concludes nothing from one that shows %s', async (_what, lines) => {
    const found = await cover(lines());
    expect(found).toMatchObject({
      covers: false,
      coversNot: expect.stringContaining('another zone, account or filter'),
    });
  });

  it('concludes nothing from one without a later payment, without the account, or with payments of the future', async () => {
    const cases: [ReportLine[], string, string][] = [
      [[known], '', 'from 5 minutes or more after the call'],
      [[known, shifted(LATER, 26 * HOUR_MS)], '', 'payments from the future'],
      [[known, LATER], 'Agent', 'of which account'],
    ];
    for (const [lines, change, words] of cases) {
      const found = await cover(lines, {}, change);
      expect(found).toMatchObject({ covers: false, coversNot: expect.stringContaining(words) });
    }
  });

  it.each([400 * DAY_MS, -400 * DAY_MS, 6 * 60_000, -6 * 60_000])(
    'concludes nothing when a clock was %i ms wrong at the call, or is now',
    async (ms) => {
      const now = await cover([known, LATER], { askTime: async () => after(2 * HOUR_MS + ms) });
      expect(now).toMatchObject({ covers: false, coversNot: expect.stringContaining('minutes apart now') });
      await world.force("UPDATE attempt SET service_at = service_at + $2 * interval '1 ms' WHERE file_id = $1", [
        batch.file_id,
        ms,
      ]);
      const then = await cover([known, LATER]);
      expect(then).toMatchObject({
        covers: false,
        coversNot: expect.stringContaining('minutes apart at the call'),
        neverCovers: true,
      });
    },
  );

  it('concludes nothing when the clock of the database was set during a call', async () => {
    await world.force(`UPDATE attempt SET ended_at = ended_at + interval '400 days' WHERE file_id = $1`, [
      batch.file_id,
    ]);
    expect(await cover([known, LATER])).toMatchObject({ covers: false });
    await world.force(`UPDATE attempt SET ended_at = started_at - interval '1 day' WHERE file_id = $1`, [
      batch.file_id,
    ]);
    expect(await cover([known, LATER])).toMatchObject({ covers: false });
  });

  it('concludes nothing when the time of the service is not known, nor of a call that the ledger had forgotten', async () => {
    const silent = await cover([known, LATER], { askTime: async () => undefined });
    expect(silent).toMatchObject({ covers: false, coversNot: expect.stringContaining('what time it has now') });
    await world.force('UPDATE attempt SET service_at = NULL WHERE file_id = $1', [batch.file_id]);
    expect(await cover([known, LATER])).toMatchObject({
      coversNot: expect.stringContaining('at the call is not known'),
    });
    await world.force('UPDATE attempt SET call_no = NULL WHERE file_id = $1', [batch.file_id]);
    expect(await cover([known, LATER])).toMatchObject({ coversNot: expect.stringContaining('had forgotten the call') });
  });
});
