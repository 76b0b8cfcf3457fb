import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordResubmission } from '../../../src/ledger/moves/resubmit-rows.ts';
import {
  isResubmission,
  readBarredLines,
  readResubmissions,
  readResubmittedLines,
} from '../../../src/ledger/queries/resubmissions.ts';
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
