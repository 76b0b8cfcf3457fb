import { endCall } from '../../../src/ledger/batch/commit-send.ts';
import { receiveResult, reconcileBatch } from '../../support/end-batches.ts';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type FileFilter,
  countBatches,
  countFiles,
  countFilesByState,
  type FileOrder,
  findBatchesById,
  listBatches,
  listFiles,
  readLinkedFiles,
  searchFiles,
} from '../../../src/ledger/file/list-files.ts';
import type { ListPage } from '../../../src/ledger/engine/list-page.ts';
import { keyOf, openTestLedger, outcomesOf } from '../../support/ledger-world.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { maskName } from '../../../src/kernel/mask.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { readBatchFacts, readFileFacts } from '../../../src/ledger/file/read-why.ts';
import { forget } from '../support/put-rows.ts';
import { undecidedBatch } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('listFiles', () => {
  beforeEach(() => world.empty());
  const names = async (filter: FileFilter = {}, page: Partial<ListPage<FileOrder>> = {}) =>
    (await listFiles(world.ledger, filter, { limit: 10, ...page })).map((file) => file.name);

  it('has the newest first, each with how far its batches are, and no keys', async () => {
    const first = await world.accepted({ name: 'first.csv', batches: 3 });
    await world.putBatch({ fileId: first.file_id, batchNo: 1 }, 'reconciled');
    await world.putBatch({ fileId: first.file_id, batchNo: 2 }, 'cancelled');
    await world.claimed({ name: 'second.csv' });
    const files = await listFiles(world.ledger, {}, { limit: 10 });
    expect(files).toMatchObject([
      { name: 'second.csv', state: 'claimed', batches: 0, done: 0, records: null },
      { name: 'first.csv', state: 'accepted', batches: 3, done: 2, records: 6, valid_cents: 2_700 },
    ]);
    expect(Object.keys(files[0]!).filter((name) => name.endsWith('_key'))).toEqual([]);
  });

  it('pages by number, on and back', async () => {
    const files = [];
    for (const name of ['1', '2', '3', '4']) files.push(await world.claimed({ name }));
    expect(await names({}, { limit: 2 })).toEqual(['4', '3']);
    expect(await names({}, { limit: 2, after: files[2]!.file_no })).toEqual(['2', '1']);
    expect(await names({}, { limit: 2, before: files[0]!.file_no })).toEqual(['3', '2']);
  });

  it('counts up to one more than asked for, and by state for one account or all', async () => {
    for (const name of ['1', '2', '3']) await world.claimed({ name });
    const { file_id: held } = await world.accepted({ name: '4', account: 'other' });
    await world.putFile(held, 'held');
    const { file_id: doubtful } = await world.accepted({ name: '5' });
    await world.putBatch({ fileId: doubtful, batchNo: 1 }, 'unknown');
    await undecidedBatch(world, { name: '6', account: 'third' });
    expect(await countFiles(world.ledger, {}, 10)).toBe(6);
    expect(await countFiles(world.ledger, { states: ['claimed'] }, 10)).toBe(3);
    expect(await countFiles(world.ledger, { states: ['claimed'] }, 1)).toBe(2);
    expect((await names({ needsAttention: true })).sort()).toEqual(['4', '5', '6']);
    const all = await countFilesByState(world.ledger, '', 2);
    expect([all.get('claimed'), all.get('held'), all.get('attention')]).toEqual([3, 1, 3]);
    const other = await countFilesByState(world.ledger, 'other', 10);
    expect([other.get('claimed'), other.get('held'), other.get('attention')]).toEqual([0, 1, 1]);
  });

  const morning = new Date('2026-06-15T06:00:00Z');
  const noon = new Date('2026-06-15T12:00:00Z');
  it.each<[FileFilter, string[]]>([
    [{ states: ['accepted'] }, ['Monday-ACCEPTED.csv']],
    [{ account: 'other' }, ['tuesday.csv']],
    [{ folder: 'drop/card' }, ['tuesday.csv']],
    [{ operation: 'card' }, ['tuesday.csv']],
    [{ namePart: 'accepted' }, ['Monday-ACCEPTED.csv']],
    [{ namePart: '%' }, []],
    [{ name: 'tuesday.csv' }, ['tuesday.csv']],
    [{ name: 'tuesday' }, []],
    [{ from: noon }, ['tuesday.csv']],
    [{ to: noon }, ['Monday-ACCEPTED.csv']],
    [{ from: morning, to: noon, states: ['claimed'] }, []],
  ])('filters by %j', async (filter, expected) => {
    world.clock.set(morning.toISOString());
    await world.accepted({ name: 'Monday-ACCEPTED.csv' });
    world.clock.set(noon.toISOString());
    await world.claimed({ name: 'tuesday.csv', account: 'other', folder: 'drop/card', operation: 'card' });
    expect(await names(filter)).toEqual(expected);
  });
});

const because = { actor: 'operator:ada', reason: 'again' };

it('readLinkedFiles knows what a file was made from and made into, and the same content', async () => {
  const { file_id: fileId } = await world.accepted({ name: 'old.csv' });
  await world.putBatch({ fileId, batchNo: 1 }, 'cancelled');
  const old = await world.putFile(fileId, 'cancelled');
  const again = { name: 'again.csv', sha256: 'bytes that came back', lines: [2], cents: 1 };
  await recordResubmission(world.ledger, old, again, because);
  const waits = { name: 'waits.csv', sha256: 'not here yet', lines: [3], cents: 1 };
  await recordResubmission(world.ledger, old, waits, because);
  const made = await world.claimed({ account: old.account, sha256: again.sha256, name: 'again.csv' });
  const repeat = await world.rejected({ name: 'repeat.csv' });
  await world.force('UPDATE file SET duplicate_of = $2 WHERE file_id = $1', [repeat.file_id, fileId]);

  const links = async (id: string) =>
    (await readLinkedFiles(world.ledger, id)).map((file) => [file.kind, file.fileId, file.name, file.state]);
  expect(await links(fileId)).toEqual(
    expect.arrayContaining([
      ['resubmitted_as', made.file_id, 'again.csv', 'claimed'],
      ['resubmitted_as', null, 'waits.csv', null],
      ['repeated_by', repeat.file_id, 'repeat.csv', 'rejected'],
    ]),
  );
  expect(await links(fileId)).toHaveLength(3);
  expect(await links(made.file_id)).toEqual([['made_from', fileId, 'old.csv', 'cancelled']]);
  expect(await links(repeat.file_id)).toEqual([['duplicate_of', fileId, 'old.csv', 'cancelled']]);
});

describe('search files', () => {
  let june: FileRow;

  beforeAll(async () => {
    await world.empty();
    await world.claimed({ name: 'May dues.csv' });
    june = await world.accepted({ name: maskName('june-20260615-4222222222222220.csv') });
  });

  describe('searchFiles', () => {
    it.each([
      ['id', () => june.file_id],
      ['first letters of the id', () => june.file_id.slice(0, 4)],
      ['the id in large letters', () => june.file_id.slice(0, 8).toUpperCase()],
      ['a part of the name', () => 'JUNE'],
      ['a name with a long number, which the ledger keeps masked', () => 'june-20260615-4222222222222220.csv'],
    ])('finds a file by %s', async (_, words) => {
      expect((await searchFiles(world.ledger, { text: words() }, 10)).map((file) => file.file_id)).toEqual([
        june.file_id,
      ]);
    });

    it('finds names with a day', async () => {
      const { file_id: fileId } = await world.claimed({ name: 'charges_20260617.csv' });
      const found = await searchFiles(world.ledger, { text: 'charges_20260617' }, 10);
      expect(found.map((file) => file.file_id)).toEqual([fileId]);
    });

    it('finds nothing by signs that a pattern would read, and no more than asked for', async () => {
      expect(await searchFiles(world.ledger, { text: '%' }, 10)).toEqual([]);
      expect(await searchFiles(world.ledger, { text: '____' }, 10)).toEqual([]);
      expect((await searchFiles(world.ledger, { text: 'e' }, 1)).map((file) => file.file_id)).toHaveLength(1);
    });
  });

  describe('findBatchesById', () => {
    it('finds the batches of all accounts that got this id', async () => {
      const one = await world.batchIn('submitted', { account: 'one' });
      const two = await world.batchIn('submitted', { account: 'two' });
      await world.force(`UPDATE batch SET batch_id = '1007' WHERE file_id = ANY ($1)`, [[one.file_id, two.file_id]]);
      const found = await findBatchesById(world.ledger, '1007');
      expect(found.map(({ fileId, account }) => [fileId, account])).toEqual([
        [two.file_id, 'two'],
        [one.file_id, 'one'],
      ]);
      expect(await findBatchesById(world.ledger, '100')).toEqual([]);
    });
  });
});

it('listBatches pages by number, and tells no token of a worker', async () => {
  const { file_id: fileId } = await world.accepted({ batches: 4 });
  await world.accepted({ batches: 4 });
  await world.putBatch({ fileId, batchNo: 3 }, 'sending');
  const page = await listBatches(world.ledger, fileId, { after: 1, limit: 2 });
  expect(page.map((batch) => [batch.batch_no, batch.state])).toEqual([
    [2, 'ready'],
    [3, 'sending'],
  ]);
  expect(page[1]).not.toHaveProperty('token');
  expect(await listBatches(world.ledger, fileId, { after: 4, limit: 2 })).toEqual([]);
  const largest = await listBatches(world.ledger, fileId, { order: 'amount', isDescending: true, after: 4, limit: 2 });
  expect(largest.map((batch) => batch.batch_no)).toEqual([3, 2]);
  expect(await countBatches(world.ledger, fileId, 10)).toBe(4);
  expect(await countBatches(world.ledger, fileId, 2)).toBe(3);
});

async function reconciled(fileId: string, batchNo: number): Promise<void> {
  const batch = await world.putBatch({ fileId, batchNo }, 'submitted');
  const file = await readFileRow(world.ledger, fileId);
  await receiveResult(world.ledger, keyOf(batch), { sealed: Buffer.from('x'), sha256: 'x', rows: batch.rows });
  await reconcileBatch(world.ledger, keyOf(batch), file.file_no, outcomesOf(batch), {});
}

describe('readFileFacts', () => {
  it('tells batches by their state, open ones apart, and outcomes summed up', async () => {
    const file = await world.accepted({ batches: 9 });
    await reconciled(file.file_id, 1);
    await reconciled(file.file_id, 2);
    const facts = await readFileFacts(world.ledger, file);
    expect(facts.groups).toEqual([
      { state: 'reconciled', batches: 2, rows: 4, cents: 1_400, first: 1 },
      { state: 'ready', batches: 7, rows: 14, cents: expect.any(Number), first: 3 },
    ]);
    expect(facts.open.map((batch) => batch.batch_no)).toEqual([3]);
    expect(facts.outcomes).toEqual([{ outcome: 'approved', rows: 4, cents: 1_400 }]);
    expect(facts.links.map((link) => link.move)).toEqual(['claim', 'accept']);
    expect(facts.madeFrom).toBeNull();
  });

  it('counts the faults per code', async () => {
    const file = await world.held({ withheld: 1 });
    await world.ledger.pool.query(
      `INSERT INTO row_fault (file_no, seq, line, code)
       VALUES ($1, 1, 2, 'CARD_BRAND'), ($1, 2, 3, 'AMOUNT_ZERO'), ($1, 3, 4, 'AMOUNT_ZERO')`,
      [file.file_no],
    );
    expect((await readFileFacts(world.ledger, file)).faults).toEqual([
      { code: 'AMOUNT_ZERO', faults: 2 },
      { code: 'CARD_BRAND', faults: 1 },
    ]);
  });
});

describe('readBatchFacts', () => {
  it('tells the attempts, and how often it was put back, without a link for each', async () => {
    const batch = await world.call();
    await endCall(world.ledger, batch, { verdict: 'not_sent', reason: 'nobody answers', evidence: {} });
    const file = await readFileRow(world.ledger, batch.file_id);
    const facts = await readBatchFacts(world.ledger, file, batch);
    expect(facts).toMatchObject({ attempts: [], links: [], ahead: 0, isBarred: false });
    expect(facts.releases).toMatchObject({ times: 1, lastReason: 'nobody answers' });
    const sent = await world.sending();
    const sentFacts = await readBatchFacts(world.ledger, await readFileRow(world.ledger, sent.file_id), sent);
    expect(sentFacts.attempts).toMatchObject([{ attempt: 1, host: 'service.test', request_bytes: 1_000 }]);
    expect(sentFacts.links.map((link) => link.move)).toEqual(['send']);
    expect(sentFacts.releases.times).toBe(0);
  });

  it('counts the batches of the account that go before it', async () => {
    const first = await world.accepted({ account: 'queue', batches: 2 });
    const second = await world.accepted({ account: 'queue', batches: 2 });
    await world.held({ account: 'queue' });
    const aheadOf = async (file: typeof first, batchNo: number) => {
      const batch = await readBatchRow(world.ledger, { fileId: file.file_id, batchNo });
      return (await readBatchFacts(world.ledger, file, batch)).ahead;
    };
    expect([await aheadOf(first, 1), await aheadOf(first, 2), await aheadOf(second, 2)]).toEqual([0, 1, 3]);
  });

  it('knows one whose bytes were sent before', async () => {
    const batch = await world.batchIn('ready');
    await forget(world.ledger, { account: batch.account, sha256: batch.body_sha256 });
    const file = await readFileRow(world.ledger, batch.file_id);
    expect((await readBatchFacts(world.ledger, file, batch)).isBarred).toBe(true);
  });

  it('sums up the outcomes of this batch alone', async () => {
    const file = await world.accepted({ batches: 2 });
    await reconciled(file.file_id, 1);
    await reconciled(file.file_id, 2);
    const batch = await readBatchRow(world.ledger, { fileId: file.file_id, batchNo: 2 });
    expect((await readBatchFacts(world.ledger, file, batch)).outcomes).toEqual([
      { outcome: 'approved', rows: 2, cents: 900 },
    ]);
  });
});
