import { reconcileBatch } from '../../support/end-batches.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, type FileState, FINAL_BATCH_STATES } from '../../../schemas/lifecycle.ts';
import { commitOutputs, type NewOutput, readDelivery, recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { completeFile } from '../../support/write-outputs.ts';
import { readFileRow, readOutput, readOutputs } from '../../../src/ledger/file/read-file.ts';
import type { ReadFileRow } from '../../../src/ledger/engine/records.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import { readHeld } from '../../../src/ledger/file/list-files.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { readFileFigures } from '../../../src/ledger/file/file-figures.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const evidence = { controlTotals: [{ id: 'H0', holds: true }] };
const batchStates = Object.keys(BATCH_STATES) as BatchState[];

/** Makes a file in this state whose only batch is in that state. */
async function fileWith(state: FileState, batchState: BatchState): Promise<string> {
  const { file_id: fileId } = await world.batchIn(batchState);
  await world.putFile(fileId, state);
  return fileId;
}

describe('completeFile', () => {
  it('completes a file on its way once no batch of it is open', async () => {
    const fileId = await fileWith('in_progress', 'reconciled');
    const before = (await world.links(fileId)).length;
    expect(await completeFile(world.ledger, { file: await readFileRow(world.ledger, fileId) }, evidence)).toBe(true);
    expect((await readFileRow(world.ledger, fileId)).state).toBe('completed');
    expect((await world.links(fileId)).slice(before)).toEqual([
      {
        actor: 'worker:deliver',
        batch_no: null,
        move: 'complete',
        from_state: 'in_progress',
        to_state: 'completed',
        reason: 'every row is final and the outputs are read back',
        evidence,
      },
    ]);
  });

  it('notes the last outputs before it, also of a file that it does not complete', async () => {
    const outputs: NewOutput[] = [{ kind: 'summary-txt', name: 's', sha256: 'ff', bytes: 1, rows: 0 }];
    for (const state of ['in_progress', 'partly_cancelled'] as const) {
      const fileId = await fileWith(state, 'reconciled');
      const before = (await world.links(fileId)).length;
      const isCompleted = state === 'in_progress';
      expect(
        await completeFile(world.ledger, { file: await readFileRow(world.ledger, fileId) }, evidence, outputs),
      ).toBe(isCompleted);
      expect(await readOutputs(world.ledger, fileId)).toMatchObject(outputs);
      const moves = (await world.links(fileId)).slice(before).map(({ move }) => move);
      expect(moves).toEqual(isCompleted ? ['output', 'complete'] : ['output']);
    }
  });

  it('begins and completes a file of which nothing could be sent', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 0, withheld: 3 });
    expect(await completeFile(world.ledger, { file: await readFileRow(world.ledger, fileId) }, evidence)).toBe(true);
    expect((await readFileRow(world.ledger, fileId)).state).toBe('completed');
    expect((await world.links(fileId)).slice(2).map((link) => [link.move, link.reason])).toEqual([
      ['begin', 'there was nothing to send'],
      ['complete', 'every row is final and the outputs are read back'],
    ]);
  });

  it.each(batchStates)('says whether a batch that is %s lets the file be completed', async (batchState) => {
    const isFinal = FINAL_BATCH_STATES.some((final) => final === batchState);
    for (const state of ['accepted', 'in_progress'] as const) {
      const fileId = await fileWith(state, batchState);
      const before = await world.links(fileId);
      expect(await completeFile(world.ledger, { file: await readFileRow(world.ledger, fileId) }, evidence)).toBe(
        isFinal,
      );
      expect((await readFileRow(world.ledger, fileId)).state).toBe(isFinal ? 'completed' : state);
      if (!isFinal) expect(await world.links(fileId)).toEqual(before);
    }
  });

  it.each(['held', 'partly_cancelled'] as const)('does nothing to a file that is %s', async (state) => {
    const fileId = await fileWith(state, 'reconciled');
    const before = await world.links(fileId);
    expect(await completeFile(world.ledger, { file: await readFileRow(world.ledger, fileId) }, evidence)).toBe(false);
    expect((await readFileRow(world.ledger, fileId)).state).toBe(state);
    expect(await world.links(fileId)).toEqual(before);
  });
});

describe('recordOutput', () => {
  const output: NewOutput = { kind: 'ack', name: 'a__b.ack.csv', sha256: 'ff', bytes: 6_000_000_000, rows: 3 };

  it('notes the file with one audit link', async () => {
    const { file_id: fileId } = await world.accepted();
    await recordOutput(world.ledger, { file: await readFileRow(world.ledger, fileId) }, output);
    expect(await readOutputs(world.ledger, fileId)).toEqual([
      { ...output, number: 0, file_id: fileId, written_at: new Date(START) },
    ]);
    expect((await world.links(fileId)).at(-1)).toEqual({
      actor: 'worker:deliver',
      batch_no: null,
      move: 'output',
      from_state: null,
      to_state: null,
      reason: 'ack written',
      evidence: { name: output.name, sha256: 'ff', rows: 3 },
    });
  });

  it('notes what was made of batches that are as they were read', async () => {
    const { file_id: fileId } = await world.batchIn('reconciled');
    await recordOutput(world.ledger, await readDelivery(world.ledger, fileId), output);
    expect((await readOutputs(world.ledger, fileId)).map(({ kind }) => kind)).toEqual(['ack']);
  });

  it.each<[string, Partial<ReadFileRow>, string]>([
    ['in another run of the server, or restored', { read_from: 'another' }, 'rows = rows'],
    ['whose batch is still open', {}, "state = 'submitted'"],
    ['whose result came at another time', {}, `result_at = '${START}'`],
    ['whose batch took another attempt', {}, 'attempt = 7'],
  ])('notes nothing in a ledger %s, and what it has of another file', async (_, otherFile, change) => {
    const { file_id: fileId } = await world.batchIn('reconciled');
    const { file_id: otherId } = await world.batchIn('reconciled');
    for (const id of [fileId, otherId]) await world.putFile(id, 'in_progress');
    const found = await readDelivery(world.ledger, fileId);
    const source = { ...found, file: { ...found.file, ...otherFile } };
    await world.force(`UPDATE batch SET ${change} WHERE file_id = $1`, [fileId]);
    const before = await world.links(fileId);
    await expect(recordOutput(world.ledger, source, output)).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
    const other = { source: await readDelivery(world.ledger, otherId), outputs: [output], completes: { evidence } };
    const ends = await commitOutputs(world.ledger, [{ source, outputs: [output], completes: { evidence } }, other]);
    expect([...ends]).toEqual([
      [fileId, 'another'],
      [otherId, 'completed'],
    ]);
    expect(await readOutputs(world.ledger, fileId)).toEqual([]);
    expect([await world.links(fileId), (await readFileRow(world.ledger, fileId)).state]).toEqual([
      before,
      'in_progress',
    ]);
  });

  it.each(['accepted', 'in_progress'] as const)(
    'does not move a file that is %s, though it has ended',
    async (state) => {
      const fileId = await fileWith(state, 'reconciled');
      await recordOutput(world.ledger, await readDelivery(world.ledger, fileId), output);
      expect((await readFileRow(world.ledger, fileId)).state).toBe(state);
    },
  );

  it('changes nothing when the same one is written again', async () => {
    const { file_id: fileId } = await world.accepted();
    await recordOutput(world.ledger, { file: await readFileRow(world.ledger, fileId) }, output);
    const before = await world.links(fileId);
    await recordOutput(world.ledger, { file: await readFileRow(world.ledger, fileId) }, { ...output, rows: 4 });
    expect((await readOutputs(world.ledger, fileId)).map((row) => row.rows)).toEqual([3]);
    expect(await world.links(fileId)).toEqual(before);
  });

  it('notes nothing of a file that has an output with other bytes by now', async () => {
    const { file_id: fileId } = await world.batchIn('reconciled');
    await world.putFile(fileId, 'in_progress');
    const source = await readDelivery(world.ledger, fileId);
    await recordOutput(world.ledger, source, output);
    const outputs = [{ ...output, sha256: 'ee' }, { ...output, kind: 'result' } as const];
    const ends = await commitOutputs(world.ledger, [{ source, outputs, completes: { evidence } }]);
    expect(ends.get(fileId)).toBe('another');
    expect((await readOutputs(world.ledger, fileId)).map(({ kind, sha256 }) => [kind, sha256])).toEqual([
      ['ack', 'ff'],
    ]);
    expect((await readFileRow(world.ledger, fileId)).state).toBe('in_progress');
  });

  it('notes each number of a correction, and the same number once', async () => {
    const { file_id: fileId } = await world.accepted();
    for (const number of [1, 2, 2])
      await recordOutput(
        world.ledger,
        { file: await readFileRow(world.ledger, fileId) },
        { ...output, kind: 'correction', number },
      );
    const outputs = await readOutputs(world.ledger, fileId);
    expect(outputs.map((row) => [row.kind, row.number])).toEqual([
      ['correction', 1],
      ['correction', 2],
    ]);
    expect((await world.links(fileId)).at(-1)?.reason).toBe('correction 2 written');
  });

  it('notes other kinds beside it', async () => {
    const { file_id: fileId } = await world.accepted();
    await recordOutput(world.ledger, { file: await readFileRow(world.ledger, fileId) }, output);
    await recordOutput(world.ledger, { file: await readFileRow(world.ledger, fileId) }, { ...output, kind: 'result' });
    expect((await readOutputs(world.ledger, fileId)).map((row) => row.kind)).toEqual(['ack', 'result']);
  });
});

describe('readDelivery', () => {
  it('reads the file, its outputs by kind, and how many of its batches are open', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 3 });
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    await world.putBatch({ fileId, batchNo: 2 }, 'cancelled');
    for (const kind of ['ack', 'result'] as const) {
      await recordOutput(
        world.ledger,
        { file: await readFileRow(world.ledger, fileId) },
        { kind, name: kind, sha256: 'ff', bytes: 1, rows: 2 },
      );
    }
    expect(await readDelivery(world.ledger, fileId)).toEqual({
      file: await readFileRow(world.ledger, fileId),
      outputs: await readOutputs(world.ledger, fileId),
      batchMarks: '1 reconciled 1\n2 cancelled 1\n3 ready 1',
      batches: 3,
      largestBatch: 2,
      openBatches: 1,
    });
  });

  it('knows a file without batches and outputs, and none that was never claimed', async () => {
    const { file_id: fileId } = await world.claimed();
    expect(await readDelivery(world.ledger, fileId)).toMatchObject({ outputs: [], batches: 0, openBatches: 0 });
    await expect(readDelivery(world.ledger, 'nosuchfile')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('readOutput finds one output by kind and number, and nothing else', async () => {
  const { file_id: fileId } = await world.accepted();
  const output = { kind: 'correction', sha256: 'hash', bytes: 3, rows: 1 } as const;
  for (const number of [1, 2])
    await recordOutput(
      world.ledger,
      { file: await readFileRow(world.ledger, fileId) },
      { ...output, number, name: `c${number}.csv` },
    );
  expect(await readOutput(world.ledger, fileId, { kind: 'correction', number: 2 })).toMatchObject({ name: 'c2.csv' });
  expect(await readOutput(world.ledger, fileId, { kind: 'correction' })).toBeUndefined();
  expect(await readOutput(world.ledger, fileId, { kind: 'ack' })).toBeUndefined();
});

describe('readHeld', () => {
  beforeEach(() => world.empty());

  it('lists what needs attention, longest first, and nothing else', async () => {
    await world.accepted({ account: 'main' });
    const first = await world.held({ account: 'main', withheld: 2 });
    world.clock.advance(60_000);
    const second = await world.held({ account: 'side', rowsPerBatch: 3 });
    expect(await readHeld(world.ledger)).toEqual([
      {
        fileId: first.file_id,
        name: first.name,
        account: 'main',
        rows: 2,
        cents: 500,
        since: new Date(START),
        reason: 'hold it',
        uploaders: [],
      },
      expect.objectContaining({ fileId: second.file_id, account: 'side', rows: 3, cents: 900 }),
    ]);
  });

  it('has no rows and no money of a file that was not read', async () => {
    const file = await world.claimed();
    await world.putFile(file.file_id, 'held');
    expect(await readHeld(world.ledger)).toMatchObject([{ rows: 0, cents: 0, reason: null }]);
  });
});

describe('readFileFigures', () => {
  it('sums batches by state, outcomes at first and now, and what was withheld', async () => {
    const file = await world.accepted({ batches: 2, rowsPerBatch: 2, withheld: 1 });
    const batch = await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'result_in');
    await reconcileBatch(world.ledger, keyOf(batch), file.file_no, outcomesOf(batch), {});
    const by = { actor: 'worker:poll', reason: 'new', source: 'asked again' };
    const changed = [{ ...outcomesOf(batch)[0]!, outcome: 'unknown' as const }];
    await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), changed, by));
    expect(await readFileFigures(world.ledger, file)).toEqual({
      states: {
        reconciled: { batches: 1, firstNo: 1, rows: 2, cents: 500 },
        ready: { batches: 1, firstNo: 2, rows: 2, cents: 900 },
      },
      first: { approved: { rows: 2, cents: 500 } },
      now: { approved: { rows: 1, cents: 300 }, unknown: { rows: 1, cents: 200 } },
      withheld: { rows: 1, cents: 0 },
    });
  });

  it('is empty for a file that was only claimed', async () => {
    const none = { states: {}, first: {}, now: {}, withheld: { rows: 0, cents: 0 } };
    expect(await readFileFigures(world.ledger, await world.claimed())).toEqual(none);
  });
});
