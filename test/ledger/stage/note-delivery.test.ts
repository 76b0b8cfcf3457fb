import { beforeEach, expect, it } from 'vitest';
import { dueFiles, isDeliverable } from '../../../src/ledger/batch/due-work.ts';
import { listDue } from '../../support/due-work.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

/** Only noted files are looked at for outputs, so the database must note each event after which one is due. */

const world = openedForTests(openTestLedger);
beforeEach(() => world.empty());

const due = () => listDue(world.ledger, dueFiles(world.ledger, 'deliver'));
const act = (sql: string, fileId: string) => world.ledger.pool.query(sql, [fileId]);

/** Puts a file and its batch into these states, with these outputs, and forgets all notes. */
async function fileIn(state: 'in_progress' | 'completed', batch: 'result_in' | 'reconciled', kinds: readonly string[]) {
  const { file_id: fileId } = await world.batchIn(batch);
  await world.putFile(fileId, state);
  await world.force(
    `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at)
     SELECT $1, kind, kind, 'x', 1, 1, now() FROM unnest($2::text[]) kind`,
    [fileId, kinds],
  );
  await world.ledger.pool.query('DELETE FROM delivery');
  return fileId;
}

it.each(['accepted', 'held', 'rejected'] as const)('the notice of a file that is %s is due', async (verdict) => {
  const { file_id: fileId } = await world[verdict]();
  expect(await due()).toEqual([fileId]);
});

it('the results are due when the last batch has ended', async () => {
  const fileId = await fileIn('in_progress', 'result_in', ['ack']);
  await act(`UPDATE batch SET state = 'reconciled' WHERE file_id = $1`, fileId);
  expect(await due()).toEqual([fileId]);
});

it('a correction is due when an outcome changes after the results', async () => {
  const fileId = await fileIn('completed', 'reconciled', ['ack', 'result']);
  await act(
    `INSERT INTO row_change SELECT file_no, 2, 1, 'declined', 1, 'm', 'a', now(), 's' FROM file WHERE file_id = $1`,
    fileId,
  );
  expect(await due()).toEqual([fileId]);
});

it('a notice that somebody deleted is due again', async () => {
  const fileId = await fileIn('in_progress', 'result_in', ['ack']);
  await act('DELETE FROM output WHERE file_id = $1', fileId);
  expect(await due()).toEqual([fileId]);
});

/** Records outputs of a file, as a process does that has written them. */
const record = (fileId: string, ...kinds: readonly string[]) =>
  world.ledger.pool.query(
    `SELECT FROM commit_outputs(now(), now(), jsonb_build_array(jsonb_build_object('fileId', $1::text, 'readFrom', ledger_mark(),
       'isLast', false, 'outputs', $2::jsonb)), '[]')`,
    [fileId, JSON.stringify(kinds.map((kind) => ({ kind, name: kind, sha256: 'x', bytes: 1, rows: 1 })))],
  );

it('a note goes when what was due is recorded, and stays while something else is', async () => {
  const waiting = await fileIn('in_progress', 'result_in', []);
  const ended = await fileIn('in_progress', 'reconciled', []);
  await world.ledger.pool.query('INSERT INTO delivery SELECT file_no FROM file');
  expect(await due()).toEqual([waiting, ended]);
  for (const fileId of [waiting, ended]) await record(fileId, 'ack');
  expect(await due()).toEqual([ended]);
  const { rows } = await world.ledger.pool.query('SELECT DISTINCT file_id FROM delivery JOIN file USING (file_no)');
  expect(rows).toEqual([{ file_id: ended }]);
});

it('a note stays that comes while outputs are recorded', async () => {
  const fileId = await fileIn('in_progress', 'result_in', []);
  const other = await world.ledger.pool.connect();
  try {
    await other.query('BEGIN');
    await other.query(`UPDATE batch SET state = 'reconciled' WHERE file_id = $1`, [fileId]);
    await record(fileId, 'ack');
    await other.query('COMMIT');
  } finally {
    other.release();
  }
  expect(await due()).toEqual([fileId]);
});

it('what cannot be undone waits for an output that is due, also when no note names its file', async () => {
  const fileId = await fileIn('in_progress', 'result_in', []);
  expect(await due()).toEqual([]);
  expect(await isDeliverable(world.ledger, fileId)).toBe(true);
});
