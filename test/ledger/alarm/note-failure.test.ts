import { beforeEach, describe, expect, it } from 'vitest';
import { openTestLedger } from '../../support/ledger-world.ts';
import { endFailure, listFailing, noteFailure, readFailing } from '../../../src/ledger/alarm/note-failure.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

describe('note failure', () => {
  beforeEach(() => world.empty());

  const ITEM = { work: 'deliver', subject: 'f1', fileId: 'f1' } as const;

  const AGAIN_MS = 15_000;

  async function fail(times: number, reason = 'no space'): Promise<void> {
    for (let n = 0; n < times; n += 1) await noteFailure(world.ledger, ITEM, { code: 'DISK_FULL', reason }, AGAIN_MS);
  }

  describe('noteFailure', () => {
    it('counts failures since the first, with the reason of the last', async () => {
      await fail(2);
      world.clock.advance(AGAIN_MS);
      await fail(1, 'no space at all');
      expect(await readFailing(world.ledger)).toMatchObject([
        { ...ITEM, failures: 3, reason: 'no space at all', code: 'DISK_FULL' },
      ]);
      const [row] = await readFailing(world.ledger);
      expect(row!.lastAt.getTime() - row!.since.getTime()).toBe(AGAIN_MS);
    });

    it('begins anew after a time in which it was not tried', async () => {
      await fail(5);
      world.clock.advance(86_400_000);
      expect(await readFailing(world.ledger)).toEqual([]);
      await fail(1);
      expect(await readFailing(world.ledger)).toEqual([]);
    });

    it('keeps a long reason in part', async () => {
      await fail(3, 'x'.repeat(5_000));
      expect((await readFailing(world.ledger))[0]!.reason).toHaveLength(1_000);
    });
  });

  describe('endFailure', () => {
    it('ends this work and no other', async () => {
      await fail(3);
      await noteFailure(world.ledger, { ...ITEM, work: 'intake' }, { reason: 'x' }, AGAIN_MS);
      await endFailure(world.ledger, ITEM);
      expect(await listFailing(world.ledger)).toEqual(new Set(['intake f1']));
    });
  });

  describe('endFailure, of what each process does for itself', () => {
    it('keeps what another process cannot do while that lives, and ends what the one before could not', async () => {
      const sweep = { work: 'sweep', subject: 'host/site' } as const;
      const other = await world.openAgain();
      await noteFailure(other, sweep, { reason: 'x' }, AGAIN_MS);
      await noteFailure(other, ITEM, { reason: 'x' }, AGAIN_MS);
      await endFailure(world.ledger, sweep);
      await endFailure(world.ledger, ITEM);
      expect(await listFailing(world.ledger)).toEqual(new Set(['sweep host/site']));
      await endFailure(other, sweep);
      expect(await listFailing(world.ledger)).toEqual(new Set());
      await noteFailure(other, sweep, { reason: 'x' }, AGAIN_MS);
      await other.instance.leave();
      await endFailure(world.ledger, sweep);
      expect(await listFailing(world.ledger)).toEqual(new Set());
    });
  });

  describe('listFailing', () => {
    it.each([
      ['poll', 'submitted', 'reconciled'],
      ['submit', 'ready', 'cancelled'],
    ] as const)(
      'forgets to %s when no batch that is %s is left, for the account and for the batch',
      async (work, open, over) => {
        const batch = await world.batchIn(open, { account: 'main' });
        await world.batchIn(open, { account: 'other' });
        const key = { fileId: batch.file_id, batchNo: 1 };
        await noteFailure(world.ledger, { work, subject: 'main', account: 'main' }, { reason: 'x' }, AGAIN_MS);
        await noteFailure(world.ledger, { work, subject: 'b', ...key }, { reason: 'x' }, AGAIN_MS);
        expect(await listFailing(world.ledger)).toEqual(new Set([`${work} main`, `${work} b`]));
        await world.putBatch(key, over);
        expect(await listFailing(world.ledger)).toEqual(new Set());
      },
    );

    it('lists what fails, and forgets what is not tried any more', async () => {
      await fail(1);
      expect(await listFailing(world.ledger)).toEqual(new Set(['deliver f1']));
      world.clock.advance(86_400_000);
      expect(await listFailing(world.ledger)).toEqual(new Set());
      await fail(1);
      world.clock.advance(-400 * 86_400_000);
      expect(await listFailing(world.ledger)).toEqual(new Set());
    });
  });
});

describe('readFailing', () => {
  beforeEach(() => world.empty());
  const subjects = async (fileId?: string) => (await readFailing(world.ledger, fileId)).map(({ subject }) => subject);
  async function fail(subject: string, times: number, item: { account?: string; fileId?: string } = {}): Promise<void> {
    for (let n = 0; n < times; n += 1)
      await noteFailure(world.ledger, { work: 'poll', subject, ...item }, { reason: 'no answer' }, 60_000);
  }

  it('tells what has failed three times, or once and not succeeded for 45 s', async () => {
    await fail('often', 3);
    await fail('once', 1);
    expect(await subjects()).toEqual(['often']);
    world.clock.advance(44_000);
    expect(await subjects()).toEqual(['often']);
    world.clock.advance(1_000);
    expect(await subjects()).toEqual(['often', 'once']);
  });

  it('tells of one file what fails for it or for its account, with its name', async () => {
    const file = await world.accepted({ account: 'main', name: 'june.csv' });
    await fail('of the file', 3, { fileId: file.file_id });
    await fail('of its account', 3, { account: 'main' });
    await fail('of another account', 3, { account: 'other' });
    await fail('of another file', 3, { fileId: 'f2', account: 'main' });
    expect((await subjects(file.file_id)).sort()).toEqual(['of its account', 'of the file']);
    const all = await readFailing(world.ledger);
    expect(all.find(({ subject }) => subject === 'of the file')).toMatchObject({ name: 'june.csv', account: 'main' });
  });
});
