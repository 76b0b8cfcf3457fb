import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState, FILE_STATES, type FileState } from '../../../schemas/lifecycle.ts';
import { completeFile, type NewOutput, recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { readFileRow, readOutputs } from '../../../src/ledger/file/read-file.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

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
    expect(await completeFile(world.ledger, fileId, evidence)).toBe(true);
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
      expect(await completeFile(world.ledger, fileId, evidence, outputs)).toBe(isCompleted);
      expect(await readOutputs(world.ledger, fileId)).toMatchObject(outputs);
      const moves = (await world.links(fileId)).slice(before).map(({ move }) => move);
      expect(moves).toEqual(isCompleted ? ['output', 'complete'] : ['output']);
    }
  });

  it('begins and completes a file of which nothing could be sent', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 0, withheld: 3 });
    expect(await completeFile(world.ledger, fileId, evidence)).toBe(true);
    expect((await readFileRow(world.ledger, fileId)).state).toBe('completed');
    expect((await world.links(fileId)).slice(2).map((link) => [link.move, link.reason])).toEqual([
      ['begin', 'there was nothing to send'],
      ['complete', 'every row is final and the outputs are read back'],
    ]);
  });

  it.each(batchStates)('says whether a batch that is %s lets the file be completed', async (batchState) => {
    const isFinal = batchState === 'reconciled' || batchState === 'cancelled';
    for (const state of ['accepted', 'in_progress'] as const) {
      const fileId = await fileWith(state, batchState);
      const before = await world.links(fileId);
      expect(await completeFile(world.ledger, fileId, evidence)).toBe(isFinal);
      expect((await readFileRow(world.ledger, fileId)).state).toBe(isFinal ? 'completed' : state);
      if (!isFinal) expect(await world.links(fileId)).toEqual(before);
    }
  });

  it.each((Object.keys(FILE_STATES) as FileState[]).filter((state) => state !== 'accepted' && state !== 'in_progress'))(
    'does nothing to a file that is %s',
    async (state) => {
      const fileId = await fileWith(state, 'reconciled');
      const before = await world.links(fileId);
      expect(await completeFile(world.ledger, fileId, evidence)).toBe(false);
      expect((await readFileRow(world.ledger, fileId)).state).toBe(state);
      expect(await world.links(fileId)).toEqual(before);
    },
  );
});

describe('recordOutput', () => {
  const output: NewOutput = { kind: 'ack', name: 'a__b.ack.csv', sha256: 'ff', bytes: 6_000_000_000, rows: 3 };

  it('notes the file with one audit link', async () => {
    const { file_id: fileId } = await world.accepted();
    await recordOutput(world.ledger, fileId, output);
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

  it('changes nothing when the same one is written again', async () => {
    const { file_id: fileId } = await world.accepted();
    await recordOutput(world.ledger, fileId, output);
    const before = await world.links(fileId);
    await recordOutput(world.ledger, fileId, { ...output, rows: 4 });
    expect((await readOutputs(world.ledger, fileId)).map((row) => row.rows)).toEqual([3]);
    expect(await world.links(fileId)).toEqual(before);
  });

  it('notes each number of a correction, and the same number once', async () => {
    const { file_id: fileId } = await world.accepted();
    for (const number of [1, 2, 2]) await recordOutput(world.ledger, fileId, { ...output, kind: 'correction', number });
    const outputs = await readOutputs(world.ledger, fileId);
    expect(outputs.map((row) => [row.kind, row.number])).toEqual([
      ['correction', 1],
      ['correction', 2],
    ]);
    expect((await world.links(fileId)).at(-1)?.reason).toBe('correction 2 written');
  });

  it('notes other kinds beside it', async () => {
    const { file_id: fileId } = await world.accepted();
    await recordOutput(world.ledger, fileId, output);
    await recordOutput(world.ledger, fileId, { ...output, kind: 'result' });
    expect((await readOutputs(world.ledger, fileId)).map((row) => row.kind)).toEqual(['ack', 'result']);
  });
});
