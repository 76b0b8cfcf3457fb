import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { CERTAINLY_NOT_CHARGED, mayBeCharged } from '../../../src/ledger/duplicates/may-be-charged.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

async function ask({ file_id: fileId }: FileRow): Promise<boolean> {
  const { rows } = await world.ledger.pool.query<{ may: boolean }>(
    `SELECT ${mayBeCharged('$2')} AS may FROM file WHERE file_id = $1`,
    [fileId, CERTAINLY_NOT_CHARGED],
  );
  return rows[0]!.may;
}

async function reconciled(outcome: 'approved' | 'declined' | 'unknown'): Promise<FileRow> {
  const file = await world.accepted();
  await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'reconciled');
  const rows = [
    { line: 2, outcome: 'declined' as const, code: 2, message: 'x', authorization: '' },
    { line: 3, outcome, code: null, message: 'x', authorization: '' },
  ];
  await transact(world.ledger, (tx) => copyOutcomes(tx, file.file_no, rows));
  return file;
}

it('CERTAINLY_NOT_CHARGED has the outcomes after which a row may be sent again', () => {
  expect(CERTAINLY_NOT_CHARGED.toSorted()).toEqual(['declined', 'format_error', 'invalid', 'not_charged', 'not_sent']);
});

describe('mayBeCharged', () => {
  it.each(Object.keys(BATCH_STATES) as BatchState[])('answers for a batch that is %s', async (state) => {
    const file = await world.accepted();
    await world.putBatch({ fileId: file.file_id, batchNo: 1 }, state);
    expect(await ask(file)).toBe(state !== 'cancelled' && state !== 'reconciled');
  });

  it('is no for a refused file, which has no batch', async () => {
    expect(await ask(await world.rejected())).toBe(false);
  });

  it('is yes for a held one, which may yet be approved', async () => {
    expect(await ask(await world.held())).toBe(true);
  });

  it.each([
    ['approved', true],
    ['unknown', true],
    ['declined', false],
  ] as const)('goes by the outcomes when all is done: one row is %s', async (outcome, may) => {
    expect(await ask(await reconciled(outcome))).toBe(may);
  });

  it('is yes once a declined row turned out charged', async () => {
    const file = await reconciled('declined');
    await world.ledger.pool.query(
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       VALUES ($1, 3, 1, 'approved', 'OK', '', $2, 'asked again')`,
      [file.file_no, new Date(START)],
    );
    expect(await ask(file)).toBe(true);
  });
});
