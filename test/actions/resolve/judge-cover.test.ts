import { createHash } from 'node:crypto';
import { bindForTest } from '../../support/bind-for-test.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCallInDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import type { ResolutionContext } from '../../../src/actions/resolve/resolution-context.ts';
import { type Cover, judgeCover } from '../../../src/actions/resolve/judge-cover.ts';
import { readReportFile, type ReportFile } from '../../../src/actions/resolve/read-report-file.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import {
  chargedAt,
  contextAt,
  DAY_MS,
  dayReport,
  doubtfulBatch,
  type ReportLine,
} from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { readAccountStates } from '../../../src/ledger/account/read-holds.ts';
import { reconcileAccount } from '../../../src/actions/resolve/reconcile-account.ts';

describe('judgeCover', () => {
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

describe('reconcileAccount', () => {
  const world = openedForTests(openTestLedger);
  afterEach(() => world.empty());

  const because = { actor: 'operator:ada', reason: 'after the restore' };
  const AT = new Date(START);

  async function compare(lines: readonly ReportLine[], agent = 'TEST88') {
    await bindForTest(world.ledger, 'main');
    const fingerprint = (parts: readonly string[]) => createHash('md5').update(parts.join('|')).digest();
    const context = {
      ledger: world.ledger,
      name: 'main',
      account: { agentCode: 'TEST88', server: 'NA' },
      fingerprint,
    } as const;
    return reconcileAccount(context, Buffer.from(dayReport(lines, agent)), because);
  }

  /** A report line for a row of a file made by `world.accepted`. */
  const chargeOf = (fileId: string, line: number, at = AT): ReportLine => ({
    at,
    invoice: `INV-${fileId}-${line}`,
    number: '****0001',
    total: `${line}.00`,
  });

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

  it('counts payments of either kind, and those that name no method, such as of a customer code, once', async () => {
    const own = await chargedAt(world, 'main', AT);
    const found = await compare([
      own,
      { at: AT, invoice: 'LOST-1', kind: '' },
      { at: AT, invoice: 'LOST-2', kind: '', result: 'REJ:15' },
      { at: AT, invoice: 'LOST-3', kind: 'VISA', result: 'OK:678594:' },
      { at: AT, invoice: 'LOST-4', kind: '', result: 'OK:678594:' },
    ]);
    expect(found).toMatchObject({ charged: 4, known: 1 });
    expect(found.unknown.map(({ invoice }) => invoice)).toEqual(['LOST-1', 'LOST-3', 'LOST-4']);
  });

  it('remembers charges that nobody here made, and counts a call as known only if the report covers it', async () => {
    const own = await chargedAt(world, 'main', AT);
    const later = new Date(AT.getTime() + 60_000);
    for (const [name, at] of [
      ['covered', AT],
      ['outside', new Date(AT.getTime() + 3_600_000)],
    ] as const)
      await world.ledger.pool.query(
        `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, at, since) VALUES ($1, 1, 1, 'main', merchant_of('main'), 'ab', $2, now())`,
        [name, at],
      );
    const found = await compare([own, { at: later, invoice: 'LOST-1', total: '7.50' }]);
    expect(found.calls).toEqual({ forgotten: 2, outside: 1, unknown: 1 });
    const { rows } = await world.ledger.pool.query(
      `SELECT merchant_no = merchant_of('main') AS "isOwn", call, (fingerprint >> 30) & 3 AS kind FROM forgotten_row`,
    );
    expect(rows).toEqual([{ isOwn: true, call: null, kind: 3 }]);
  });

  it.each([
    ['that begins with a payment that the ledger knows', true, ['own', 'early', 'late'], 0],
    ['that was cut after the first lost payments', true, ['late'], 1],
    ['that was cut there, and has what was sent since', true, ['late', 'newer'], 1],
    ['of a kind of which the ledger never had a charged payment', false, ['late'], 0],
    ['that shows nothing that was lost', true, ['own'], 1],
  ] as const)('of a call known by its batch id alone, believes a report %s', async (_what, hasOutcome, shown, left) => {
    const at = (minutes: number) => new Date(AT.getTime() + minutes * 60_000);
    const lines = {
      own: await chargedAt(world, 'main', AT),
      early: { at: at(1), invoice: 'LOST-1' },
      late: { at: at(2), invoice: 'LOST-2' },
      newer: await chargedAt(world, 'main', at(3)),
    };
    await world.force('DELETE FROM forgotten_send');
    if (!hasOutcome) await world.force('DELETE FROM batch_outcome');
    await world.force(
      `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, batch_id, at, since)
       VALUES ('not known', 0, 1, 'main', merchant_of('main'), '', '4711', $1, $1)`,
      // When it was noticed.
      [at(10)],
    );
    const found = await compare(shown.map((name) => lines[name]));
    expect(found.calls.unknown).toBe(left);
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
    await bindForTest(world.ledger, 'main');
    for (const [call, at] of [1, 2].map((n) => [n, new Date(AT.getTime() + n * 3_600_000)] as const))
      await world.force(
        `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, at, since) VALUES ($1, 1, 1, 'main', merchant_of('main'), '', $2, $2)`,
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
