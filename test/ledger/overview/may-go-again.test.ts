import { reconcileBatch } from '../../support/end-batches.ts';
import type { Pool } from 'pg';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADVICE, REJECTIONS } from '../../../schemas/rejections.ts';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { listFinished } from '../../../src/ledger/overview/list-audit.ts';
import { openStageFlow } from '../../../src/ledger/overview/read-stages.ts';
import { listAgain, sumAgain } from '../../../src/ledger/overview/may-go-again.ts';
import { countIssues, issueNumber, type Issue, listIssues } from '../../../src/ledger/row/list-issues.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { FORGET_STATISTICS } from '../../support/force-sql.ts';
import { type FilePlan, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
const LATER = 14;
const because = { actor: 'operator:ada', reason: 'wanted' };

type Ended = Partial<{ outcome: SentOutcome; code: number | null }>;

/** Makes a finished file of one batch; its first rows get these outcomes, the others are approved. */
async function finished(outcomes: readonly Ended[], plan: FilePlan = {}): Promise<FileRow> {
  const file = await world.accepted({ account: 'main', rowsPerBatch: outcomes.length + 1, ...plan });
  const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
  const rows = outcomesOf(batch).map((row, index) => ({ ...row, ...outcomes[index] }));
  await reconcileBatch(world.ledger, { fileId: file.file_id, batchNo: 1 }, file.file_no, rows, {});
  return world.putFile(file.file_id, 'completed');
}

/** Changes what is known of the first row of a file. */
async function learn(file: FileRow, change: Ended): Promise<void> {
  const key = { fileId: file.file_id, batchNo: 1 };
  const [first] = outcomesOf(await world.putBatch(key, 'reconciled'));
  const by = { actor: 'worker:poll', reason: 'late', source: 'asked again' };
  await transact(world.ledger, (tx) => changeOutcomes(tx, key, [{ ...first!, ...change }], by));
}

const list = async (filter: Parameters<typeof listAgain>[1] = {}, limit = 100) =>
  (await listAgain(world.ledger, filter, { limit })).map(({ name, line }) => [name, line]);

describe('listAgain', () => {
  beforeEach(() => world.empty());

  it('lists rows that were not paid, the newest file first, with what a person needs to decide', async () => {
    const old = await finished([{ outcome: 'declined', code: LATER }, {}, { outcome: 'format_error' }]);
    const young = await finished([{ outcome: 'not_charged' }, { outcome: 'duplicate' }, { outcome: 'unknown' }]);
    expect(await list()).toEqual([
      [young.name, 2],
      [old.name, 2],
      [old.name, 4],
    ]);
    expect((await listAgain(world.ledger, {}, { limit: 3 }))[1]).toEqual({
      fileNo: old.file_no,
      fileId: old.file_id,
      name: old.name,
      account: 'main',
      line: 2,
      batchNo: 1,
      invoice: `INV-${old.file_id}-2`,
      lastFour: '0001',
      cents: 200,
      outcome: 'declined',
      code: LATER,
      since: world.clock.now(),
    });
  });

  it.each(ADVICE.map((advice) => [advice]))('takes to the advice "%s" the rows that have it', async (advice) => {
    const declined = [...Object.keys(REJECTIONS).map(Number), 999];
    await finished([
      ...declined.map((code) => ({ outcome: 'declined' as const, code })),
      { outcome: 'format_error' },
      { outcome: 'not_charged' },
    ]);
    const found = (await listAgain(world.ledger, { advice }, { limit: 200 })).map(
      ({ outcome, code }) => code ?? outcome,
    );
    const others = { later: ['not_charged'], fix: ['format_error'], unknown: [999] }[advice as string] ?? [];
    expect(found).toEqual([...declined.filter((code) => REJECTIONS[code]?.advice === advice), ...others]);
  });

  it('leaves out files that are not finished, other accounts, and files whose original is destroyed', async () => {
    const going = await finished([{ outcome: 'declined', code: LATER }]);
    await world.putFile(going.file_id, 'in_progress');
    const gone = await finished([{ outcome: 'declined', code: LATER }]);
    await world.force('UPDATE file SET shredded_at = now() WHERE file_id = $1', [gone.file_id]);
    const side = await finished([{ outcome: 'declined', code: LATER }], { account: 'side' });
    expect(await list()).toEqual([[side.name, 2]]);
    expect(await list({ account: 'main' })).toEqual([]);
    expect(await list({ account: 'side' })).toEqual([[side.name, 2]]);
  });

  it('leaves out what was sent again, and calls that only the send journal knew', async () => {
    const file = await finished([
      { outcome: 'declined', code: LATER },
      { outcome: 'declined', code: LATER },
    ]);
    const order = { name: 'again.csv', sha256: 'a', lines: [2], cents: 200 };
    await recordResubmission(world.ledger, file, order, because);
    expect(await list()).toEqual([[file.name, 3]]);
    await world.force(
      `INSERT INTO forgotten_send (account, merchant_no, file_id, batch_no, attempt, sha256, at, since)
       VALUES ('main', merchant_of('main'), $1, 1, 9, 'a', now(), now())`,
      [file.file_id],
    );
    expect(await list()).toEqual([]);
  });

  it('goes by what is known of a row now', async () => {
    const charged = await finished([{ outcome: 'declined', code: LATER }]);
    await learn(charged, { outcome: 'approved' });
    const denied = await finished([{ outcome: 'unknown' }]);
    await learn(denied, { outcome: 'not_charged' });
    const never = await finished([{ outcome: 'declined', code: LATER }]);
    await learn(never, { outcome: 'declined', code: 7 });
    expect(await list()).toEqual([
      [never.name, 2],
      [denied.name, 2],
    ]);
    expect(await list({ advice: 'later' })).toEqual([[denied.name, 2]]);
  });

  it('goes on after a page, within a file and over files', async () => {
    const file = await finished([
      { outcome: 'declined', code: LATER },
      { outcome: 'declined', code: LATER },
    ]);
    const other = await finished([{ outcome: 'not_charged' }]);
    const pages = [];
    let after: Parameters<typeof listAgain>[2]['after'];
    for (;;) {
      const [row] = await listAgain(world.ledger, {}, { after, limit: 1 });
      if (!row) break;
      pages.push([row.name, row.line]);
      after = row;
    }
    expect(pages).toEqual([
      [other.name, 2],
      [file.name, 2],
      [file.name, 3],
    ]);
  });
});

describe('sumAgain', () => {
  beforeEach(() => world.empty());

  it('sums rows and money of each account, and no more rows than asked', async () => {
    await finished([{ outcome: 'declined', code: LATER }, { outcome: 'not_charged' }]);
    await finished([{ outcome: 'declined', code: LATER }], { account: 'side' });
    expect(await sumAgain(world.ledger, {})).toEqual([
      { account: 'main', rows: 2, cents: 500 },
      { account: 'side', rows: 1, cents: 200 },
    ]);
    expect(await sumAgain(world.ledger, {}, 2)).toEqual([
      { account: 'main', rows: 1, cents: 200 },
      { account: 'side', rows: 1, cents: 200 },
    ]);
  });
});

describe('listIssues', () => {
  beforeEach(() => world.empty());
  const ALL = { account: '', issue: '' } as const;
  const issuesOf = async (filter: Partial<{ account: string; issue: Issue }> = {}) =>
    (await listIssues(world.ledger, { ...ALL, ...filter }, { limit: 100 })).map(({ name, line }) => [name, line]);

  it('lists what was not made or may not have been, the newest file first, and each kind for itself', async () => {
    const old = await finished([{ outcome: 'declined', code: 7 }, {}, { outcome: 'unknown' }]);
    await world.batchIn('unknown', { account: 'main', name: 'doubt.csv' });
    const held = await world.held({ account: 'side', name: 'held.csv', withheld: 1 });
    const rejected = await world.rejected({ withheld: 1 });
    expect(await issuesOf()).toEqual([
      [held.name, 4],
      ['doubt.csv', 2],
      ['doubt.csv', 3],
      [old.name, 2],
      [old.name, 4],
    ]);
    expect(await issuesOf({ issue: 'in_doubt' })).toEqual([
      ['doubt.csv', 2],
      ['doubt.csv', 3],
      [old.name, 4],
    ]);
    expect(await issuesOf({ issue: 'declined' })).toEqual([[old.name, 2]]);
    expect(await issuesOf({ issue: 'refused' })).toEqual([]);
    expect(await issuesOf({ account: 'side', issue: 'invalid' })).toEqual([[held.name, 4]]);
    expect(await issuesOf({ account: rejected.account })).toEqual([]);
    expect(await countIssues(world.ledger, ALL, 3)).toBe(4);
  });

  it('goes by what is known now, and leaves out what was sent again', async () => {
    const charged = await finished([{ outcome: 'declined', code: LATER }]);
    await learn(charged, { outcome: 'approved' });
    const denied = await finished([{ outcome: 'approved' }]);
    for (const outcome of ['declined', 'duplicate'] as const) await learn(denied, { outcome });
    const file = await finished([{ outcome: 'not_charged' }]);
    const order = { name: 'again.csv', sha256: 'a', lines: [2], cents: 200 };
    await recordResubmission(world.ledger, file, order, because);
    expect(await issuesOf()).toEqual([[denied.name, 2]]);
    expect(await issuesOf({ issue: 'declined' })).toEqual([]);
    expect(await issuesOf({ issue: 'duplicate' })).toEqual([[denied.name, 2]]);
  });

  it('goes on after a page, within a file, a batch and over files', async () => {
    await finished([{ outcome: 'declined' }, { outcome: 'declined' }]);
    await world.batchIn('refused', { account: 'main', rowsPerBatch: 3 });
    await world.held({ withheld: 2 });
    const all = await issuesOf();
    const paged = [];
    for (let after: number | undefined; ; ) {
      const [row] = await listIssues(world.ledger, ALL, { after, limit: 1 });
      if (!row) break;
      paged.push([row.name, row.line]);
      after = issueNumber(row);
    }
    expect(paged).toEqual(all);
    expect(paged).toHaveLength(7);
  });
});

describe('a ledger with many paid rows', () => {
  const FILES = 200;
  const ROWS = 600;
  /** A row that is looked at touches fifteen blocks; to read all outcomes takes twelve hundred. */
  const FEW = 600;

  beforeAll(async () => {
    await world.empty();
    const file = await finished([{ outcome: 'declined', code: LATER }]);
    await world.force(
      `INSERT INTO file OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(f, jsonb_build_object(
         'file_id', 'copy' || no, 'file_no', f.file_no + no, 'sha256', lpad(no::text, 64, '0')))).*
       FROM file f, generate_series(1, ${FILES}) no`,
    );
    const every = `FROM generate_series(${file.file_no + 1}, ${file.file_no + FILES}) no, generate_series(2, ${ROWS + 1}) line`;
    await world.force(
      `INSERT INTO payment_row (file_no, line, batch_no, invoice, customer_code, amount_cents, last_four)
       SELECT no, line, 1, 'INV-' || no || '-' || line, '', 100, '0001' ${every}`,
    );
    await world.force(
      `INSERT INTO row_outcome SELECT no, line, CASE WHEN line = 2 AND no % 20 = 0 THEN 'declined' ELSE 'approved' END,
         CASE WHEN line = 2 AND no % 20 = 0 THEN ${LATER} END, '', '' ${every}`,
    );
    await world.force(
      `INSERT INTO batch SELECT (jsonb_populate_record(b, jsonb_build_object(
         'file_id', f.file_id, 'batch_id', 'id-' || f.file_id))).* FROM batch b, file f WHERE f.file_id LIKE 'copy%'`,
    );
  });

  async function countBlocks(read: (ledger: Ledger) => Promise<unknown>): Promise<number> {
    let blocks = 0;
    const query = async (text: string, values?: unknown[]) => {
      const { rows } = await world.ledger.pool.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
      const { Plan: plan } = rows[0]['QUERY PLAN'][0];
      blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
      return world.ledger.pool.query(text, values);
    };
    await read({ ...world.ledger, pool: { query } as unknown as Pool });
    return blocks;
  }

  it.each(['without', 'with'])('touches only rows that were not paid, %s statistics', async (statistics) => {
    await world.force(statistics === 'with' ? 'ANALYZE' : FORGET_STATISTICS);
    expect(await sumAgain(world.ledger, { advice: 'later' })).toMatchObject([{ rows: FILES / 20 + 1 }]);
    expect(await countBlocks((ledger) => sumAgain(ledger, { advice: 'later' }))).toBeLessThan(FEW);
    expect(await countBlocks((ledger) => listAgain(ledger, { account: 'main' }, { limit: 51 }))).toBeLessThan(FEW);
    const any = { account: '', issue: '' } as const;
    expect(await countBlocks((l) => listIssues(l, any, { limit: 51 }))).toBeLessThan(FEW);
    // Each file of the account is looked up in a few indexes.
    expect(await countBlocks((l) => countIssues(l, { ...any, account: 'main' }, 99))).toBeLessThan(8 * FILES);
  });

  it.each(['without', 'with'])('reads only the end of a long audit trail, %s statistics', async (statistics) => {
    await world.force(
      `INSERT INTO audit SELECT nextval('audit_seq'), $1, 'worker:x', NULL, NULL, 'reconcile', NULL, 'reconciled', '', '{}', '', '', '', n
       FROM generate_series(1, 20000) n`,
      [world.clock.now()],
    );
    await world.force(statistics === 'with' ? 'ANALYZE' : FORGET_STATISTICS);
    expect(await countBlocks((ledger) => listFinished(ledger, { limit: 51 }))).toBeLessThan(FEW);
    const { pool } = world.ledger;
    const ledger = { ...world.ledger, pool: { query: pool.query.bind(pool) } as unknown as Pool };
    const read = openStageFlow(ledger);
    expect((await read()).reconciling.perMinute).toBeGreaterThanOrEqual(4_000);
    expect(
      await countBlocks(async (counted) => {
        ledger.pool = counted.pool;
        await read();
      }),
    ).toBeLessThan(FEW);
  });
});
