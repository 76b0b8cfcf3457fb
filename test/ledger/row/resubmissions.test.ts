import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import {
  isResubmission,
  readBarredLines,
  readLackedLines,
  readResubmissions,
  readResubmittedLines,
  recordResubmission,
} from '../../../src/ledger/row/resubmissions.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'again' };

describe('readResubmissions, readResubmittedLines and readBarredLines', () => {
  it('are empty for a file of which nothing was resubmitted', async () => {
    const file = await world.accepted();
    expect(await readResubmissions(world.ledger, file.file_id)).toEqual([]);
    expect(await readBarredLines(world.ledger, file)).toEqual(new Set());
  });

  it('keep the files apart', async () => {
    const files = [];
    for (const lines of [[2, 3], [3]]) {
      const { file_id: fileId } = await world.accepted();
      await world.putBatch({ fileId, batchNo: 1 }, 'cancelled');
      const file = await world.putFile(fileId, 'cancelled');
      const number = await recordResubmission(world.ledger, file, { name: 'n', sha256: 's', lines, cents: 1 }, because);
      files.push({ file, lines, number });
    }
    for (const { file, lines, number } of files) {
      expect((await readResubmissions(world.ledger, file.file_id)).map((row) => row.resubmission_no)).toEqual([number]);
      expect(await readResubmittedLines(world.ledger, number)).toEqual(lines);
      expect(await readBarredLines(world.ledger, file)).toEqual(new Set(lines));
    }
  });
});

describe('readLackedLines', () => {
  it('has the rows that reports lacked, and counts them as charged once something else is known', async () => {
    const batch = await world.batchIn('reconciled');
    const file = await world.putFile(batch.file_id, 'completed');
    const outcomes = ['not_charged', 'declined'].map((outcome, n) => ({
      line: n + 2,
      outcome: outcome as SentOutcome,
    }));
    const rows = outcomes.map((row) => ({ ...row, code: null, message: 'x', authorization: '' }));
    await transact(world.ledger, (tx) => copyOutcomes(tx, file.file_no, rows));
    const again = { name: 'n', sha256: 's', lines: [2, 3], cents: 1 };
    const number = await recordResubmission(world.ledger, file, again, because);
    expect(await readLackedLines(world.ledger, number)).toEqual([2]);
    expect(await readResubmissions(world.ledger, file.file_id)).toMatchObject([{ charged: 0 }]);
    const by = { actor: 'operator:ada', reason: 'asked again', source: 'a report' };
    await transact(world.ledger, (tx) =>
      changeOutcomes(tx, { fileId: file.file_id, batchNo: 1 }, [{ ...rows[0]!, outcome: 'unknown' }], by),
    );
    expect(await readLackedLines(world.ledger, number)).toEqual([]);
    expect(await readResubmissions(world.ledger, file.file_id)).toMatchObject([{ charged: 1 }]);
  });
});

describe('isResubmission', () => {
  it('knows the file that was made of another one, and only that', async () => {
    const { file_id: fileId } = await world.accepted();
    await world.putBatch({ fileId, batchNo: 1 }, 'cancelled');
    const file = await world.putFile(fileId, 'cancelled');
    const again = { name: 'again', sha256: 'bytes that came back', lines: [2], cents: 1 };
    await recordResubmission(world.ledger, file, again, because);
    const made = await world.claimed({ account: file.account, sha256: again.sha256 });
    expect(await isResubmission(world.ledger, made.file_id)).toBe(true);
    expect(await isResubmission(world.ledger, fileId)).toBe(false);
  });
});
