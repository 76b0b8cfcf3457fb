import { reconcileBatch } from '../../support/end-batches.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { BATCH_STATES, type BatchState, type FileState, type OutputKind } from '../../../schemas/lifecycle.ts';
import { recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { listFailingFiles, noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { isMoving, readOpenAges, readOverview, sumDoubt } from '../../../src/ledger/overview/overview.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { type FilePlan, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';

// The queries cover the whole ledger, so each test starts with an empty one.
const world = openedForTests(openTestLedger);
beforeEach(() => world.empty());

async function write(fileId: string, kind: OutputKind): Promise<void> {
  await recordOutput(
    world.ledger,
    { file: await readFileRow(world.ledger, fileId) },
    { kind, name: `${fileId}.${kind}`, sha256: '', bytes: 0, rows: 0 },
  );
}

/** Makes an accepted file with its acknowledgement written and its batches in these states. */
async function fileOf(states: BatchState[], plan: FilePlan = {}): Promise<FileRow> {
  const file = await world.accepted({ ...plan, batches: states.length });
  await write(file.file_id, 'ack');
  for (const [index, state] of states.entries()) {
    await world.putBatch({ fileId: file.file_id, batchNo: index + 1 }, state);
  }
  return file;
}

describe('readOverview', () => {
  it('is empty for an empty ledger', async () => {
    const parts = await readOverview(world.ledger);
    expect(Object.keys(parts).sort()).toEqual([
      'doubt',
      'files',
      'late',
      'open',
      'paid',
      'proposals',
      'stopped',
      'today',
      'twice',
      'undecided',
    ]);
    expect(Object.values(parts).flat()).toEqual([]);
  });

  it('counts files, rows and money in each state, also where nothing was read yet', async () => {
    await world.claimed();
    await world.accepted({ batches: 2, withheld: 1 });
    await world.accepted();
    await world.held();
    expect((await readOverview(world.ledger)).files).toEqual([
      { state: 'accepted', files: 2, rows: 7, cents: 200 + 300 + 400 + 500 + 200 + 300 },
      { state: 'claimed', files: 1, rows: 0, cents: 0 },
      { state: 'held', files: 1, rows: 2, cents: 500 },
    ]);
  });

  it('lists the files that are not finished, oldest first, with how far they are', async () => {
    const claimed = await world.claimed();
    const moving = await fileOf(['reconciled', 'cancelled', 'ready', 'unknown']);
    const held = await world.held();
    const finished = await fileOf(['reconciled']);
    await world.putFile(finished.file_id, 'completed');
    await world.rejected();
    const { open } = await readOverview(world.ledger);
    expect(open.map(({ file_id, state, batches, done, records }) => [file_id, state, batches, done, records])).toEqual([
      [claimed.file_id, 'claimed', 0, 0, null],
      [moving.file_id, 'accepted', 4, 2, 8],
      [held.file_id, 'held', 1, 0, 2],
    ]);
    const { name, account } = held;
    const about = { name, account, operation: 'ach-charge', reason: 'hold it', state_at: new Date(START) };
    expect(open[2]).toMatchObject(about);
  });

  it('sums open money of each account by the time since it was accepted', async () => {
    const ages = { side: ['59 minutes', '1 hour', '23 hours'], main: ['24 hours'] };
    for (const [account, spans] of Object.entries(ages)) {
      for (const span of spans) {
        const { file_id: fileId } = await fileOf(['reconciled', 'submitted'], { account });
        await world.force('UPDATE file SET accepted_at = $2::timestamptz - $3::interval WHERE file_id = $1', [
          fileId,
          world.ledger.clock.now(),
          span,
        ]);
      }
    }
    expect(await readOpenAges(world.ledger)).toEqual([
      { account: 'main', age: 'over 24 h', rows: 2, cents: 900 },
      { account: 'side', age: '1 to 4 h', rows: 2, cents: 900 },
      { account: 'side', age: '4 to 24 h', rows: 2, cents: 900 },
      { account: 'side', age: 'under 1 h', rows: 2, cents: 900 },
    ]);
  });

  it('says where money is in doubt, worst first', async () => {
    const file = await fileOf(['refused', 'unknown', 'exception', 'ready', 'submitted', 'reconciled']);
    const since = ['2026-06-15T12:00:00.000Z', '2026-06-15T11:00:00.000Z', '2026-06-15T13:00:00.000Z'];
    for (const [index, at] of since.entries()) {
      await world.force('UPDATE batch SET state_at = $3, reason = $4 WHERE file_id = $1 AND batch_no = $2', [
        file.file_id,
        index + 1,
        at,
        `reason ${index + 1}`,
      ]);
    }
    const about = { account: file.account, fileId: file.file_id, name: file.name, rows: 2 };
    expect((await readOverview(world.ledger)).doubt).toEqual([
      { ...about, batchNo: 2, state: 'unknown', cents: 900, since: new Date(since[1]!), reason: 'reason 2' },
      { ...about, batchNo: 3, state: 'exception', cents: 1_300, since: new Date(since[2]!), reason: 'reason 3' },
      { ...about, batchNo: 1, state: 'refused', cents: 500, since: new Date(since[0]!), reason: 'reason 1' },
    ]);
  });

  it('names what the service has and gives no result of, and what it says', async () => {
    const file = await fileOf(['submitted', 'submitted', 'submitted', 'reconciled']);
    await world.force(`UPDATE batch SET stale_since = $2 WHERE file_id = $1 AND batch_no IN (2, 4)`, [
      file.file_id,
      '2026-06-16T10:00:00Z',
    ]);
    await world.force(`UPDATE batch SET poll_alarm = 'Gone' WHERE file_id = $1 AND batch_no = 3`, [file.file_id]);
    const { late } = await readOverview(world.ledger);
    expect(late.map(({ batchNo, batchId, staleSince, says }) => ({ batchNo, batchId, staleSince, says }))).toEqual([
      { batchNo: 2, batchId: `id-${file.file_id}-2`, staleSince: new Date('2026-06-16T10:00:00Z'), says: null },
      { batchNo: 3, batchId: `id-${file.file_id}-3`, staleSince: null, says: 'Gone' },
    ]);
  });

  it('names the accounts that are stopped', async () => {
    await stopAccount(world.ledger, 'zoo', 'restricted');
    await stopAccount(world.ledger, 'ark', 'the journal is ahead');
    expect((await readOverview(world.ledger)).stopped).toEqual([
      { account: 'ark', reason: 'the journal is ahead', since: new Date(START) },
      { account: 'zoo', reason: 'restricted', since: new Date(START) },
    ]);
  });

  it('sums the outcomes of the files of the last 24 hours per account', async () => {
    const reconcile = async (account: string) => {
      const batch = await world.batchIn('result_in', { account });
      const { rows } = await world.ledger.pool.query('SELECT file_no FROM file WHERE file_id = $1', [batch.file_id]);
      const [first, second] = outcomesOf(batch);
      const outcomes = [first!, { ...second!, outcome: 'declined' as const }];
      await reconcileBatch(world.ledger, { fileId: batch.file_id, batchNo: 1 }, rows[0].file_no, outcomes, {});
    };
    await reconcile('main');
    world.clock.advance(1);
    await reconcile('main');
    await reconcile('side');
    await world.accepted({ account: 'main' });
    world.clock.set(new Date(new Date(START).getTime() + 24 * 3_600_000));
    const side = [
      { account: 'side', outcome: 'approved', rows: 1, cents: 200 },
      { account: 'side', outcome: 'declined', rows: 1, cents: 300 },
    ];
    expect((await readOverview(world.ledger)).today).toEqual([
      { account: 'main', outcome: 'approved', rows: 2, cents: 400 },
      { account: 'main', outcome: 'declined', rows: 2, cents: 600 },
      ...side,
    ]);
    world.clock.advance(1);
    expect((await readOverview(world.ledger)).today).toEqual([
      { account: 'main', outcome: 'approved', rows: 1, cents: 200 },
      { account: 'main', outcome: 'declined', rows: 1, cents: 300 },
      ...side,
    ]);
  });
});

const moves = (closed?: string[]) => isMoving(world.ledger, closed);

/** Puts a file into a state after its batches ended. */
async function endedAs(state: FileState): Promise<FileRow> {
  const file = await fileOf(['cancelled', 'reconciled']);
  return world.putFile(file.file_id, state);
}

describe('isMoving', () => {
  it.each<[answer: string, of: string, make: () => Promise<unknown>]>([
    ['no', 'an empty ledger', async () => undefined],
    ['yes', 'a file that is to be taken in', () => world.claimed()],
    ['no', 'a file that is completed', () => endedAs('completed')],
    [
      'yes',
      'a file whose results are due, although its account is stopped',
      async () => stopAccount(world.ledger, (await fileOf(['reconciled', 'cancelled'])).account, 'to see'),
    ],
    ['yes', 'what goes on beside an exception', () => fileOf(['exception', 'ready'])],
    [
      'yes',
      'a batch that waits a while before it is sent again',
      async () => {
        const { file_id: fileId } = await fileOf(['ready']);
        await world.force('UPDATE batch SET not_before = $2 WHERE file_id = $1', [fileId, '2026-06-15T11:00:00Z']);
      },
    ],
    ['no', 'the batches of a held file', async () => write((await world.held({ batches: 3 })).file_id, 'held')],
  ])('says %s of %s', async (answer, _of, make) => {
    await make();
    expect(await moves()).toBe(answer === 'yes');
  });

  it.each<[of: string, make: () => Promise<{ file_id: string }>, output: OutputKind]>([
    ['a file that is held until its notice is written', () => world.held(), 'held'],
    ['a file that is rejected until its notice is written', () => world.rejected(), 'nak'],
    ['a file that is cancelled until its sender is told', () => endedAs('cancelled'), 'cancelled'],
    ['a file that is partly cancelled until its sender is told', () => endedAs('partly_cancelled'), 'summary-txt'],
    ['a file that needs attention, until it is acknowledged', () => world.batchIn('unknown'), 'ack'],
  ])('says yes of %s', async (_of, make, output) => {
    const { file_id: fileId } = await make();
    expect(await moves()).toBe(true);
    await write(fileId, output);
    expect(await moves()).toBe(false);
  });

  it('says no of a file that is given up: it failed three times, and again since a time', async () => {
    const { file_id: fileId } = await fileOf(['reconciled']);
    const item = { work: 'deliver', subject: fileId, fileId } as const;
    const isGivenUp = async (since: Date) =>
      !(await isMoving(world.ledger, [], await listFailingFiles(world.ledger, since)));
    const fail = () => noteFailure(world.ledger, item, { reason: 'gone' }, 1_000);
    await fail();
    await fail();
    expect(await isGivenUp(new Date(START))).toBe(false);
    await fail();
    const later = new Date(new Date(START).getTime() + 1);
    expect([await isGivenUp(new Date(START)), await isGivenUp(later)]).toEqual([true, false]);
    world.clock.advance(1);
    await fail();
    expect(await isGivenUp(later)).toBe(true);
  });

  it.each(Object.keys(BATCH_STATES) as BatchState[])(
    'says whether a batch that is %s moves by itself',
    async (state) => {
      const file = await fileOf([state]);
      const waitsForPerson = ['unknown', 'exception', 'refused'].includes(state);
      expect(await moves()).toBe(!waitsForPerson);
      await world.putFile(file.file_id, 'in_progress');
      expect(await moves()).toBe(!waitsForPerson);
    },
  );

  it('says yes of a result that did not fit when it is to be asked for again', async () => {
    const file = await fileOf(['exception']);
    await world.force('UPDATE batch SET next_poll_at = $2 WHERE file_id = $1', [file.file_id, START]);
    expect(await moves()).toBe(true);
    world.clock.advance(-1);
    expect(await moves()).toBe(false);
  });

  it.each(['unknown', 'refused'] as const)('says no of what waits behind a batch that is %s', async (state) => {
    const { account } = await fileOf([state, 'ready'], { account: 'main' });
    await fileOf(['ready', 'ready'], { account });
    expect(await moves()).toBe(false);
    await fileOf(['ready'], { account: 'other' });
    expect(await moves()).toBe(true);
  });

  it('says no of what waits for the window of its account', async () => {
    const { account } = await fileOf(['ready', 'ready']);
    expect(await moves(['another'])).toBe(true);
    expect(await moves([account])).toBe(false);
  });

  it('says no of what waits for an account that is stopped', async () => {
    const { account } = await fileOf(['ready', 'ready']);
    expect(await moves()).toBe(true);
    await stopAccount(world.ledger, account, 'to see');
    expect(await moves()).toBe(false);
  });

  it.each(['sending', 'submitted', 'result_in'] as const)(
    'says yes of a batch that is %s although its account is stopped, or another batch of it in doubt',
    async (state) => {
      const { account } = await fileOf([state, 'unknown', 'ready']);
      expect(await moves()).toBe(true);
      await stopAccount(world.ledger, account, 'to see');
      expect(await moves()).toBe(true);
    },
  );
});

describe('sumDoubt', () => {
  it('sums rows and cents of the batches in doubt per account, and no others', async () => {
    await world.batchIn('unknown', { account: 'main' });
    world.clock.advance(60_000);
    await world.batchIn('unknown', { account: 'main', rowsPerBatch: 3 });
    await world.batchIn('unknown', { account: 'side' });
    await world.batchIn('sending', { account: 'other' });
    await world.batchIn('refused', { account: 'other' });
    expect(await sumDoubt(world.ledger)).toMatchObject([
      { account: 'main', things: 2, rows: 5, cents: 500 + 900, oldestAt: new Date(START) },
      { account: 'side', things: 1, rows: 2, cents: 500 },
    ]);
  });

  it('is empty when nothing is in doubt', async () => {
    await world.batchIn('ready');
    expect(await sumDoubt(world.ledger)).toEqual([]);
  });
});
