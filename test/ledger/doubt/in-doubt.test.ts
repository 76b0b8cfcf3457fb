import { bindForTest } from '../../support/bind-for-test.ts';
import { describe, expect, it } from 'vitest';
import {
  describeDoubt,
  findBatchById,
  findSentElsewhere,
  readCallInDoubt,
  readInDoubt,
  readNeighbours,
} from '../../../src/ledger/doubt/in-doubt.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { findBatchesHolding, findRowsOf, readExceptions } from '../../../src/ledger/doubt/find-batches-holding.ts';
import { readBatchIds, readWaiting } from '../../../src/ledger/doubt/look-ahead.ts';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { countFindings, keepReport, type NewReport, readReportRange } from '../../../src/ledger/doubt/keep-report.ts';
import { chargedAt, doubtfulBatch } from '../../workers/support/resolve-context.ts';
import type { RowFinding } from '../../../src/rows/rows.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';

const world = openedForTests(openTestLedger);

describe('readInDoubt', () => {
  it('tells of each batch in doubt its calls, what came too late, and the batches around it', async () => {
    const account = 'main';
    await world.batchIn('reconciled', { account });
    await world.force(`UPDATE batch SET batch_id = '1000001', submitted_at = $1`, ['2026-06-15T09:00:00Z']);
    const batch = await world.sending({ account });
    const evidence = { bytesWritten: 900, bytesRead: 0 };
    await endCall(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence });
    const late = { verdict: 'submitted', batchId: '1000002', firstPollMs: 0, evidence: { text: 'taken' } } as const;
    await endCall(world.ledger, batch, late);

    const found = await readInDoubt(world.ledger);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      batch: { file_id: batch.file_id, state: 'unknown', rows: 2 },
      file: { account, operation: 'ach-charge' },
      attempts: [{ attempt: 1, host: 'service.test', request_bytes: 1_000, verdict: 'unknown', evidence }],
      lateAnswers: [
        { reason: 'the service gave it batch id 1000002', evidence: { text: 'taken', batchId: '1000002' } },
      ],
      reports: [],
      before: { batchId: '1000001' },
      after: undefined,
      proposal: undefined,
    });
    const row = await readBatchRow(world.ledger, keyOf(batch));
    expect(await describeDoubt(world.ledger, row)).toEqual(found[0]);
    expect(await readNeighbours(world.ledger, row)).toEqual({ before: found[0]!.before, after: undefined });
    const call = { calledAt: new Date(START), callNo: expect.any(Number), isTimed: false };
    expect(await readCallInDoubt(world.ledger, keyOf(batch))).toEqual(call);
  });
});

describe('findBatchById', () => {
  it('knows the batches of the same account only', async () => {
    expect(await findBatchById(world.ledger, 'main', '1000001')).toMatchObject({ batchNo: 1 });
    expect(await findBatchById(world.ledger, 'other', '1000001')).toBeUndefined();
    expect(await findBatchById(world.ledger, 'main', '1000009')).toBeUndefined();
  });
});

describe('findSentElsewhere', () => {
  it('finds rows of the same invoice that other batches of the account sent, and not those never sent', async () => {
    const [doubt] = await readInDoubt(world.ledger);
    const other = await world.batchIn('reconciled', { account: 'main' });
    const invoice = `INV-${other.file_id}-2`;
    const find = () => findSentElsewhere(world.ledger, doubt!.batch, [invoice]);
    expect(await find()).toEqual([]);
    const insert = `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, ended_at, verdict, call)
                    VALUES ($1, 1, 1, 'w', 'h', 1, $2, $2, 'submitted', gen_random_uuid())`;
    await world.force(insert, [other.file_id, new Date(START)]);
    expect(await find()).toMatchObject([{ invoice, amountCents: 200, lastFour: '0001' }]);
    await world.force(`UPDATE attempt SET started_at = '2024-05-01' WHERE file_id = $1`, [other.file_id]);
    expect(await find()).toHaveLength(1);
  });
});

describe('readBatchIds', () => {
  it('gives the ids of all accounts of the merchant, the newest first', async () => {
    const one = await world.batchIn('submitted', { account: 'one' });
    await world.ledger.pool.query(
      `INSERT INTO account SELECT 'other', merchant_no, country, currency, since FROM account WHERE account = 'one'`,
    );
    const other = await world.batchIn('reconciled', { account: 'other' });
    await world.batchIn('submitted', { account: 'stranger' });
    await world.force(`UPDATE batch SET submitted_at = now() - interval '1 h' WHERE file_id = $1`, [one.file_id]);
    await world.force('UPDATE batch SET submitted_at = now() WHERE file_id = $1', [other.file_id]);
    const known = await readBatchIds(world.ledger, 'one');
    expect(known.ids).toEqual([other.batch_id, one.batch_id]);
    expect(known.isCalling).toBe(false);
    expect(await known.isKnown(one.batch_id!)).toBe(true);
    expect(await known.isKnown('never given')).toBe(false);
  });

  it('knows an id of another account at the same service, and not the same id of another service', async () => {
    await world.batchIn('submitted', { account: 'live' });
    const trial = await world.batchIn('submitted', { account: 'trial' });
    const known = await readBatchIds(world.ledger, 'live');
    const moveTo = (address: string) =>
      world.force(
        `UPDATE merchant_address SET server = 'NA', address = $1 WHERE merchant_no IN (SELECT merchant_of('trial'))`,
        [address],
      );
    await world.force(
      `UPDATE merchant_address SET server = 'NA', address = 'https://live.test/' WHERE merchant_no IN (SELECT merchant_of('live'))`,
      [],
    );
    await moveTo('https://live.test/');
    expect(await known.isKnown(trial.batch_id!)).toBe(true);
    await moveTo('https://trial.test/');
    expect(await known.isKnown(trial.batch_id!)).toBe(false);
  });

  it.each(['sending', 'unknown'] as const)('sees a call that is %s', async (state) => {
    await world.batchIn(state, { account: state });
    expect((await readBatchIds(world.ledger, state)).isCalling).toBe(true);
  });

  it('counts calls without an id since the newest one, and none that were forgotten before it', async () => {
    const { file_id: fileId } = await world.batchIn('submitted', { account: 'restored' });
    await world.force('UPDATE batch SET submitted_at = now() WHERE file_id = $1', [fileId]);
    for (const [call, when] of [
      ['long ago', `now() - interval '1 h'`],
      ['since', `now() + interval '1 s'`],
    ])
      await world.force(
        `INSERT INTO forgotten_send (file_id, batch_no, attempt, account, merchant_no, sha256, at, since)
         VALUES ($1, 1, 1, 'restored', merchant_of('restored'), '', ${when}, now())`,
        [call],
      );
    expect((await readBatchIds(world.ledger, 'restored')).withoutId).toBe(1);
  });

  it('sees that a call was made', async () => {
    await bindForTest(world.ledger, 'caller');
    const before = await readBatchIds(world.ledger, 'caller');
    await world.sending({ account: 'caller' });
    expect((await readBatchIds(world.ledger, 'caller')).calls).toBeGreaterThan(before.calls);
  });
});

it('readWaiting gives what would be sent next, in its order', async () => {
  const { file_id: first } = await world.accepted({ account: 'waiting', batches: 2 });
  const { file_id: second } = await world.batchIn('refused', { account: 'waiting' });
  await world.batchIn('submitted', { account: 'waiting' });
  const waiting = await readWaiting(world.ledger, 'waiting');
  expect(waiting.map(({ batch }) => [batch.file_id, batch.batch_no])).toEqual([
    [first, 1],
    [first, 2],
    [second, 1],
  ]);
  expect(waiting[0]!.layout).toBeTruthy();
});

describe('findBatchesHolding', () => {
  it('finds other batches of the account by an invoice of theirs', async () => {
    const file = await world.accepted({ account: 'main', batches: 2 });
    const other = await world.accepted({ account: 'main' });
    const foreign = await world.accepted({ account: 'side' });
    const batch = await readBatchRow(world.ledger, { fileId: file.file_id, batchNo: 1 });
    const find = async (...invoices: string[]) =>
      (await findBatchesHolding(world.ledger, batch, invoices)).map((row) => [row.file_id, row.batch_no, row.layout]);
    expect(await find(`INV-${file.file_id}-4`)).toEqual([[file.file_id, 2, 'ach']]);
    expect(await find('no invoice', `INV-${other.file_id}-2`)).toEqual([[other.file_id, 1, 'ach']]);
    expect(await find(`INV-${file.file_id}-2`, `INV-${foreign.file_id}-2`, '')).toEqual([]);
  });
});

it('findRowsOf tells of the rows of an account which were sent and which wait', async () => {
  const sent = await world.sending({ account: 'sender' });
  const waiting = await world.accepted({ account: 'sender' });
  const other = await world.accepted({ account: 'other' });
  const invoices = [sent, waiting, other].map(({ file_id: fileId }) => `INV-${fileId}-2`);
  expect(await findRowsOf(world.ledger, 'sender', [...invoices, 'nobody'])).toMatchObject([
    { fileId: sent.file_id, batchNo: 1, amountCents: 200, wasSent: true, isWaiting: false },
    { fileId: waiting.file_id, batchNo: 1, amountCents: 200, wasSent: false, isWaiting: true },
  ]);
  for (const verdict of ['not_sent', 'refused']) {
    await world.force('UPDATE attempt SET verdict = $2, ended_at = now() WHERE file_id = $1', [sent.file_id, verdict]);
    expect((await findRowsOf(world.ledger, 'sender', invoices))[0]).toMatchObject({ wasSent: false });
  }
});

describe('readExceptions', () => {
  it('lists the batches whose result does not fit, and no others', async () => {
    for (const state of Object.keys(BATCH_STATES) as BatchState[]) await world.batchIn(state, { name: `${state}.csv` });
    expect(await readExceptions(world.ledger)).toEqual([
      expect.objectContaining({
        name: 'exception.csv',
        batchNo: 1,
        rows: 2,
        cents: 500,
        since: new Date(START),
        nextPollAt: null,
      }),
    ]);
  });
});

const HOUR_MS = 3_600_000;

const hours = (count: number) => new Date(new Date(START).getTime() + count * HOUR_MS);

describe('readReportRange', () => {
  it('begins with the last payment that a report must show before the call, and reaches up to now', async () => {
    for (const at of [-30, -20, -1]) await chargedAt(world, 'busy', hours(at));
    world.clock.set(START);
    const batch = await doubtfulBatch(world, { account: 'busy' });
    world.clock.set(hours(5));
    const range = await readReportRange(world.ledger, batch, 2 * HOUR_MS);
    expect(range).toEqual({ from: hours(-20), to: hours(5), readTo: null });
    // With such late times a payment may appear anywhere, so the first one serves as well as any.
    expect((await readReportRange(world.ledger, batch, 400 * HOUR_MS)).from).toEqual(hours(-30));
  });

  it('begins with the call when the account never charged anything before', async () => {
    world.clock.set(START);
    const batch = await doubtfulBatch(world, { account: 'new' });
    expect((await readReportRange(world.ledger, batch, HOUR_MS)).from).toEqual(hours(0));
  });
});

const because = { actor: 'operator:ada', reason: 'what the report says' };

const ABSENT: RowFinding = {
  line: 3,
  finding: 'absent',
  outcome: null,
  code: null,
  message: '',
  authorization: '',
  transactionId: '',
};

const FOUND: RowFinding = {
  ...ABSENT,
  line: 2,
  finding: 'found',
  outcome: 'declined',
  code: 15,
  message: 'REJ:15\u0000',
  transactionId: 'A1',
};

describe('keepReport', () => {
  it('keeps what is said of each row once, however often it is given', async () => {
    const batch = await world.batchIn('unknown');
    const report: NewReport = {
      attempt: 1,
      name: 'report.csv',
      sha256: 'a'.repeat(64),
      lines: 9,
      oldestAt: null,
      newestAt: world.clock.now(),
      covers: true,
      findings: [FOUND, ABSENT],
    };
    const keep = () => transact(world.ledger, (tx) => keepReport(tx, keyOf(batch), report, because));
    expect([await keep(), await keep()]).toEqual([true, false]);
    const { rows } = await world.ledger.pool.query(
      'SELECT line, finding, outcome, code, message, transaction_id FROM row_finding ORDER BY line',
    );
    expect(rows).toMatchObject([
      { line: 2, finding: 'found', outcome: 'declined', code: 15, transaction_id: 'A1' },
      { line: 3, finding: 'absent', outcome: null, code: null, transaction_id: '' },
    ]);
    const links = (await world.links(batch.file_id)).filter((link) => link.move === 'read-report');
    expect(links).toMatchObject([{ ...because, evidence: { name: 'report.csv', lines: 9, found: 1, absent: 1 } }]);
    await expect(world.ledger.pool.query(`UPDATE row_finding SET outcome = 'approved'`)).rejects.toThrow(
      'written once',
    );
  });
});

describe('countFindings', () => {
  it('counts each kind, also none', () => {
    expect(countFindings([FOUND, ABSENT, ABSENT])).toEqual({ found: 1, absent: 2, ambiguous: 0 });
    expect(countFindings([])).toEqual({ found: 0, absent: 0, ambiguous: 0 });
  });
});
