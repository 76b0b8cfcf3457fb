import { describe, expect, it } from 'vitest';
import { FILE_STATES, type FileState, type Outcome, OUTCOMES, type SentOutcome } from '../../../schemas/lifecycle.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import {
  hasRowsToSend,
  isResubmission,
  type NewResubmission,
  readBarredLines,
  readLackedLines,
  readResubmissions,
  readResubmittedLines,
  recordResubmission,
} from '../../../src/ledger/row/resubmissions.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { claimOf, openTestLedger } from '../../support/ledger-world.ts';
import { forget } from '../support/put-rows.ts';
import { copyOutcomes } from '../../../src/ledger/row/copy-rows.ts';
import { changeOutcomes } from '../../../src/ledger/row/change-outcomes.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'the line is up again' };

/** Makes a finished file of lines 2 to 5: the first two with this outcome, the others never sent. */
async function finished(outcome: SentOutcome = 'declined', state: FileState = 'completed'): Promise<FileRow> {
  const file = await world.accepted({ batches: 2 });
  const { file_id: fileId, file_no: fileNo } = file;
  await world.putBatch({ fileId, batchNo: 1 }, 'reconciled');
  await world.putBatch({ fileId, batchNo: 2 }, 'cancelled');
  await world.ledger.pool.query(
    `INSERT INTO row_outcome (file_no, line, outcome, message, "authorization") VALUES ($1, 2, $2, 'm', ''), ($1, 3, $2, 'm', '')`,
    [fileNo, outcome],
  );
  return world.putFile(fileId, state);
}

function made(lines: number[], more: Partial<NewResubmission> = {}): NewResubmission {
  return { name: 'june-again-1.csv', sha256: `hash of ${lines.join()}`, lines, cents: 500, ...more };
}

/** Resubmits lines as a file that has come back. */
async function resubmitted(file: FileRow, ...lines: number[]): Promise<void> {
  const number = await recordResubmission(world.ledger, file, made(lines), because);
  await world.ledger.pool.query('UPDATE resubmission SET new_file_id = file_id WHERE resubmission_no = $1', [number]);
}

describe('recordResubmission', () => {
  it('notes the rows and the file that they make, with a link', async () => {
    const file = await finished();
    const number = await recordResubmission(world.ledger, file, made([2, 4]), because);
    expect(await readResubmittedLines(world.ledger, number)).toEqual([2, 4]);
    expect(await readResubmissions(world.ledger, file.file_id)).toMatchObject([
      {
        resubmission_no: number,
        name: 'june-again-1.csv',
        rows: 2,
        cents: 500,
        actor: 'operator:ada',
        new_file_id: null,
      },
    ]);
    expect((await world.links(file.file_id)).at(-1)).toMatchObject({
      ...because,
      move: 'resubmit',
      evidence: { name: 'june-again-1.csv', sha256: 'hash of 2,4', rows: 2, cents: 500 },
    });
  });

  it('takes each row once', async () => {
    const file = await finished();
    await recordResubmission(world.ledger, file, made([2]), because);
    await expect(recordResubmission(world.ledger, file, made([2, 3]), because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
    });
    await recordResubmission(world.ledger, file, made([3]), because);
    expect(await readBarredLines(world.ledger, file)).toEqual(new Set([2, 3]));
    expect(await readResubmissions(world.ledger, file.file_id)).toHaveLength(2);
  });

  it('lets one of two pass that come at the same moment', async () => {
    const file = await finished();
    const both = await Promise.allSettled([
      recordResubmission(world.ledger, file, made([2, 3]), because),
      recordResubmission(world.ledger, file, made([3, 4]), because),
    ]);
    expect(both.map((end) => end.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  const sent = (Object.keys(OUTCOMES) as Outcome[]).filter(
    (outcome): outcome is SentOutcome => outcome !== 'invalid' && outcome !== 'not_sent',
  );
  it.each(sent)('takes a row that is %s only if it was certainly not charged', async (outcome) => {
    const file = await finished(outcome);
    const recording = recordResubmission(world.ledger, file, made([2]), because);
    if (OUTCOMES[outcome].certainlyNotCharged) await recording;
    else await expect(recording).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('goes by what a row is now: declined first, charged after all', async () => {
    const file = await finished();
    await world.ledger.pool.query(
      `INSERT INTO row_change (file_no, line, correction_no, outcome, message, "authorization", at, source)
       VALUES ($1, 2, 1, 'approved', 'OK', '', now(), 'asked again')`,
      [file.file_no],
    );
    await expect(recordResubmission(world.ledger, file, made([2]), because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
    });
    await recordResubmission(world.ledger, file, made([3]), because);
  });

  it('refuses rows without an outcome whose batch may still be sent, and rows that the file does not have', async () => {
    const file = await finished();
    await world.putBatch({ fileId: file.file_id, batchNo: 2 }, 'unknown');
    for (const line of [4, 99])
      await expect(recordResubmission(world.ledger, file, made([line]), because)).rejects.toMatchObject({
        code: 'MOVE_REFUSED',
      });
  });

  it('refuses rows of a batch of which the journal knows a call that the ledger does not', async () => {
    const file = await finished();
    await forget(world.ledger, { account: file.account, fileId: file.file_id, batchNo: 2 });
    expect(await readBarredLines(world.ledger, file)).toEqual(new Set([4, 5]));
    await expect(recordResubmission(world.ledger, file, made([4]), because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
    });
  });

  const OVER: readonly FileState[] = ['completed', 'partly_cancelled', 'cancelled'];
  it.each(Object.keys(FILE_STATES) as FileState[])('of a file that is %s', async (state) => {
    const file = await finished('declined', state);
    const recording = recordResubmission(world.ledger, file, made([2]), because);
    if (OVER.includes(state)) await recording;
    else await expect(recording).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

describe('linkResubmission', () => {
  it('links both files when the new one is claimed, once', async () => {
    const file = await finished();
    await recordResubmission(world.ledger, file, made([2], { sha256: 'the bytes' }), because);
    const claim = claimOf({ account: file.account, sha256: 'the bytes' });
    await claimForTest(world.ledger, claim);
    await claimForTest(world.ledger, claimOf({ account: file.account, sha256: 'the bytes' }));
    expect(await readResubmissions(world.ledger, file.file_id)).toMatchObject([{ new_file_id: claim.fileId }]);
    expect((await world.links(claim.fileId)).at(-1)).toMatchObject({
      move: 'link',
      reason: `made of rows of file ${file.file_id}`,
      evidence: { rows: 1, orderedBy: 'operator:ada' },
    });
    const links = (await world.links(file.file_id)).filter((link) => link.move === 'link');
    expect(links).toMatchObject([{ reason: `its rows were dropped again as file ${claim.fileId}` }]);
  });

  it('links them under another account of the folder, as it is renamed or moved', async () => {
    const file = await finished();
    await recordResubmission(world.ledger, file, made([2], { sha256: 'moved' }), because);
    const claim = claimOf({ folder: file.folder, sha256: 'moved' });
    await claimForTest(world.ledger, claim);
    expect(await readResubmissions(world.ledger, file.file_id)).toMatchObject([{ new_file_id: claim.fileId }]);
  });

  it('does not link other bytes, or another folder', async () => {
    const file = await finished();
    await recordResubmission(world.ledger, file, made([2], { sha256: 'mine' }), because);
    await claimForTest(world.ledger, claimOf({ account: file.account, sha256: 'others' }));
    await claimForTest(world.ledger, claimOf({ folder: 'drop/card', sha256: 'mine' }));
    expect(await readResubmissions(world.ledger, file.file_id)).toMatchObject([{ new_file_id: null }]);
  });
});

describe('hasRowsToSend', () => {
  const change = (file: FileRow, line: number, outcome: Outcome, code: number | null = null) =>
    world.ledger.pool.query(
      `INSERT INTO row_change (file_no, line, correction_no, outcome, code, message, "authorization", at, source)
       VALUES ($1, $2, 1, $3, $4, 'm', '', now(), 'asked again')`,
      [file.file_no, line, outcome, code],
    );

  it('is true until the last row is on its way again: declined ones, and those of cancelled batches', async () => {
    const file = await finished();
    for (const line of [2, 4, 5]) {
      expect(await hasRowsToSend(world.ledger, file)).toBe(true);
      await resubmitted(file, line);
    }
    await change(file, 3, 'declined', 100);
    expect(await hasRowsToSend(world.ledger, file)).toBe(false);
  });

  it.each<[Outcome, number | null, boolean]>([
    ['declined', null, true],
    ['declined', 15, true],
    ['declined', 100, false],
    ['declined', 999, false],
    ['format_error', null, true],
    ['not_charged', null, true],
    ['approved', null, false],
    ['unknown', null, false],
  ])('goes by what a row is now: %s with code %s', async (outcome, code, expected) => {
    const file = await finished('unknown');
    await resubmitted(file, 4, 5);
    expect(await hasRowsToSend(world.ledger, file)).toBe(false);
    await change(file, 2, outcome, code);
    expect(await hasRowsToSend(world.ledger, file)).toBe(expected);
  });

  it('is true while a resubmission has not come back, so that its file can be dropped again', async () => {
    const file = await finished('approved');
    await recordResubmission(world.ledger, file, made([4, 5]), because);
    expect(await hasRowsToSend(world.ledger, file)).toBe(true);
    const { sha256 } = made([4, 5]);
    await claimForTest(world.ledger, claimOf({ account: file.account, sha256 }));
    expect(await hasRowsToSend(world.ledger, file)).toBe(false);
  });
});

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
