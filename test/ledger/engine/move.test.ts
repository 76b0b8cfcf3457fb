import { describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import {
  BATCH_MOVES,
  BATCH_STATES,
  type BatchState,
  FILE_MOVES,
  FILE_STATES,
  type FileState,
} from '../../../schemas/lifecycle.ts';
import { moveBatch, moveFile, mustHaveMoved, mustMove } from '../../../src/ledger/engine/move.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'looked at it', evidence: { ticket: 7 } };
const VERDICTS = ['submitted', 'refused', 'unknown', 'not_sent'] as const;
const RESOLUTIONS = ['adopted', 'not_received', 'settled', 'in_doubt'] as const;
const fileStates = Object.keys(FILE_STATES) as FileState[];
const batchStates = Object.keys(BATCH_STATES) as BatchState[];

describe('moveFile', () => {
  it.each(FILE_MOVES.filter((move) => move.from !== null))(
    '$name moves a file from $from to $to with one audit link, and from no other state',
    async ({ name, from, to }) => {
      const { file_id: fileId } = await world.claimed();
      for (const state of fileStates) {
        await world.putFile(fileId, state);
        const before = await world.links(fileId);
        const row = await transact(world.ledger, (tx) => moveFile(tx, name, fileId, because));
        const isLegal = state === from;
        expect(row?.state, state).toBe(isLegal ? to : undefined);
        expect((await readFileRow(world.ledger, fileId)).state).toBe(isLegal ? to : state);
        const link = { ...because, batch_no: null, move: name, from_state: from, to_state: to };
        expect((await world.links(fileId)).slice(before.length)).toEqual(isLegal ? [link] : []);
      }
    },
  );

  it('writes the columns given with the state and the moment of the move', async () => {
    const { file_id: fileId } = await world.claimed();
    world.clock.set('2026-06-15T11:00:00.000Z');
    const row = await transact(world.ledger, (tx) =>
      moveFile(tx, 'hold', fileId, because, { set: { reason_code: 'CONTROL_TOTALS', records: 3 } }),
    );
    world.clock.set(START);
    expect(row).toMatchObject({
      state: 'held',
      state_at: new Date('2026-06-15T11:00:00.000Z'),
      reason_code: 'CONTROL_TOTALS',
      records: 3,
    });
  });

  it('moves only while its condition holds', async () => {
    const { file_id: fileId } = await world.claimed();
    const moveIf = (records: number) =>
      transact(world.ledger, (tx) =>
        moveFile(tx, 'hold', fileId, because, {
          set: { records: 4 },
          where: { sql: 'coalesce(file.records, 3) = $1 AND state = $2', values: [records, 'claimed'] },
        }),
      );
    expect(await moveIf(5)).toBeUndefined();
    expect((await moveIf(3))?.records).toBe(4);
  });
});

describe('moveBatch', () => {
  it.each(BATCH_MOVES.filter((move) => move.from !== null))(
    '$name moves a batch from $from to $to with one audit link, and from no other state',
    async ({ name, from, to }) => {
      const key = keyOf(await world.batchIn('ready'));
      for (const state of batchStates) {
        await world.putBatch(key, state);
        const before = await world.links(key.fileId);
        const row = await transact(world.ledger, (tx) => moveBatch(tx, name, key, because));
        const isLegal = state === from;
        expect(row?.state, state).toBe(isLegal ? to : undefined);
        expect((await readBatchRow(world.ledger, key)).state).toBe(isLegal ? to : state);
        const link = { ...because, batch_no: 1, move: name, from_state: from, to_state: to };
        expect((await world.links(key.fileId)).slice(before.length)).toEqual(isLegal ? [link] : []);
      }
    },
  );

  it('keeps the reason with the batch, and numbers the values of its condition behind those of the columns', async () => {
    const key = keyOf(await world.batchIn('ready'));
    const moveIf = (attempt: number) =>
      transact(world.ledger, (tx) =>
        moveBatch(tx, 'cancel', key, because, {
          set: { releases: 2, polls: 3 },
          where: { sql: 'attempt = $1 AND $1 < $2', values: [attempt, 10] },
        }),
      );
    expect(await moveIf(2)).toBeUndefined();
    expect(await moveIf(1)).toMatchObject({ state: 'cancelled', reason: because.reason, releases: 2, polls: 3 });
  });

  it('does what belongs to it with it, and nothing when it does not move; and tells what it is asked for', async () => {
    const key = keyOf(await world.batchIn('sending'));
    const refuse = (polls: number) =>
      transact(world.ledger, (tx) =>
        moveBatch<{ was: string }>(tx, 'refuse', key, because, {
          where: { sql: 'polls = $1', values: [polls] },
          also: {
            sql: 'UPDATE file SET reason = file.state || $1 FROM moved WHERE file.file_id = moved.file_id',
            values: ['!'],
          },
          tell: '(SELECT f.reason FROM file f WHERE f.file_id = batch.file_id) AS was',
        }),
      );
    const reason = async () => (await readFileRow(world.ledger, key.fileId)).reason;
    const before = await reason();
    expect(await refuse(7)).toBeUndefined();
    expect(await reason()).toBe(before);
    expect(await refuse(0)).toMatchObject({ state: 'refused', was: before });
    expect(await reason()).toBe('accepted!');
  });

  it('touches no other batch of the file', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    await transact(world.ledger, (tx) => moveBatch(tx, 'cancel', { fileId, batchNo: 2 }, because));
    expect((await readBatchRow(world.ledger, { fileId, batchNo: 1 })).state).toBe('ready');
  });

  it('takes a reason that PostgreSQL could not store as it is', async () => {
    const key = keyOf(await world.batchIn('ready'));
    const reason = 'cut\0here \ud83d';
    const row = await transact(world.ledger, (tx) =>
      moveBatch(tx, 'cancel', key, { actor: 'a', reason, evidence: { reason } }),
    );
    expect(row?.reason).toBe('cut\uFFFDhere \uFFFD');
    expect((await world.links(key.fileId)).at(-1)).toMatchObject({
      reason: 'cut\uFFFDhere \uFFFD',
      evidence: { reason: 'cut\uFFFDhere \uFFFD' },
    });
  });
});

describe('mustMove', () => {
  it('passes a row on', () => {
    expect(mustMove('row', 'move it')).toBe('row');
  });

  it('throws MOVE_REFUSED for none', () => {
    expect(() => mustMove(undefined, 'move it')).toThrow(
      expect.objectContaining({ code: 'MOVE_REFUSED', message: expect.stringContaining('Cannot move it:') }),
    );
  });
});

describe('mustHaveMoved', () => {
  it('passes a row on, and names the state of a file or batch that another has moved', async () => {
    const batch = await world.batchIn('refused', {});
    await transact(world.ledger, async (tx) => {
      const fileId = batch.file_id;
      expect(await mustHaveMoved(tx, { fileId }, 'row', 'move it')).toBe('row');
      await expect(mustHaveMoved(tx, { fileId }, undefined, 'move it')).rejects.toThrow(
        'Cannot move it: its state is now queued.',
      );
      await expect(mustHaveMoved(tx, keyOf(batch), undefined, 'retry it')).rejects.toMatchObject({
        code: 'MOVE_REFUSED',
        message: expect.stringContaining('Cannot retry it: its state is now refused.'),
      });
    });
  });
});

/** Returns what the database answers a statement. The rollback gives every case the same start. */
async function codeOf(sql: string, values: unknown[]): Promise<string> {
  const client = await world.ledger.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(sql, values);
    return 'done';
  } catch (error) {
    return (error as { code: string }).code;
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

describe('the database itself', () => {
  it.each([
    { entity: 'file', states: fileStates, moves: FILE_MOVES },
    { entity: 'batch', states: batchStates, moves: BATCH_MOVES },
  ] as const)('lets a $entity change its state as the lifecycle lists it, and in no other way', async (of) => {
    const key = keyOf(await world.batchIn('ready'));
    for (const from of of.states) {
      if (of.entity === 'file') await world.putFile(key.fileId, from as FileState);
      else await world.putBatch(key, from as BatchState);
      for (const to of of.states) {
        const isLegal = from === to || of.moves.some((move) => move.from === from && move.to === to);
        const code = await codeOf(`UPDATE ${of.entity} SET state = $2 WHERE file_id = $1`, [key.fileId, to]);
        expect([from, to, code]).toEqual([from, to, isLegal ? 'done' : 'PD001']);
      }
    }
  });

  it('lets a file begin as claimed and a batch as ready only', async () => {
    const { file_id: fileId } = await world.accepted();
    const columns = `account, merchant_no, folder, operation, name, state_at, bytes, sha256, completeness, claimed_at, known_at, seen_at, output_form, archive, charset`;
    for (const state of fileStates) {
      const sql = `INSERT INTO file (file_id, state, ${columns})
                   SELECT 'copy', $2, ${columns.replace('sha256', "'other'")} FROM file WHERE file_id = $1`;
      expect([state, await codeOf(sql, [fileId, state])]).toEqual([state, state === 'claimed' ? 'done' : 'PD001']);
    }
    for (const state of batchStates) {
      const sql = `INSERT INTO batch (file_id, batch_no, account, operation, state, state_at, rows, cents, body_sha256, first_line, last_line)
                   SELECT file_id, 2, account, operation, $2, state_at, rows, cents, '', 9, 9 FROM batch WHERE file_id = $1`;
      expect([state, await codeOf(sql, [fileId, state])]).toEqual([state, state === 'ready' ? 'done' : 'PD001']);
    }
  });

  it.each(['payment_row', 'row_outcome', 'audit'])('lets nobody change, remove or empty %s', async (table) => {
    const { file_no: fileNo } = await world.accepted();
    const outcome = `INSERT INTO row_outcome SELECT file_no, line, 'approved', NULL, '', '' FROM payment_row WHERE file_no = $1`;
    if (table === 'row_outcome') await world.ledger.pool.query(outcome, [fileNo]);
    const column = table === 'audit' ? 'reason' : table === 'row_outcome' ? 'message' : 'invoice';
    expect(await codeOf(`UPDATE ${table} SET ${column} = 'x'`, [])).toBe('PD002');
    expect(await codeOf(`DELETE FROM ${table}`, [])).toBe('PD002');
    expect(await codeOf(`TRUNCATE ${table}`, [])).toBe('PD002');
  });

  it.each(
    ['file_id', 'batch_no', 'merchant_no', 'operation', 'first_line', 'last_line', 'rows', 'cents', 'body_sha256'].map(
      (column) => [column],
    ),
  )('lets nobody change %s of a batch, what is sent', async (column) => {
    await world.accepted();
    expect(await codeOf(`UPDATE batch SET ${column} = ${column}`, [])).toBe('PD002');
  });

  it('lets a batch go only while its file is not decided', async () => {
    const { file_id: fileId } = await world.accepted();
    const drop = 'DELETE FROM batch WHERE file_id = $1';
    for (const state of fileStates) {
      await world.putFile(fileId, state);
      expect([state, await codeOf(drop, [fileId])]).toEqual([state, state === 'claimed' ? 'done' : 'PD002']);
    }
    await world.putFile(fileId, 'accepted');
    expect(await codeOf('TRUNCATE batch CASCADE', [])).toBe('PD002');
  });

  it('lets nobody change the sealed body of a batch, or make a result its body', async () => {
    const { file_id: fileId } = await world.accepted();
    const put = `INSERT INTO sealed_part VALUES ($1, 1, 'result', 'x')`;
    await world.ledger.pool.query(put, [fileId]);
    const set = (part: string, sql: string) =>
      codeOf(`UPDATE sealed_part SET ${sql} WHERE file_id = $1 AND part = $2`, [fileId, part]);
    expect(await set('body', `bytes = 'y'`)).toBe('PD002');
    expect(await set('body', `part = 'recheck-1'`)).toBe('PD002');
    expect(await set('result', `part = 'body'`)).toBe('PD002');
    expect(await set('result', `bytes = 'y'`)).toBe('done');
  });

  it('takes a row without an amount only if it is withheld', async () => {
    const { file_no: fileNo } = await world.accepted();
    const put = `INSERT INTO payment_row VALUES ($1, 90, $2, '', '', NULL, '')`;
    expect(await codeOf(put, [fileNo, null])).toBe('done');
    expect(await codeOf(put, [fileNo, 1])).toBe('23514');
  });

  it.each(
    ['file_id', 'batch_no', 'attempt', 'call', 'call_no', 'journal', 'worker', 'host', 'started_at', 'host_at'].map(
      (column) => [column],
    ),
  )('lets nobody change %s of a call', async (column) => {
    await world.sending();
    expect(await codeOf(`UPDATE attempt SET ${column} = ${column}`, [])).toBe('PD002');
  });

  it('lets nobody remove a call', async () => {
    await world.sending();
    expect(await codeOf('DELETE FROM attempt', [])).toBe('PD002');
    expect(await codeOf('TRUNCATE attempt', [])).toBe('PD002');
  });

  it('gives a call a known verdict with its end, and a resolution only in doubt', async () => {
    const { file_id: fileId } = await world.sending();
    const set = (sql: string) => codeOf(`UPDATE attempt SET ${sql} WHERE file_id = $1`, [fileId]);
    for (const verdict of VERDICTS) expect(await set(`verdict = '${verdict}', ended_at = now()`)).toBe('done');
    expect(await set(`verdict = 'lost', ended_at = now()`)).toBe('23514');
    expect(await set(`verdict = 'refused'`)).toBe('23514');
    expect(await set(`ended_at = now()`)).toBe('23514');
    const resolved = `ended_at = now(), resolution = 'not_received', resolved_at = now(), resolved_by = 'ada'`;
    for (const verdict of VERDICTS)
      expect([verdict, await set(`verdict = '${verdict}', ${resolved}`)]).toEqual([
        verdict,
        verdict === 'unknown' ? 'done' : '23514',
      ]);
  });

  it.each(VERDICTS.flatMap((from) => [...VERDICTS, null].map((to) => ({ from, to }))))(
    'lets a call in doubt again only if the service had taken it: $from to $to',
    async ({ from, to }) => {
      const { file_id: fileId } = await world.sending();
      await world.force('UPDATE attempt SET verdict = $2, ended_at = now() WHERE file_id = $1', [fileId, from]);
      const isLegal = from === to || (from === 'submitted' && to === 'unknown');
      const code = await codeOf('UPDATE attempt SET verdict = $2 WHERE file_id = $1', [fileId, to]);
      expect(code).toBe(isLegal ? 'done' : 'PD002');
      expect(await codeOf(`UPDATE attempt SET ended_at = '2030-01-01' WHERE file_id = $1`, [fileId])).toBe('PD002');
    },
  );

  it.each(RESOLUTIONS.flatMap((from) => [...RESOLUTIONS, null].map((to) => ({ from, to }))))(
    'lets only an entered batch id be taken back: $from to $to',
    async ({ from, to }) => {
      const { file_id: fileId } = await world.sending();
      const set = `UPDATE attempt SET verdict = 'unknown', ended_at = '2026-01-01', resolution = $2,
        resolved_at = CASE WHEN $2::text IS NOT NULL THEN now() END, resolved_by = CASE WHEN $2 IS NOT NULL THEN 'ada' END
        WHERE file_id = $1`;
      await world.force(set, [fileId, from]);
      const isLegal = from === to || (from === 'adopted' && to === null);
      expect(await codeOf(set, [fileId, to])).toBe(isLegal ? 'done' : 'PD002');
    },
  );

  it('keeps the time of the service once it is known', async () => {
    const { file_id: fileId } = await world.sending();
    await world.force(`UPDATE attempt SET verdict = 'unknown', ended_at = now() WHERE file_id = $1`, [fileId]);
    const set = `UPDATE attempt SET service_at = $2 WHERE file_id = $1`;
    expect(await codeOf(set, [fileId, START])).toBe('done');
    await world.force(set, [fileId, START]);
    expect(await codeOf(set, [fileId, '2026-06-15T10:00:01.000Z'])).toBe('PD002');
  });

  const EARLIER = [
    { verdict: null, resolution: null, code: 'PD003' },
    { verdict: 'submitted', resolution: null, code: 'PD003' },
    { verdict: 'refused', resolution: null, code: 'done' },
    { verdict: 'not_sent', resolution: null, code: 'done' },
    { verdict: 'unknown', resolution: null, code: 'PD003' },
    ...RESOLUTIONS.map((resolution) => ({
      verdict: 'unknown',
      resolution,
      code: resolution === 'not_received' ? 'done' : 'PD003',
    })),
  ];
  it.each(EARLIER)('answers $code to a send after a call that is $verdict, $resolution', async (earlier) => {
    const { file_id: fileId } = await world.sending();
    await world.putBatch({ fileId, batchNo: 1 }, 'ready');
    await world.force('UPDATE batch SET attempt = 2 WHERE file_id = $1', [fileId]);
    await world.force(
      `UPDATE attempt SET verdict = $2, ended_at = CASE WHEN $2::text IS NOT NULL THEN now() END, resolution = $3,
         resolved_at = CASE WHEN $3::text IS NOT NULL THEN now() END, resolved_by = CASE WHEN $3 IS NOT NULL THEN 'ada' END
       WHERE file_id = $1`,
      [fileId, earlier.verdict, earlier.resolution],
    );
    expect(await codeOf(`UPDATE batch SET state = 'sending' WHERE file_id = $1`, [fileId])).toBe(earlier.code);
  });

  it('refuses a second call in flight on an account, and takes one on another', async () => {
    const { file_id: fileId, account } = await world.accepted({ batches: 2 });
    const { file_id: otherId } = await world.accepted();
    const send = `UPDATE batch SET state = 'sending' WHERE file_id = $1 AND batch_no = $2`;
    await world.putBatch({ fileId, batchNo: 1 }, 'sending');
    expect(await codeOf(send, [fileId, 2]), `${account} has one`).toBe('23505');
    expect(await codeOf(send, [otherId, 1])).toBe('done');
    await world.putBatch({ fileId, batchNo: 1 }, 'submitted');
    expect(await codeOf(send, [fileId, 2])).toBe('done');
  });

  it('refuses a batch id that the account has had, and takes it on another account', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    const { file_id: otherId } = await world.accepted();
    const name = 'UPDATE batch SET batch_id = $3 WHERE file_id = $1 AND batch_no = $2';
    const { batch_id: batchId } = await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    expect(await codeOf(name, [fileId, 2, batchId])).toBe('23505');
    expect(await codeOf(name, [otherId, 1, batchId])).toBe('done');
    expect(await codeOf(name, [fileId, 2, `${batchId}9`])).toBe('done');
  });
});
