import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { FileState } from '../../../schemas/lifecycle.ts';
import { findDueShreds, readShredded, readShredStates } from '../../../src/ledger/retention/retention.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

const DAY_MS = 86_400_000;

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterEach(() => world.empty());
afterAll(() => world.close());

/** Makes a file that ended at the start of the world, with nothing open. */
async function ended(state: FileState = 'completed'): Promise<FileRow> {
  const file = await world.accepted();
  await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'reconciled');
  await world.force('UPDATE file SET state_at = $2 WHERE file_id = $1', [file.file_id, START]);
  for (const kind of ['cancelled', 'nak', 'summary-txt'])
    await world.force(
      `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at) VALUES ($1, $2, $2, 'x', 1, 0, now())`,
      [file.file_id, kind],
    );
  return world.putFile(file.file_id, state);
}

const due = async (others = 10, byAccount: Record<string, number> = {}) =>
  (await findDueShreds(world.ledger, { byAccount, others }, { limit: 10 })).map((file) => file.file_id);

describe('findDueShreds', () => {
  it.each(['completed', 'cancelled', 'partly_cancelled', 'rejected'] as const)(
    'finds a %s file when its days are over, and not a moment before',
    async (state) => {
      const file = await ended(state);
      world.clock.advance(10 * DAY_MS - 1);
      expect(await due()).toEqual([]);
      world.clock.advance(1);
      expect(await due()).toEqual([file.file_id]);
    },
  );

  it('believes the later of two clocks, of what has happened, and the slower one, of the present', async () => {
    const file = await ended();
    world.clock.advance(400 * DAY_MS);
    world.wrongBy.database = -400 * DAY_MS;
    expect(await due()).toEqual([]);
    world.clock.advance(-800 * DAY_MS);
    world.wrongBy.database = 800 * DAY_MS;
    expect(await due()).toEqual([]);
    world.clock.advance(400 * DAY_MS);
    world.wrongBy.database = 0;
    await world.force(`UPDATE file SET state_at = state_at - interval '400 days'`);
    expect(await due()).toEqual([]);
    world.clock.advance(10 * DAY_MS);
    expect(await due()).toEqual([file.file_id]);
  });

  it.each(['claimed', 'held', 'accepted', 'in_progress'] as const)('never finds a %s file', async (state) => {
    await ended(state);
    world.clock.advance(1_000 * DAY_MS);
    expect(await due()).toEqual([]);
  });

  it('takes the days of each account, and 0 for never', async () => {
    const [short, long, never, gone] = [await ended(), await ended(), await ended(), await ended()];
    world.clock.advance(10 * DAY_MS);
    const days = { [short.account]: 5, [long.account]: 11, [never.account]: 0 };
    expect((await due(10, days)).sort()).toEqual([short.file_id, gone.file_id].sort());
    expect(await due(0, days)).toEqual([short.file_id]);
  });

  it.each([
    ['a batch in doubt', `UPDATE batch SET state = 'unknown'`],
    ['a result that is asked for again', `UPDATE batch SET next_recheck_at = now()`],
    ['a missing notice', `DELETE FROM output`],
    [
      'a proposal',
      `INSERT INTO proposal (action, file_id, binding, reason, evidence, made_by, made_at)
       SELECT 'approve', file_id, '{}', 'r', '{}', 'ada', now() FROM file`,
    ],
    [
      'a correction that is not written',
      `INSERT INTO output (file_id, kind, name, sha256, bytes, rows, written_at)
       SELECT file_id, 'result', 'r', 'x', 1, 0, now() FROM file;
       INSERT INTO row_change SELECT file_no, 2, 1, 'declined', 1, 'm', 'a', now(), 's' FROM file`,
    ],
  ])('waits for %s', async (_, sql) => {
    await ended('cancelled');
    world.clock.advance(11 * DAY_MS);
    expect(await due()).toHaveLength(1);
    await world.force(sql);
    expect(await due()).toEqual([]);
  });
});

describe('readShredded and readShredStates', () => {
  it('name what is left of a file whose key was destroyed', async () => {
    const clean = await ended();
    await ended();
    await world.force('UPDATE file SET shredded_at = $1', [START]);
    await world.force('DELETE FROM file_secret WHERE file_id = $1', [clean.file_id]);
    await world.force('DELETE FROM sealed_part WHERE file_id = $1', [clean.file_id]);
    await world.force('DELETE FROM row_print WHERE file_no = $1', [clean.file_no]);
    const found = await readShredded(world.ledger, new Date(START), new Date(Date.parse(START) + 1));
    expect(found.map((file) => file.leftOver)).toEqual([[], ['data key', 'sealed batches', 'fingerprints']]);
    expect(await readShredded(world.ledger, new Date(0), new Date(START))).toEqual([]);
    const states = await readShredStates(world.ledger, [clean.file_id, 'nobody']);
    expect([...states]).toEqual([[clean.file_id, true]]);
  });
});
