import { beforeEach, describe, expect, it } from 'vitest';
import { readCallInDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import type { ResolutionContext } from '../../../src/actions/resolve/resolution-context.ts';
import { type Cover, judgeCover } from '../../../src/actions/resolve/judge-cover.ts';
import { readReportFile, type ReportFile } from '../../../src/actions/resolve/read-report-file.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { dayReport, type ReportLine } from '../../workers/support/day-report.ts';
import { chargedAt, DAY_MS, contextAt, doubtfulBatch } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const ACCOUNT = 'main';
const HOUR_MS = 3_600_000;
const after = (ms: number) => new Date(new Date(START).getTime() + ms);
const LATER: ReportLine = { at: after(HOUR_MS) };

let known: ReportLine;
let batch: BatchRow;
beforeEach(async () => {
  [known] = (await chargedBeforeDoubt(after(-HOUR_MS))) as [ReportLine];
});

/** Puts a batch in doubt after payments at these moments. */
async function chargedBeforeDoubt(...moments: Date[]): Promise<ReportLine[]> {
  await world.empty();
  const charged: ReportLine[] = [];
  for (const at of moments) charged.push(await chargedAt(world, ACCOUNT, at));
  world.clock.set(START);
  batch = await doubtfulBatch(world, { account: ACCOUNT });
  world.clock.set(after(2 * HOUR_MS));
  return charged;
}

async function cover(
  lines: readonly ReportLine[],
  gateway: Partial<ResolutionContext['gateway']> = {},
  change = '',
): Promise<Cover> {
  const about = { agentCode: 'TEST88', server: 'NA', operation: batch.operation } as const;
  const report = readReportFile(
    Buffer.from(change === '' ? dayReport(lines) : dayReport(lines).replace(change, 'ResolutionContext')),
    about,
  ) as ReportFile;
  const call = await readCallInDoubt(world.ledger, keyOf(batch));
  return judgeCover(await contextAt(world, batch, { gateway }), report, call);
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
      coversNot: expect.stringContaining('another time zone, account or filter'),
    });
  });

  it('concludes nothing from one that lacks a payment known from between its first and its last', async () => {
    const early = { at: after(-2 * HOUR_MS) };
    const [first, half] = (await chargedBeforeDoubt(after(-HOUR_MS), after(-HOUR_MS / 2))) as [ReportLine, ReportLine];
    const cut = await cover([early, first, LATER]);
    expect(cut).toMatchObject({ covers: false, coversNot: expect.stringContaining('lacks 2 of the payments') });
    // The bank may have returned the call's other payment, and the list of rejected ones shows those too.
    for (const shown of [half, { ...half, result: 'REJ:63' }]) {
      expect(await cover([early, first, shown, LATER])).toMatchObject({ covers: true });
    }
  });

  it('concludes nothing from one that shows one card payment of a call without the other', async () => {
    const line = (of: ReportLine, n: number): ReportLine => ({
      ...of,
      kind: 'VISA',
      invoice: of.invoice!.replace(/2$/, `${n}`),
      total: `${n}.00`,
    });
    await world.force(`UPDATE file SET operation = 'card'`);
    await world.force(`UPDATE batch SET operation = 'card'`);
    batch = { ...batch, operation: 'card' };
    const later = { at: after(HOUR_MS), kind: 'VISA' };
    const filtered = await cover([line(known, 2), later]);
    expect(filtered).toMatchObject({ covers: false, coversNot: expect.stringContaining('lacks 1 of the payments') });
    expect(await cover([line(known, 2), line(known, 3), later])).toMatchObject({ covers: true });
  });

  it('concludes nothing about a bank payment from one that ends long before now, for two weeks', async () => {
    world.clock.set(after(26 * HOUR_MS));
    const early = await cover([known, LATER]);
    expect(early).toMatchObject({ covers: false, coversNot: expect.stringContaining('ends long before now') });
    world.clock.set(after(16 * DAY_MS));
    expect(await cover([known, { at: after(13 * DAY_MS) }])).toMatchObject({ covers: false });
    expect(await cover([known, { at: after(14 * DAY_MS) }])).toMatchObject({ covers: true });
  });

  it('concludes nothing from one without a later payment, without the account, or with payments of the future', async () => {
    const cases: [ReportLine[], string, string][] = [
      [[known], '', 'from 5 minutes or more after the call'],
      [[known, shifted(LATER, 26 * HOUR_MS)], '', 'payments from the future'],
      [[known, LATER], 'Agent', 'does not name its account'],
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
    expect(silent).toMatchObject({
      covers: false,
      coversNot: expect.stringContaining('does not tell its current time'),
    });
    await world.force('UPDATE attempt SET service_at = NULL WHERE file_id = $1', [batch.file_id]);
    expect(await cover([known, LATER])).toMatchObject({
      coversNot: expect.stringContaining('at the call is not known'),
    });
    await world.force('UPDATE attempt SET call_no = NULL WHERE file_id = $1', [batch.file_id]);
    expect(await cover([known, LATER])).toMatchObject({ coversNot: expect.stringContaining('had lost the call') });
  });
});
