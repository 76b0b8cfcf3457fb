import { beforeEach, describe, expect, it } from 'vitest';
import {
  BATCH_STATES,
  type BatchState,
  FILE_STATES,
  type FileState,
  type OutputKind,
} from '../../../schemas/lifecycle.ts';
import { recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { findDueWork, findSendable } from '../../support/due-work.ts';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { stopAccount } from '../../../src/ledger/account/stop-account.ts';
import { declareNow } from '../../support/calls.ts';

// The queries cover the whole ledger, so each test starts with an empty one.
const world = openedForTests(openTestLedger);
beforeEach(() => world.empty());

const batchStates = Object.keys(BATCH_STATES) as BatchState[];
const fileStates = Object.keys(FILE_STATES) as FileState[];

async function write(fileId: string, ...kinds: OutputKind[]): Promise<void> {
  for (const kind of kinds) {
    await recordOutput(
      world.ledger,
      { file: await readFileRow(world.ledger, fileId) },
      { kind, name: `${fileId}.${kind}`, sha256: '', bytes: 0, rows: 0 },
    );
  }
}

async function due() {
  const work = await findDueWork(world.ledger);
  return { ...work, poll: work.poll.map((batch) => batch.file_id) };
}

describe('findDueWork', () => {
  it('finds nothing in an empty ledger', async () => {
    expect(await due()).toEqual({ intake: [], submit: [], poll: [], deliver: [] });
  });

  it('has claimed files taken in, in the order in which they came', async () => {
    const ids = [(await world.claimed()).file_id, (await world.claimed()).file_id, (await world.claimed()).file_id];
    await world.accepted();
    expect((await due()).intake).toEqual(ids);
  });

  it('has batches sent that may be sent', async () => {
    const { file_id: fileId } = await world.accepted();
    expect((await due()).submit).toEqual([{ fileId, batchNo: 1 }]);
  });

  it('asks for the result of batches that have been submitted, and reconciles those whose result is here', async () => {
    const byState = Object.fromEntries(
      await Promise.all(batchStates.map(async (state) => [state, (await world.batchIn(state)).file_id])),
    ) as Record<BatchState, string>;
    expect((await due()).poll.sort()).toEqual([byState.submitted, byState.result_in].sort());
  });

  it('asks again by now for what a clock that was ahead has put off', async () => {
    const { file_id: odd } = await world.batchIn('exception');
    const { file_id: again } = await world.batchIn('reconciled');
    await write(again, 'ack', 'result', 'summary-json', 'summary-txt');
    await world.putFile(again, 'completed');
    const putOff = async (days: number) => {
      const at = new Date(world.clock.now().getTime() + days * 86_400_000);
      await world.force(
        `UPDATE batch SET next_poll_at = CASE state WHEN 'exception' THEN $1::timestamptz END,
                          next_recheck_at = CASE state WHEN 'reconciled' THEN $1::timestamptz END`,
        [at],
      );
      return (await findDueWork(world.ledger, { longestRecheckMs: 7 * 86_400_000 })).poll.map((row) => row.file_id);
    };
    expect(await putOff(1)).toEqual([]);
    expect(await putOff(2)).toEqual([odd]);
    expect((await putOff(400)).sort()).toEqual([odd, again].sort());
  });

  it('asks in the order in which the answers are due', async () => {
    const plans: [BatchState, string | null][] = [
      ['submitted', '2026-06-15T10:20:00Z'],
      ['submitted', '2026-06-15T10:10:00Z'],
      ['result_in', null],
    ];
    const ids: string[] = [];
    for (const [state, at] of plans) {
      const { file_id: fileId } = await world.batchIn(state);
      await world.force('UPDATE batch SET next_poll_at = $2 WHERE file_id = $1', [fileId, at]);
      ids.push(fileId);
    }
    expect((await due()).poll).toEqual(ids.slice(-1));
    world.clock.advance(1_800_000);
    expect((await due()).poll).toEqual(ids.reverse());
  });
});

describe('findDueWork, outputs', () => {
  it.each([
    ['accepted', 'ack'],
    ['in_progress', 'ack'],
    ['held', 'held'],
    ['rejected', 'nak'],
    ['cancelled', 'cancelled'],
  ] as const)('has the notice written of a file that is %s, once', async (state, kind) => {
    const { file_id: fileId } = await world.accepted();
    await world.putFile(fileId, state);
    expect((await due()).deliver).toEqual([fileId]);
    await write(fileId, ...(['ack', 'held', 'nak', 'cancelled'] as const).filter((other) => other !== kind));
    expect((await due()).deliver).toEqual([fileId]);
    await write(fileId, kind);
    expect((await due()).deliver).toEqual([]);
  });

  it('has the acknowledgement written of a file that was held before', async () => {
    const { file_id: fileId } = await world.held();
    await write(fileId, 'held');
    await world.putFile(fileId, 'accepted');
    expect((await due()).deliver).toEqual([fileId]);
  });

  it.each(['claimed', 'completed'] as const)('has nothing written for a file that is %s', async (state) => {
    const { file_id: fileId } = await world.accepted();
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    await world.putFile(fileId, state);
    expect((await due()).deliver).toEqual([]);
  });

  it('has the results written of a file that was stopped on its way, once', async () => {
    const { file_id: fileId } = await world.accepted();
    await world.putBatch({ fileId, batchNo: 1 }, 'cancelled');
    await world.putFile(fileId, 'partly_cancelled');
    await write(fileId, 'ack', 'result', 'rejects', 'summary-json');
    expect((await due()).deliver).toEqual([fileId]);
    await write(fileId, 'summary-txt');
    expect((await due()).deliver).toEqual([]);
  });

  it.each(batchStates)('while a batch is %s, waits with the results unless it is final', async (state) => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    await write(fileId, 'ack');
    await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
    await world.putBatch({ fileId, batchNo: 2 }, state);
    const isFinal = state === 'reconciled' || state === 'cancelled';
    for (const fileState of ['accepted', 'in_progress'] as const) {
      await world.putFile(fileId, fileState);
      expect((await due()).deliver).toEqual(isFinal ? [fileId] : []);
    }
  });

  it('has the results written of a file of which nothing could be sent', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 0, withheld: 2 });
    await write(fileId, 'ack');
    expect((await due()).deliver).toEqual([fileId]);
  });

  it('goes by the order in which the files came', async () => {
    const ids = [
      (await world.accepted()).file_id,
      (await world.rejected()).file_id,
      (await world.held()).file_id,
      (await world.accepted({ batches: 0 })).file_id,
    ];
    expect((await due()).deliver).toEqual(ids);
  });
});

describe('findSendable', () => {
  it('takes the batches of an account in the order of its files, one at a time', async () => {
    const first = await world.accepted({ account: 'main', batches: 2 });
    const second = await world.accepted({ account: 'main' });
    const order = [];
    for (let round = 0; round < 4; round += 1) {
      const found = await findSendable(world.ledger, 'main');
      order.push(...found);
      for (const key of found) await world.putBatch(key, 'submitted');
    }
    expect(order).toEqual([
      { fileId: first.file_id, batchNo: 1 },
      { fileId: first.file_id, batchNo: 2 },
      { fileId: second.file_id, batchNo: 1 },
    ]);
  });

  it('serves accounts side by side, however much one of them has', async () => {
    const busy = await world.accepted({ account: 'busy', batches: 30 });
    await world.accepted({ account: 'busy' });
    const small = await world.accepted({ account: 'small' });
    const blocked = await world.accepted({ account: 'blocked', batches: 2 });
    await world.putBatch({ fileId: blocked.file_id, batchNo: 1 }, 'unknown');
    const found = await findSendable(world.ledger);
    expect(found).toHaveLength(2);
    expect(found).toEqual(
      expect.arrayContaining([
        { fileId: busy.file_id, batchNo: 1 },
        { fileId: small.file_id, batchNo: 1 },
      ]),
    );
  });

  it('looks at one account when asked for it', async () => {
    await world.accepted({ account: 'one' });
    const other = await world.accepted({ account: 'other' });
    expect(await findSendable(world.ledger, 'other')).toEqual([{ fileId: other.file_id, batchNo: 1 }]);
    expect(await findSendable(world.ledger, 'none')).toEqual([]);
  });

  it('does not let a batch pass before one that waits', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    await world.force('UPDATE batch SET not_before = $2 WHERE file_id = $1 AND batch_no = 1', [
      fileId,
      new Date('2026-06-15T10:00:01Z'),
    ]);
    expect(await findSendable(world.ledger)).toEqual([]);
    world.clock.advance(1_000);
    expect(await findSendable(world.ledger)).toEqual([{ fileId, batchNo: 1 }]);
  });

  it('passes over files that are not on their way', async () => {
    for (const state of fileStates) {
      const { file_id: fileId } = await world.accepted();
      await world.putFile(fileId, state);
      const isOnItsWay = state === 'accepted' || state === 'in_progress';
      expect((await findSendable(world.ledger)).some((key) => key.fileId === fileId)).toBe(isOnItsWay);
    }
  });

  it('takes a later file when an earlier one is held', async () => {
    await world.held({ account: 'main' });
    const { file_id: fileId } = await world.accepted({ account: 'main' });
    expect(await findSendable(world.ledger, 'main')).toEqual([{ fileId, batchNo: 1 }]);
  });

  it.each(batchStates)('agrees with the gate while another batch of the account is %s', async (state) => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    await world.putBatch({ fileId, batchNo: 1 }, state);
    const [key] = await findSendable(world.ledger);
    expect(key?.batchNo).toBe(
      ['sending', 'unknown', 'refused'].includes(state) ? undefined : state === 'ready' ? 1 : 2,
    );
    const prepared = await declareNow(world.ledger, key ?? { fileId, batchNo: 2 });
    expect(prepared !== undefined).toBe(key !== undefined);
  });

  it('finds nothing for an account that is stopped', async () => {
    const { account } = await world.accepted();
    await stopAccount(world.ledger, account, 'to see');
    expect(await findSendable(world.ledger)).toEqual([]);
  });
});
