import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { ALL_ACCOUNTS, pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { beginAlarmWatch } from '../../../src/ledger/alarm/raise-alarms.ts';
import { beginRun, finishRun, missRun, seeSchedule } from '../../../src/ledger/schedule/begin-run.ts';
import {
  countStray,
  findConfirmedVersions,
  findEndedFiles,
  findLastingCauses,
  findLate,
  findUnasked,
  findUnreached,
  findWithheld,
} from '../../../src/ledger/alarm/find-alarm-causes.ts';
import { endFailure, noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { putConfirmed, putDraft } from '../support/put-version.ts';
import { acknowledgeRun } from '../../../src/ledger/schedule/acknowledge-run.ts';
import { findRun } from '../../../src/ledger/schedule/read-runs.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import type { PoolClient } from 'pg';
import { findClosed } from '../../../src/ledger/alarm/find-closed.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { undecidedBatch } from '../../workers/support/resolve-context.ts';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';

const world = openedForTests(openTestLedger);

describe('find alarm causes', () => {
  beforeEach(() => world.empty());

  describe('findLastingCauses', () => {
    const KINDS: Partial<Record<BatchState, string>> = {
      unknown: 'batch_unknown',
      exception: 'exception',
      refused: 'account_stopped',
    };
    it.each(Object.keys(BATCH_STATES) as BatchState[])('says what a batch that is %s is a cause of', async (state) => {
      const batch = await world.batchIn(state, { account: 'main' });
      const kind = KINDS[state];
      const subject = kind === 'account_stopped' ? 'main' : `${batch.file_id}/1`;
      expect(await findLastingCauses(world.ledger)).toMatchObject(
        kind ? [{ kind, subject, account: 'main', figures: { rows: 2, cents: 500 } }] : [],
      );
    });

    it('names the undecided rows of a finished batch until they are decided', async () => {
      const { file_id: fileId } = await undecidedBatch(world, { account: 'main' });
      expect(await findLastingCauses(world.ledger)).toEqual([
        {
          kind: 'rows_undecided',
          subject: `${fileId}/1`,
          account: 'main',
          figures: { fileId, batchNo: 1, rows: 1, cents: 300 },
        },
      ]);
      await world.force('UPDATE batch SET doubt_closed_at = now()');
      expect(await findLastingCauses(world.ledger)).toEqual([]);
    });

    it.each(Object.keys(FILE_STATES) as FileState[])('says whether a file that is %s is a cause', async (state) => {
      const file = await world.held({ account: 'main' });
      await world.putFile(file.file_id, state);
      expect(await findLastingCauses(world.ledger)).toEqual(
        state === 'held'
          ? [
              {
                kind: 'file_held',
                subject: file.file_id,
                account: 'main',
                figures: { fileId: file.file_id, rows: 2, cents: 500, code: 'CONTROL_TOTALS' },
              },
            ]
          : [],
      );
    });

    it('names a result that is overdue', async () => {
      const { file_id: fileId } = await world.batchIn('submitted');
      await world.force('UPDATE batch SET stale_since = now() WHERE file_id = $1', [fileId]);
      expect(await findLastingCauses(world.ledger)).toMatchObject([{ kind: 'result_overdue', subject: `${fileId}/1` }]);
    });

    it('names each stopped account once, with what waits behind it', async () => {
      await world.accepted({ account: 'main', batches: 2 });
      await world.batchIn('refused', { account: 'main' });
      await stopAccount(world.ledger, 'main', 'restricted');
      await stopAccount(world.ledger, 'side', 'restricted');
      expect(
        (await findLastingCauses(world.ledger)).toSorted((a, b) => a.subject.localeCompare(b.subject)),
      ).toMatchObject([
        { kind: 'account_stopped', subject: 'main', account: 'main', figures: { batches: 3, rows: 6 } },
        { kind: 'account_stopped', subject: 'side', figures: { batches: 0, rows: 0, cents: 0 } },
      ]);
    });

    it('counts the waiting of all accounts when all are paused', async () => {
      await world.accepted({ account: 'main' });
      await world.accepted({ account: 'side' });
      await pauseAccount(world.ledger, ALL_ACCOUNTS, { actor: 'operator:ann', reason: 'to see' });
      expect(await findLastingCauses(world.ledger)).toMatchObject([
        { kind: 'account_stopped', subject: '*', account: null, figures: { batches: 2, rows: 4 } },
      ]);
    });
  });

  describe('findUnasked', () => {
    it('names an account whose batch was due before, and no other', async () => {
      const { file_id: fileId } = await world.batchIn('submitted', { account: 'main' });
      await world.force('UPDATE batch SET next_poll_at = $2 WHERE file_id = $1', [fileId, '2026-06-15T10:00:00Z']);
      expect(await findUnasked(world.ledger, new Date('2026-06-15T10:00:00Z'))).toEqual([]);
      expect(await findUnasked(world.ledger, new Date('2026-06-15T10:00:01Z'))).toEqual([
        { kind: 'silence', subject: 'polls:main', account: 'main', figures: { batches: 1, rows: 2, cents: 500 } },
      ]);
      const item = { work: 'poll', subject: 'main', account: 'main' } as const;
      await noteFailure(world.ledger, item, { reason: 'no complete answer within 180000 ms' }, 1_000);
      expect(await findUnasked(world.ledger, new Date('2026-06-15T10:00:01Z'))).toEqual([]);
      await endFailure(world.ledger, item);
    });
  });

  describe('findUnreached', () => {
    it('names an account whose batches were put back many times, with all that wait, but not what is held', async () => {
      const { file_id: fileId } = await world.accepted({ account: 'main', batches: 2 });
      await world.accepted({ account: 'side' });
      await world.held({ account: 'main' });
      await world.force('UPDATE batch SET releases = 9 WHERE file_id = $1 AND batch_no = 1', [fileId]);
      expect(await findUnreached(world.ledger)).toEqual([]);
      await world.force('UPDATE batch SET releases = 10 WHERE file_id = $1 AND batch_no = 1', [fileId]);
      expect(await findUnreached(world.ledger)).toEqual([
        { kind: 'not_reached', subject: 'main', account: 'main', figures: { batches: 2, rows: 4, cents: 1_400 } },
      ]);
      await world.putBatch({ fileId, batchNo: 1 }, 'submitted');
      expect(await findUnreached(world.ledger)).toEqual([]);
    });
  });

  describe('findConfirmedVersions', () => {
    it('names each version that was confirmed since the watch began, with the one before, and no draft', async () => {
      await putConfirmed(world.ledger, 'dues', 'before the watch');
      world.clock.advance(1_000);
      await beginAlarmWatch(world.ledger);
      await putConfirmed(world.ledger, 'dues', 'second');
      await putConfirmed(world.ledger, 'fees', 'first');
      await putConfirmed(world.ledger, 'other', 'first');
      await putDraft(world.ledger, 'dues', 'third');
      const cause = (profile: string, version: number, replaces: number | null) => ({
        kind: 'profile_changed',
        subject: `${profile}/${version}`,
        account: null,
        figures: { profile, version, replaces },
      });
      expect(await findConfirmedVersions(world.ledger, ['dues', 'fees'])).toEqual([
        cause('dues', 2, 1),
        cause('fees', 1, null),
      ]);
      expect(await findConfirmedVersions(world.ledger, [])).toEqual([]);
      world.clock.advance(8 * 86_400_000);
      expect(await findConfirmedVersions(world.ledger, ['dues', 'fees'])).toEqual([]);
    });
  });

  describe('findLate', () => {
    const since = new Date('2026-06-10T00:00:00Z');
    const BECAUSE = { actor: 'worker:schedule', reason: 'to see' };

    async function missed(schedule: string, day: string): Promise<void> {
      await seeSchedule(world.ledger, schedule, '{}', 0);
      await missRun(world.ledger, schedule, { day, at: new Date(`${day}T12:00:00Z`) }, BECAUSE);
    }

    it('names what was missed of the schedules given, and neither what is long ago nor what is still to come', async () => {
      world.clock.set('2026-06-15T12:00:00Z');
      await missed('nightly', '2026-06-16');
      await missed('nightly', '2026-06-09');
      await missed('nightly', '2026-06-15');
      await missed('gone', '2026-06-15');
      expect(await findLate(world.ledger, ['nightly'], since)).toEqual([
        { kind: 'late', subject: 'nightly 2026-06-15', account: null, figures: {} },
      ]);
    });

    it('names what failed, and neither what runs nor what is done', async () => {
      world.clock.set('2026-06-17T12:00:00Z');
      await seeSchedule(world.ledger, 'close', '{}', 0);
      for (const state of ['failed', 'done', 'running'] as const) {
        const day = { failed: '2026-06-15', done: '2026-06-16', running: '2026-06-17' }[state];
        const run = (await beginRun(world.ledger, 'close', { day, at: new Date(`${day}T12:00:00Z`) }, BECAUSE))!;
        if (state !== 'running') await finishRun(world.ledger, run, state, BECAUSE);
      }
      expect(await findLate(world.ledger, ['close'], since)).toMatchObject([{ subject: 'close 2026-06-15' }]);
    });

    it('forgets what a user has acknowledged', async () => {
      world.clock.set('2026-06-15T12:00:00Z');
      for (const schedule of ['noted', 'expect:drop/dues']) {
        await missed(schedule, '2026-06-15');
        expect(await findLate(world.ledger, [schedule], since)).toHaveLength(1);
        await acknowledgeRun(world.ledger, await findRun(world.ledger, schedule, '2026-06-15'), BECAUSE);
        expect(await findLate(world.ledger, [schedule], since)).toEqual([]);
      }
    });

    it('forgets an expected file when one has come after its time', async () => {
      world.clock.set('2026-06-15T12:00:02Z');
      const file = await world.held();
      const subject = `expect:${file.folder}`;
      await missed(subject, '2026-06-15');
      await world.force('UPDATE file SET claimed_at = $1', ['2026-06-15T12:00:00Z']);
      expect(await findLate(world.ledger, [subject], since)).toMatchObject([{ subject: `${subject} 2026-06-15` }]);
      await world.force('UPDATE file SET claimed_at = $1', ['2026-06-15T12:00:01Z']);
      expect(await findLate(world.ledger, [subject], since)).toEqual([]);
    });
  });

  describe('findWithheld', () => {
    it('names files that were taken since alarms are looked for and of which rows were withheld', async () => {
      await world.accepted({ withheld: 1 });
      world.clock.advance(1);
      await beginAlarmWatch(world.ledger);
      await world.accepted();
      const file = await world.accepted({ withheld: 3 });
      await world.held({ withheld: 1 });
      expect(await findWithheld(world.ledger)).toMatchObject([
        {
          kind: 'rows_withheld',
          subject: file.file_id,
          account: file.account,
          figures: { rows: 3, cents: 0, unreadable: 3 },
        },
      ]);
      world.clock.advance(8 * 86_400_000);
      expect(await findWithheld(world.ledger)).toEqual([]);
    });
  });

  describe('findEndedFiles', () => {
    it('names what ended since alarms are looked for', async () => {
      await world.rejected();
      world.clock.advance(1);
      await beginAlarmWatch(world.ledger);
      expect(await findEndedFiles(world.ledger, 'file_refused')).toEqual([]);
      const file = await world.rejected();
      expect(await findEndedFiles(world.ledger, 'file_refused')).toMatchObject([
        { kind: 'file_refused', subject: file.file_id, figures: { code: 'COLUMN_COUNT' } },
      ]);
      expect(await findEndedFiles(world.ledger, 'file_done')).toEqual([]);
      world.clock.advance(8 * 86_400_000);
      expect(await findEndedFiles(world.ledger, 'file_refused')).toEqual([]);
    });

    it('names a file that is done with its outcomes', async () => {
      await beginAlarmWatch(world.ledger);
      const file = await world.accepted();
      await world.putFile(file.file_id, 'completed');
      await world.force(`INSERT INTO batch_outcome VALUES ($1, 1, 'approved', 2, 500)`, [file.file_no]);
      expect(await findEndedFiles(world.ledger, 'file_done')).toMatchObject([
        { kind: 'file_done', subject: file.file_id, figures: { outcomes: { approved: { rows: 2, cents: 500 } } } },
      ]);
    });
  });
});

describe('countStray', () => {
  beforeAll(() => world.empty());

  it('sums what is open of accounts that are not named, and nothing that is final', async () => {
    await world.accepted({ account: 'gone', batches: 2 });
    await world.batchIn('submitted', { account: 'gone' });
    const done = await world.batchIn('reconciled', { account: 'done' });
    await world.putFile(done.file_id, 'completed');
    await world.accepted({ account: 'main' });
    const stray = [{ account: 'gone', files: 2, batches: 3, rows: 6, cents: 1_900 }];
    expect(await countStray(world.ledger, ['main'])).toEqual(stray);
    expect(await countStray(world.ledger, ['main', 'gone'])).toEqual([]);
  });
});

describe('findClosed', () => {
  const world = openedForTests(openTestLedger);
  let client: PoolClient;
  beforeAll(async () => {
    client = await world.ledger.pool.connect();
  });
  afterAll(() => client.release(true));

  it('finds nothing where everything can be changed, and names a database that is read-only', async () => {
    expect(await findClosed({ pool: client })).toEqual([]);
    await client.query('SET default_transaction_read_only = on');
    expect(await findClosed({ pool: client })).toEqual([
      expect.objectContaining({ action: 'change the ledger', reason: 'its database is read-only, or a standby' }),
    ]);
    await client.query('SET default_transaction_read_only = off');
  });

  it('names the tables and sequences that the role has no rights on, and what gives them back', async () => {
    await client.query('BEGIN');
    await client.query(`CREATE ROLE lean_clerk;
      GRANT USAGE ON SCHEMA paydrop TO lean_clerk;
      GRANT ALL ON ALL TABLES IN SCHEMA paydrop TO lean_clerk;
      GRANT ALL ON ALL SEQUENCES IN SCHEMA paydrop TO lean_clerk;
      REVOKE UPDATE, DELETE ON audit FROM lean_clerk;
      REVOKE DELETE ON failing_work FROM lean_clerk;
      REVOKE ALL ON SEQUENCE call_no FROM lean_clerk;
      SET LOCAL ROLE lean_clerk`);
    const found = await findClosed({ pool: client });
    await client.query('ROLLBACK');
    expect(found).toEqual([
      {
        action: 'use the whole ledger',
        reason: 'its role lacks permissions on call_no, failing_work',
        next: expect.stringContaining('GRANT ALL ON ALL SEQUENCES IN SCHEMA paydrop TO "lean_clerk";'),
      },
    ]);
  });
});
