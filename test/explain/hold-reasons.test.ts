import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { describeHoldReasons, readHoldReasons } from '../../src/explain/hold-reasons.ts';
import { copyFaults } from '../../src/ledger/row/copy-rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import { openTestLedger } from '../support/ledger-world.ts';
import { settingsWith } from '../cli/support/settings-with.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);
let held: FileRow;
beforeAll(async () => {
  held = await world.held();
  await transact(world.ledger, (tx) =>
    copyFaults(tx, held.file_no, 1, [
      { code: 'EXPIRY_PAST', line: 3 },
      { code: 'CHARGED_BEFORE', line: 2, detail: 'line 2 of file abc' },
      { code: 'CHARGED_BEFORE', line: 4, detail: 'line 4 of file abc' },
      { code: 'SAME_TOTALS', line: 0 },
    ]),
  );
});

const codes = async (folder?: Parameters<typeof settingsWith>[0], file = held) =>
  (await readHoldReasons(world.ledger, settingsWith(folder), file)).map(({ code }) => code);

describe('readHoldReasons', () => {
  it('has what holds the file by the rules of its folder, and no other fault', async () => {
    expect(await codes({ path: held.folder })).toEqual(['CHARGED_BEFORE']);
    expect(await codes({ path: held.folder, sameTotals: 'hold' })).toEqual(['CHARGED_BEFORE', 'SAME_TOTALS']);
    expect(await codes({ path: held.folder, chargedBefore: 'warn' })).toEqual([]);
  });

  it('goes by the table when the folder is not configured any more', async () => {
    expect(await codes()).toEqual(['CHARGED_BEFORE', 'SAME_TOTALS']);
  });

  it('has nothing of a file that is not held', async () => {
    expect(await codes({ path: held.folder }, { ...held, state: 'accepted' })).toEqual([]);
  });
});

describe('describeHoldReasons', () => {
  it('says each reason on a line, with its rows where it is about rows', () => {
    expect(
      describeHoldReasons([
        { code: 'CHARGED_BEFORE', count: 2, line: 2, detail: 'line 2 of file abc' },
        { code: 'APPROVAL_DUE', count: 1, line: 0, detail: null },
        { code: 'WRONG_SIGN', count: 1, line: 7, detail: null },
      ]).split('\n'),
    ).toEqual([
      'Held because',
      `  CHARGED_BEFORE: ${ERRORS.CHARGED_BEFORE.means} (2 rows, the first on line 2): line 2 of file abc`,
      `  APPROVAL_DUE: ${ERRORS.APPROVAL_DUE.means}`,
      `  WRONG_SIGN: ${ERRORS.WRONG_SIGN.means} (1 row, the first on line 7)`,
    ]);
  });

  it('is empty when there is none', () => {
    expect(describeHoldReasons([])).toBe('');
  });
});
