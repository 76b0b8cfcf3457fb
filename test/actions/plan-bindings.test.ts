import { beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS, type BoundFact } from '../../schemas/actions.ts';
import type { Filled, HandledAction, Input, Subject } from '../../src/actions/action.ts';
import { HANDLERS, handlersOf } from '../../src/actions/handlers.ts';
import { confirmProfileWith } from '../../src/actions/profile/confirm-profile.ts';
import { planAction, runAction, shownPlan, type SubjectFinder } from '../../src/actions/run-action.ts';
import { ALL_ACCOUNTS, pauseAccount, resumeAccount } from '../../src/ledger/account/pause-account.ts';
import { findBatch } from '../../src/explain/batch-reference.ts';
import { proposeApproval } from '../../src/ledger/file/release-held.ts';
import { findFile } from '../../src/ledger/file/search.ts';
import { readProposal } from '../../src/ledger/proposal/proposals.ts';
import { findRun } from '../../src/ledger/schedule/read-runs.ts';
import { readReprocess } from '../../src/ledger/reprocess/judge-items.ts';
import { selectPicked } from '../../src/ledger/reprocess/select-items.ts';
import { forceSql } from '../support/force-sql.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { cardRow, lines, MAGIC_CARD } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { PROFILE_TEXT, putConfirmed, putDraft } from '../ledger/support/put-version.ts';
import { type DoubtWorld, openDoubtWorld } from '../web/support/doubt-world.ts';
import { dayReport } from '../workers/support/resolve-context.ts';
import { FEATURES } from '../../src/features.ts';

/**
 * What the plan of each action binds (`binds` in schemas/actions.ts): a fact that informs may change between the plan
 * and the action, a bound fact may not. Walks every action.
 */

const because = { actor: 'operator:ada', reason: 'wait' };
const ACTION_NAMES = Object.keys(handlersOf(FEATURES)) as HandledAction[];
const walked = new Set<HandledAction>();

/** One step of another user or of the pipeline between a plan and its action. */
type Change = () => Promise<unknown>;

type Case = {
  readonly find: SubjectFinder;
  readonly filled?: Filled;
  readonly file?: Input['file'];
  readonly actor?: string;
  /** Changes what the plan shows, and nothing that it binds. */
  readonly informs: Change;
  /** Changes each fact that the plan binds, and puts it back. */
  readonly bound?: { readonly [Fact in BoundFact]?: readonly [change: Change, back: Change] };
};

let world: PipelineWorld;

async function walk(action: HandledAction, { find, informs, bound = {}, ...rest }: Case): Promise<void> {
  const { actor = 'operator:grace', filled = {}, file } = rest;
  const input = { actor, filled, ...(file && { file }) };
  const plan = () => planAction(world.app, action, find, input);
  const order = async (bind: string) => runAction(world.app, action, find, { ...input, reason: 'looked at', bind });
  expect([action, Object.keys(bound).toSorted()]).toEqual([action, ACTIONS[action].binds.toSorted()]);
  const seen = await plan();
  for (const [fact, [change, back]] of Object.entries(bound)) {
    await change();
    expect([action, fact, (await order(seen.bind)).result]).toEqual([action, fact, 'changed']);
    await back();
    expect([action, fact, (await plan()).bind]).toEqual([action, fact, seen.bind]);
  }
  await informs();
  const informed = await plan();
  expect([action, shownPlan(informed)]).not.toEqual([action, { ...shownPlan(seen), bind: informed.bind }]);
  expect([action, (await order(seen.bind)).result]).toEqual([action, 'done']);
  walked.add(action);
}

const sql = (text: string) => () => forceSql(world.app, text);
const both = (change: string, back: string) => [sql(change), sql(back)] as const;
const fileFinder =
  (name: string): SubjectFinder =>
  async () => ({ kind: 'file', file: await findFile(world.app.ledger, `${name}.csv`) });
const batchFinder =
  (name: string): SubjectFinder =>
  async () => ({ kind: 'batch', ...(await findBatch(world.app.ledger, `${name}.csv/1`)) });
const fixed =
  (subject: Subject): SubjectFinder =>
  async () =>
    subject;

const ofFile = (name: string) => `file_id = (SELECT file_id FROM file WHERE name = '${name}.csv')`;
const ofBatch = (name: string) => `${ofFile(name)} AND batch_no = 1`;
const claimedEarlier = (name: string) =>
  sql(`UPDATE file SET claimed_at = claimed_at - interval '1 minute' WHERE ${ofFile(name)}`);
const since = (name: string) =>
  sql(`UPDATE batch SET state_at = state_at - interval '1 minute' WHERE ${ofBatch(name)}`);
const setBatch = (name: string, set: string) => `UPDATE batch SET ${set} WHERE ${ofBatch(name)}`;
const attemptOf = (name: string) =>
  both(setBatch(name, 'attempt = attempt + 1'), setBatch(name, 'attempt = attempt - 1'));

describe('plans about files, batches, accounts, proposals, schedules and selections', () => {
  const opened = openedForTests(() =>
    openPipelineWorld({
      features: FEATURES,
      account: { recheck: { afterMs: [] } },
      folder: { sameTotals: 'off' },
      settings: {
        batch: { maxRows: 2 },
        newcomerDays: 0,
        schedules: { morning: { does: 'take', at: '23:59', timeZone: 'UTC' } },
      },
    }),
  );
  const HELD = ['approve', 'decline', 'confirm', 'refuse'];
  const FREE = ['cancel', 'cancel-batch', 'retry', 'withdraw', 'disown', 'pause', 'late', 'move', 'release'];
  const DONE = ['repoll', 'outputs', 'resubmit', 'again', 'old'];
  beforeAll(async () => {
    world = opened;
    for (const [index, name] of DONE.entries()) {
      const declined = (n: number) => cardRow(n, { card: MAGIC_CARD, amount: '2.00', invoice: `${name}-${n}` });
      const first = 100 * index;
      await world.drop('card', `${name}.csv`, lines([cardRow(first), declined(first + 1), declined(first + 2)]));
    }
    await world.finish();
    await pauseAccount(world.app.ledger, 'main', because);
    for (const [index, name] of [...HELD, ...FREE].entries()) {
      if (HELD.includes(name)) await world.drop('card', `${name}.csv.ctl`, 'rows=99\n');
      const rows = [1, 2, 3].map((n) => cardRow(1_000 + 10 * index + n, { invoice: `${name}-${n}` }));
      await world.drop('card', `${name}.csv`, lines(rows));
    }
    await world.finish();
  });

  it('approve: other hold reasons and new corrections refuse, times inform', async () => {
    await walk('approve', {
      find: fileFinder('approve'),
      informs: claimedEarlier('approve'),
      bound: {
        'hold reasons': both(
          `INSERT INTO row_fault (file_no, seq, line, code) SELECT file_no, 99, 1, 'DUPLICATE_ROW' FROM file WHERE ${ofFile('approve')}`,
          `DELETE FROM row_fault WHERE code = 'DUPLICATE_ROW' AND file_no = (SELECT file_no FROM file WHERE ${ofFile('approve')})`,
        ),
        corrections: both(
          `INSERT INTO upload (account, folder, name, sha256, bytes, actor, at, file_id, replaces)
           SELECT account, folder, 'correction.csv', 'x', 1, 'operator:ada', now(), file_id,
             (SELECT file_id FROM file WHERE name = 'approve.csv') FROM file WHERE name = 'cancel.csv'`,
          `DELETE FROM upload WHERE name = 'correction.csv'`,
        ),
      },
    });
  });

  it('decline, cancel, cancel-batch, withdraw and pause: nothing refuses', async () => {
    await walk('decline', { find: fileFinder('decline'), informs: claimedEarlier('decline') });
    await walk('cancel', {
      find: fileFinder('cancel'),
      informs: sql(`UPDATE batch SET state = 'cancelled' WHERE ${ofFile('cancel')} AND batch_no = 2`),
    });
    await walk('cancel-batch', { find: batchFinder('cancel-batch'), informs: since('cancel-batch') });
    await sql(setBatch('withdraw', `state = 'refused', reason = 'no agent'`))();
    await walk('withdraw', { find: batchFinder('withdraw'), informs: since('withdraw') });
    await resumeAccount(world.app.ledger, 'main', because);
    await walk('pause', {
      find: fixed({ kind: 'account', account: 'main' }),
      informs: sql(setBatch('pause', `state = 'cancelled'`)),
    });
    await walk('pause', {
      find: fixed({ kind: 'account', account: ALL_ACCOUNTS }),
      informs: sql(setBatch('pause', `state = 'ready'`)),
    });
    await resumeAccount(world.app.ledger, ALL_ACCOUNTS, because);
  });

  it('resume: another stop refuses, waiting batches inform', async () => {
    await walk('resume', {
      find: fixed({ kind: 'account', account: 'main' }),
      informs: sql(setBatch('pause', `state = 'cancelled'`)),
      bound: {
        stops: both(
          `UPDATE account_stop SET actor = 'operator:bob', reason = 'wrong amounts' WHERE account = 'main'`,
          `UPDATE account_stop SET actor = 'operator:grace', reason = 'looked at' WHERE account = 'main'`,
        ),
      },
    });
    await pauseAccount(world.app.ledger, 'main', because);
  });

  it('retry and disown: another attempt or batch id refuses', async () => {
    await sql(setBatch('retry', `state = 'refused', reason = 'no agent'`))();
    await walk('retry', {
      find: batchFinder('retry'),
      informs: since('retry'),
      bound: { attempt: attemptOf('retry') },
    });
    await sql(setBatch('disown', `state = 'exception', batch_id = '77'`))();
    await walk('disown', {
      find: batchFinder('disown'),
      informs: since('disown'),
      bound: { 'batch id': both(setBatch('disown', `batch_id = '78'`), setBatch('disown', `batch_id = '77'`)) },
    });
    await sql(setBatch('disown', `state = 'cancelled'`))();
  });

  it('acknowledge: something else that came late refuses', async () => {
    await sql(
      `INSERT INTO late_arrival (file_id, kind, bytes, sha256, says, found_at)
       SELECT file_id, 'bytes', 9, 'x', '9 bytes were written', now() FROM file WHERE ${ofFile('late')}`,
    )();
    await walk('acknowledge', {
      find: fileFinder('late'),
      informs: claimedEarlier('late'),
      bound: {
        late: both(
          `UPDATE late_arrival SET says = '18 bytes were written'`,
          `UPDATE late_arrival SET says = '9 bytes were written'`,
        ),
      },
    });
  });

  it('answer-address: another address refuses', async () => {
    await sql(
      `INSERT INTO address_question (account, mark, merchant_no, server, address, is_sandbox, country, currency, asked_at)
       SELECT account, 'new', merchant_no, 'NA', 'https://one.test/', false, country, currency, now() FROM account
       WHERE account = 'main'`,
    )();
    await walk('answer-address', {
      find: fixed({ kind: 'account', account: 'main' }),
      filled: { service: 'moved' },
      informs: sql(`UPDATE address_question SET asked_at = asked_at - interval '1 minute'`),
      bound: {
        address: both(
          `UPDATE address_question SET address = 'https://other.test/'`,
          `UPDATE address_question SET address = 'https://one.test/'`,
        ),
      },
    });
  });

  it('move: another merchant refuses', async () => {
    const { bound } = world.app.ledger;
    const main = bound.get('main')!;
    await sql(
      `INSERT INTO account SELECT 'main.1', merchant_no, country, 'CAD', since FROM account WHERE account = 'main'`,
    )();
    for (const table of ['file', 'batch'])
      await sql(`UPDATE ${table} SET account = 'main.1' WHERE ${ofFile('move')}`)();
    await walk('move', {
      find: fileFinder('move'),
      informs: claimedEarlier('move'),
      bound: {
        merchant: [
          async () => bound.set('main', { ...main, merchantNo: main.merchantNo + 1 }),
          async () => bound.set('main', main),
        ],
      },
    });
  });

  it('release and acknowledge-batch: other charged rows refuse', async () => {
    const pair = (later: string, earlier: string, line: number) =>
      `INSERT INTO double_charge (later_no, later_line, earlier_no, earlier_line, account, is_same, source, found_at)
       SELECT l.file_no, ${line}, e.file_no, 1, 'main', true, 'for a test', now() FROM file l, file e
       WHERE l.name = '${later}.csv' AND e.name = '${earlier}.csv'`;
    const unpair = (later: string, line: number) =>
      `DELETE FROM double_charge WHERE later_line = ${line} AND later_no = (SELECT file_no FROM file WHERE ${ofFile(later)})`;
    await sql(pair('release', 'repoll', 1))();
    await sql(setBatch('release', 'paid_since = now()'))();
    await walk('release', {
      find: batchFinder('release'),
      informs: since('release'),
      bound: { 'charged rows': both(pair('release', 'repoll', 2), unpair('release', 2)) },
    });
    // Whichever was claimed first.
    const twice = (other: string) =>
      `WITH gone AS (DELETE FROM double_charge WHERE source = 'paid twice')
       INSERT INTO double_charge (later_no, later_line, earlier_no, earlier_line, account, is_same, source, found_at)
       SELECT max(file_no), 1, min(file_no), 1, 'main', true, 'paid twice', now() FROM file WHERE name IN ('again.csv', '${other}.csv')`;
    await sql(twice('repoll'))();
    await walk('acknowledge-batch', {
      find: batchFinder('again'),
      informs: since('again'),
      bound: {
        'charged rows': both(twice('outputs'), twice('repoll')),
      },
    });
  });

  it('confirm and refuse: a proposal cannot change, so nothing else refuses', async () => {
    for (const action of ['confirm', 'refuse'] as const) {
      const { file_id: fileId } = await findFile(world.app.ledger, `${action}.csv`);
      const no = await proposeApproval(world.app.ledger, fileId, because);
      await walk(action, {
        find: async () => ({
          kind: 'proposal',
          proposal: await readProposal(world.app.ledger, no),
          file: await findFile(world.app.ledger, `${action}.csv`),
        }),
        informs: claimedEarlier(action),
      });
    }
  });

  it('repoll, check-outputs and rebuild-outputs: nothing refuses', async () => {
    await walk('repoll', { find: batchFinder('repoll'), informs: since('repoll') });
    const loseOne = sql(
      `DELETE FROM output o USING (SELECT * FROM output WHERE ${ofFile('outputs')} ORDER BY kind DESC LIMIT 1) last
       WHERE (o.file_id, o.kind, o.number) = (last.file_id, last.kind, last.number)`,
    );
    await walk('check-outputs', { find: fileFinder('outputs'), informs: loseOne });
    await walk('rebuild-outputs', { find: fileFinder('outputs'), informs: loseOne });
  });

  it('reprocess and resubmit: other rows refuse', async () => {
    const { file_id: fileId, file_no: fileNo } = await findFile(world.app.ledger, 'again.csv');
    const rows = [2, 3].map((line) => ({ fileId, line }));
    const runNo = await selectPicked(world.app.ledger, { rows, batches: [], lost: [] }, because);
    const find: SubjectFinder = async () => ({
      kind: 'selection',
      run: await readReprocess(world.app.ledger.pool, runNo),
    });
    const decline = (no: number, from: string, to: string) =>
      `UPDATE row_outcome SET outcome = '${to}' WHERE file_no = ${no} AND line = 2 AND outcome = '${from}'`;
    await walk('reprocess', {
      find,
      informs: sql(`UPDATE reprocess_run SET made_by = 'operator:bob' WHERE run_no = ${runNo}`),
      bound: { rows: both(decline(fileNo, 'declined', 'approved'), decline(fileNo, 'approved', 'declined')) },
    });
    await walk('stop-run', { find, informs: sql(`UPDATE reprocess_run SET name = 'other' WHERE run_no = ${runNo}`) });
    const { file_no: no } = await findFile(world.app.ledger, 'resubmit.csv');
    await walk('resubmit', {
      find: fileFinder('resubmit'),
      informs: claimedEarlier('resubmit'),
      bound: { rows: both(decline(no, 'declined', 'approved'), decline(no, 'approved', 'declined')) },
    });
  });

  it('run-now: another day refuses, an earlier try of the day informs', async () => {
    const { clock } = world.app;
    const { now } = clock;
    const tomorrow = new Date(now.call(clock).getTime() + 86_400_000);
    await walk('run-now', {
      find: fixed({ kind: 'schedule', schedule: 'morning' }),
      informs: sql(`INSERT INTO schedule_run (schedule, business_date, state, due_at, started_at, finished_at)
        VALUES ('morning', (now() AT TIME ZONE 'UTC')::date, 'missed', now(), now(), now())`),
      bound: {
        day: [async () => Object.assign(clock, { now: () => tomorrow }), async () => Object.assign(clock, { now })],
      },
    });
  });

  it('acknowledge-run: another try or another end refuses, what the run says informs', async () => {
    const ofRun = `schedule = 'morning' AND business_date = '2026-06-15'`;
    await sql(`INSERT INTO schedule_run (schedule, business_date, state, due_at, finished_at, tries)
      VALUES ('morning', '2026-06-15', 'failed', now(), now(), 1)`)();
    const set = (change: string, back: string) =>
      both(`UPDATE schedule_run SET ${change} WHERE ${ofRun}`, `UPDATE schedule_run SET ${back} WHERE ${ofRun}`);
    await walk('acknowledge-run', {
      find: async () => ({ kind: 'run', run: await findRun(world.app.ledger, 'morning', '2026-06-15') }),
      informs: sql(`UPDATE schedule_run SET summary = '{"says": "the disk was full"}' WHERE ${ofRun}`),
      bound: { try: set(`tries = 2`, `tries = 1`) },
    });
  });

  it('archive-rows: other rows refuse, what stays informs', async () => {
    const old = `SELECT now() - interval '100 days' AS at`;
    await sql(
      `UPDATE file SET (claimed_at, aged_from, state_at, known_at) = (SELECT at, at, at, at FROM (${old}) a) WHERE name = 'old.csv'`,
    )();
    const copyFile = ({ from, to, set }: { from: number; to: number; set: string }) =>
      sql(`INSERT INTO file OVERRIDING SYSTEM VALUE SELECT (jsonb_populate_record(f, jsonb_build_object('file_no', n,
        'file_id', 'copy' || lpad(n::text, 12, '0'), 'sha256', 'x' || n, ${set}))).*
        FROM generate_series(${from}, ${to}) n, file f WHERE f.name = 'old.csv'`);
    await copyFile({ from: 1001, to: 1020, set: `'name', 'newer-' || n, 'claimed_at', now(), 'known_at', now()` })();
    await walk('archive-rows', {
      find: fixed({ kind: 'account', account: 'main' }),
      filled: { before: new Date().toISOString().slice(0, 10) },
      informs: copyFile({
        from: 2000,
        to: 2000,
        set: `'name', 'older'`,
      }),
      bound: {
        rows: both(
          `UPDATE file SET known_at = now() WHERE name = 'old.csv'`,
          `UPDATE file SET known_at = claimed_at WHERE name = 'old.csv'`,
        ),
      },
    });
  });
});

describe('plans about profiles', () => {
  const confirmed = HANDLERS['confirm-profile'];
  const reading = { fits: true as const, rows: 24, cents: 135_500, amounts: [], skipped: [] as unknown[] };
  const opened = openedForTests(() =>
    openPipelineWorld({
      settings: {
        folders: ['dues', 'gifts', 'fees'].map((profile) => ({
          account: 'main',
          operation: 'card',
          path: `drop/${profile}`,
          profile,
        })),
      },
    }),
  );
  beforeAll(() => {
    world = opened;
    Object.assign(HANDLERS, { 'confirm-profile': confirmProfileWith(async () => reading as never) });
    return () => Object.assign(HANDLERS, { 'confirm-profile': confirmed });
  });
  const profile = (name: string) => fixed({ kind: 'profile', profile: name });
  const madeEarlier = (name: string) =>
    sql(`UPDATE profile_version SET made_at = made_at - interval '1 minute' WHERE name = '${name}'`);

  it('import-profile: what the draft is compared with informs, another text refuses', async () => {
    const file = { name: 'dues.yaml', bytes: Buffer.from(PROFILE_TEXT) };
    const other = { name: 'dues.yaml', bytes: Buffer.from(PROFILE_TEXT.replaceAll('Memo', 'Note')) };
    const input = { actor: 'operator:grace', filled: {} };
    const seen = await planAction(world.app, 'import-profile', profile('dues'), { ...input, file });
    const order = { ...input, file: other, reason: 'new', bind: seen.bind };
    expect((await runAction(world.app, 'import-profile', profile('dues'), order)).result).toBe('changed');
    await walk('import-profile', {
      find: profile('dues'),
      file,
      informs: () => putDraft(world.app.ledger, 'dues', PROFILE_TEXT.replaceAll('Memo', 'Remark')),
    });
  });

  it('confirm-profile: another version or reading refuses', async () => {
    await putDraft(world.app.ledger, 'gifts');
    await walk('confirm-profile', {
      find: profile('gifts'),
      file: { name: 'sample', bytes: Buffer.from('sample') },
      filled: { rows: '24', total: '1355.00' },
      informs: madeEarlier('gifts'),
      bound: {
        version: [
          () => putDraft(world.app.ledger, 'gifts', PROFILE_TEXT.replaceAll('Memo', 'Note')),
          sql(`DELETE FROM profile_version WHERE name = 'gifts' AND version = 2`),
        ],
        sample: [
          async () => reading.skipped.push({ name: 'Refund', rows: 1, cents: -100 }),
          async () => reading.skipped.pop(),
        ],
      },
    });
  });

  it('retire-profile: another version refuses', async () => {
    const { profile_no: first } = await putConfirmed(world.app.ledger, 'fees');
    const { profile_no: second } = await putConfirmed(
      world.app.ledger,
      'fees',
      PROFILE_TEXT.replaceAll('Memo', 'Note'),
    );
    const swap = (ended: number, confirmed: number) => async () => {
      const set = (state: string, at: string, no: number) =>
        forceSql(
          world.app,
          `UPDATE profile_version SET state = '${state}', retired_at = ${at} WHERE profile_no = ${no}`,
        );
      await set('retired', 'now()', ended);
      await set('confirmed', 'NULL', confirmed);
    };
    await walk('retire-profile', {
      find: profile('fees'),
      informs: madeEarlier('fees'),
      bound: { version: [swap(second, first), swap(first, second)] },
    });
  });
});

describe('plans about batches in doubt', () => {
  const lost = { operation: 'ach-charge', isBooked: false } as const;
  const opened = openedForTests(() => openDoubtWorld({ found: {}, gone: lost, shut: {}, reported: lost }));
  let doubt: DoubtWorld;
  beforeAll(() => {
    world = doubt = opened;
  });

  it('probe, adopt, not-received, close-in-doubt and journal: another attempt refuses, times inform', async () => {
    const batchId = doubt.idOf('found');
    await walk('probe', {
      find: batchFinder('found'),
      filled: { from: batchId, to: batchId },
      informs: since('found'),
    });
    await walk('adopt', {
      find: batchFinder('found'),
      filled: { batchId },
      informs: since('found'),
      bound: { attempt: attemptOf('found') },
    });
    await doubt.age('gone', 'attempt', 25);
    await walk('not-received', {
      find: batchFinder('gone'),
      filled: { evidence: 'Ann of the service desk, ticket 4711' },
      informs: since('gone'),
      bound: { attempt: attemptOf('gone') },
    });
    await walk('close-in-doubt', {
      find: batchFinder('shut'),
      informs: since('shut'),
      bound: {
        attempt: attemptOf('shut'),
        state: both(setBatch('shut', `state = 'exception'`), setBatch('shut', `state = 'unknown'`)),
      },
    });
    // Its rows are unknown now, and closing binds which of them are.
    const setFirst = (outcome: string) =>
      `UPDATE row_outcome SET outcome = '${outcome}' WHERE line = 1 AND file_no = (SELECT file_no FROM file WHERE ${ofFile('shut')})`;
    await walk('close-in-doubt', {
      find: batchFinder('shut'),
      informs: since('shut'),
      bound: { attempt: attemptOf('shut'), state: both(setFirst('approved'), setFirst('unknown')) },
    });
    const text = dayReport([{ at: new Date(), invoice: 'ELSEWHERE' }], 'REPORTED');
    await walk('journal', {
      find: batchFinder('reported'),
      file: { name: 'report.csv', bytes: Buffer.from(text) },
      informs: since('reported'),
      bound: {
        attempt: attemptOf('reported'),
        findings: [
          async () => {
            await forceSql(
              world.app,
              `INSERT INTO transaction_report (file_id, batch_no, attempt, name, sha256, lines, covers, actor, reason, at)
              SELECT file_id, batch_no, attempt, 'another.csv', 'other', 1, false, 'operator:bob', 'by mail', now() FROM batch WHERE ${ofBatch('reported')}`,
            );
            await forceSql(
              world.app,
              `INSERT INTO row_finding SELECT file_no, 1, report_no, 'found', 'approved', NULL, '', '', ''
              FROM transaction_report r JOIN file USING (file_id) WHERE r.sha256 = 'other'`,
            );
          },
          async () => {
            await forceSql(world.app, `DELETE FROM row_finding WHERE finding = 'found'`);
            await forceSql(world.app, `DELETE FROM transaction_report r WHERE r.sha256 = 'other'`);
          },
        ],
      },
    });
  });

  it('were all walked', () => {
    expect([...walked].toSorted()).toEqual(ACTION_NAMES.toSorted());
  });
});
