import { describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { prepareBatch, releaseBatch, releaseDelayMs, stopAccount } from '../../../src/ledger/batch/prepare-batch.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { keyOf, LEASE_MS, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const batchStates = Object.keys(BATCH_STATES) as BatchState[];

describe('prepareBatch', () => {
  it('gives a ready batch to this worker, with a token and a lease, and writes one audit link', async () => {
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    const batch = await prepareBatch(world.ledger, key, LEASE_MS);
    const { sender } = world.ledger.admitted;
    expect(batch).toEqual({ ...(await readBatchRow(world.ledger, key)), sender });
    expect(batch).toMatchObject({
      state: 'preparing',
      attempt: 1,
      token: expect.stringMatching(/^[0-9a-f-]{36}$/),
      worker: world.ledger.instance.id,
    });
    const { rows } = await world.ledger.pool.query<{ left: number }>(
      'SELECT extract(epoch FROM lease_until - clock_timestamp())::float AS left FROM batch WHERE file_id = $1',
      [fileId],
    );
    expect(rows[0]!.left).toBeGreaterThan(LEASE_MS / 1_000 - 30);
    expect(rows[0]!.left).toBeLessThanOrEqual(LEASE_MS / 1_000);
    expect((await world.links(fileId)).slice(2)).toEqual([
      {
        actor: 'worker:submit',
        batch_no: 1,
        move: 'prepare',
        from_state: 'ready',
        to_state: 'preparing',
        reason: 'taken up for sending',
        evidence: { worker: world.ledger.instance.id },
      },
    ]);
  });

  it('does not take a batch that is not ready', async () => {
    const key = keyOf(await world.batchIn('submitted'));
    const before = [await readBatchRow(world.ledger, key), await world.links(key.fileId)];
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeUndefined();
    expect([await readBatchRow(world.ledger, key), await world.links(key.fileId)]).toEqual(before);
  });

  const otherStates = Object.keys(FILE_STATES) as FileState[];
  it.each(otherStates)('takes a batch of a file that is %s only if it is on its way', async (state) => {
    const { file_id: fileId } = await world.accepted();
    await world.putFile(fileId, state);
    const batch = await prepareBatch(world.ledger, { fileId, batchNo: 1 }, LEASE_MS);
    expect(batch?.state).toBe(state === 'accepted' || state === 'in_progress' ? 'preparing' : undefined);
  });

  it.each(batchStates)(
    'while another batch of the account is %s, passes if that one is not in the way',
    async (state) => {
      const first = await world.accepted({ batches: 2 });
      const second = await world.accepted({ account: first.account });
      await world.putBatch({ fileId: first.file_id, batchNo: 1 }, state);
      const isInTheWay = ['ready', 'preparing', 'sending', 'unknown', 'refused'].includes(state);
      for (const key of [
        { fileId: first.file_id, batchNo: 2 },
        { fileId: second.file_id, batchNo: 1 },
      ]) {
        const batch = await prepareBatch(world.ledger, key, LEASE_MS);
        expect(batch?.state).toBe(isInTheWay ? undefined : 'preparing');
        if (batch) await world.putBatch(key, 'submitted');
      }
    },
  );

  it('keeps to the order of the files that are accepted, whatever job comes first', async () => {
    const { file_id: held, account } = await world.held();
    const { file_id: first } = await world.accepted({ account });
    const { file_id: second } = await world.accepted({ account });
    const prepare = (fileId: string) => prepareBatch(world.ledger, { fileId, batchNo: 1 }, LEASE_MS);
    expect(await prepare(second)).toBeUndefined();
    expect(await prepare(first)).toBeDefined();
    await world.putBatch({ fileId: first, batchNo: 1 }, 'submitted');
    await world.putFile(held, 'accepted');
    expect(await prepare(second)).toBeUndefined();
    expect(await prepare(held)).toBeDefined();
  });

  it('is open although batches of other accounts are in doubt, refused or being sent', async () => {
    for (const state of ['preparing', 'sending', 'unknown', 'refused'] as const) await world.batchIn(state);
    expect((await world.prepared()).state).toBe('preparing');
  });

  it('is closed while the account is stopped', async () => {
    const { file_id: fileId, account } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    await stopAccount(world.ledger, account, 'somebody has to look');
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeUndefined();
    await world.ledger.pool.query('DELETE FROM account_stop WHERE account = $1', [account]);
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeDefined();
  });

  it('is closed until the batch has waited, and open from that moment on', async () => {
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    await world.force('UPDATE batch SET not_before = $2 WHERE file_id = $1', [
      fileId,
      new Date('2026-06-15T10:00:05Z'),
    ]);
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeUndefined();
    world.clock.advance(4_999);
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeUndefined();
    world.clock.advance(1);
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeDefined();
    world.clock.set(START);
  });

  it('is open when the batch would wait longer than any does: the clock was set back', async () => {
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    const wait = (until: string) => world.force('UPDATE batch SET not_before = $2 WHERE file_id = $1', [fileId, until]);
    await wait('2026-06-15T10:05:00.000Z');
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeUndefined();
    await wait('2026-06-15T10:05:00.001Z');
    expect(await prepareBatch(world.ledger, key, LEASE_MS)).toBeDefined();
  });

  it('finds nothing where there is no batch', async () => {
    const { file_id: fileId } = await world.accepted();
    expect(await prepareBatch(world.ledger, { fileId, batchNo: 2 }, LEASE_MS)).toBeUndefined();
  });

  it('lets exactly one of 20 workers have a batch', async () => {
    const { file_id: fileId } = await world.accepted();
    const tries = Array.from({ length: 20 }, () => prepareBatch(world.ledger, { fileId, batchNo: 1 }, LEASE_MS));
    const won = (await Promise.all(tries)).filter((batch) => batch !== undefined);
    expect(won).toHaveLength(1);
    expect((await readBatchRow(world.ledger, { fileId, batchNo: 1 })).token).toBe(won[0]!.token);
    expect((await world.links(fileId)).filter((link) => link.move === 'prepare')).toHaveLength(1);
  });

  it('lets exactly one of 20 batches of an account through at a time', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 20 });
    const tries = Array.from({ length: 20 }, (_, index) =>
      prepareBatch(world.ledger, { fileId, batchNo: index + 1 }, LEASE_MS),
    );
    expect((await Promise.all(tries)).filter((batch) => batch !== undefined)).toHaveLength(1);
    expect((await world.links(fileId)).filter((link) => link.move === 'prepare')).toHaveLength(1);
  });

  it('waits for a worker that takes up another batch of the account, and lets none through beside it', async () => {
    const { file_id: held, account } = await world.held();
    const { file_id: first } = await world.accepted({ account });
    const { pool } = world.ledger;
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query(
        `UPDATE batch SET state = 'preparing', token = gen_random_uuid(), worker = 'other',
           lease_until = clock_timestamp() + interval '1 minute' WHERE file_id = $1`,
        [first],
      );
      // This batch now comes first, and its caller cannot see the other worker's open transaction.
      await world.putFile(held, 'accepted');
      const ends = prepareBatch(world.ledger, { fileId: held, batchNo: 1 }, LEASE_MS).then((batch) => batch?.state);
      const waits = async () => {
        const { rows } = await pool.query(`SELECT FROM pg_stat_activity
          WHERE wait_event_type = 'Lock' AND datname = current_database()`);
        return rows.length > 0;
      };
      await Promise.race([ends, expect.poll(waits).toBe(true)]);
      await other.query('COMMIT');
      expect(await ends).toBeUndefined();
    } finally {
      other.release();
    }
  });
});

describe('releaseBatch', () => {
  it('gives the batch back, to wait a little before the same attempt is made again', async () => {
    const batch = await world.prepared();
    const key = keyOf(batch);
    expect(await releaseBatch(world.ledger, batch, 'connection refused')).toBe(true);
    expect(await readBatchRow(world.ledger, key)).toMatchObject({
      state: 'ready',
      reason: 'connection refused',
      attempt: 1,
      token: null,
      worker: null,
      lease_until: null,
      releases: 1,
      not_before: new Date('2026-06-15T10:00:01.000Z'),
    });
    expect((await world.links(key.fileId)).at(-1)).toEqual({
      actor: 'worker:submit',
      batch_no: 1,
      move: 'release',
      from_state: 'preparing',
      to_state: 'ready',
      reason: 'connection refused',
      evidence: {},
    });
  });

  it('waits longer each time', async () => {
    const { file_id: fileId } = await world.accepted();
    const key = { fileId, batchNo: 1 };
    const waits: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const batch = await prepareBatch(world.ledger, key, LEASE_MS);
      await releaseBatch(world.ledger, batch!, 'connection refused');
      const { not_before: notBefore } = await readBatchRow(world.ledger, key);
      waits.push(notBefore!.getTime() - world.clock.now().getTime());
      world.clock.set(notBefore!);
    }
    world.clock.set(START);
    expect(waits).toEqual([1_000, 2_000, 4_000]);
  });

  it('does nothing when the batch is sent by now', async () => {
    const batch = await world.prepared();
    const key = keyOf(batch);
    await world.force(`UPDATE batch SET state = 'sending' WHERE file_id = $1`, [key.fileId]);
    const before = await world.links(key.fileId);
    expect(await releaseBatch(world.ledger, batch, 'connection refused')).toBe(false);
    expect(await readBatchRow(world.ledger, key)).toMatchObject({ state: 'sending', token: batch.token });
    expect(await world.links(key.fileId)).toEqual(before);
  });

  it('does nothing when another worker has the batch by now', async () => {
    const batch = await world.prepared();
    const now = await world.putBatch(keyOf(batch), 'preparing');
    expect(await releaseBatch(world.ledger, batch, 'connection refused')).toBe(false);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(now);
  });
});

describe('releaseDelayMs', () => {
  it.each([
    [0, 1_000],
    [1, 2_000],
    [2, 4_000],
    [8, 256_000],
    [9, 300_000],
    [10_000, 300_000],
  ])('after %i releases it is %i ms', (releases, delayMs) => {
    expect(releaseDelayMs(releases)).toBe(delayMs);
  });
});

describe('stopAccount', () => {
  it('stops an account once, with one audit link, and keeps the first reason', async () => {
    await stopAccount(world.ledger, 'stopped', 'the journal is ahead');
    world.clock.advance(60_000);
    await stopAccount(world.ledger, 'stopped', 'another reason');
    world.clock.set(START);
    const stops = await world.ledger.pool.query(`SELECT * FROM account_stop WHERE account = 'stopped'`);
    expect(stops.rows).toEqual([
      { account: 'stopped', kind: 'fault', actor: 'system', reason: 'the journal is ahead', since: new Date(START) },
    ]);
    const links = await world.ledger.pool.query(
      `SELECT actor, file_id, reason, evidence FROM audit WHERE move = 'stop-account' AND evidence->>'account' = 'stopped'`,
    );
    expect(links.rows).toEqual([
      { actor: 'system', file_id: null, reason: 'the journal is ahead', evidence: { account: 'stopped' } },
    ]);
  });
});
