import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS, LEDGER_CODES } from '../../schemas/errors.ts';
import { proposeApproval } from '../../src/ledger/file/release-held.ts';
import { openCliWorld } from '../cli/support/cli-world.ts';
import { fileNamed, readNotice, sayingOf } from '../support/bad-input.ts';
import { codeRow, lines, upTo } from '../support/payment-rows.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** Limits, and the second person who decides on what exceeds them, from the drop to the booking. */

const world = openedForTests(() =>
  openCliWorld({
    account: {
      limits: { rowAmount: 1_000, fileRows: 5, dayTotal: 5_000 },
      secondPerson: { refunds: true, overrides: true },
    },
    folder: { limits: { rowAmount: 500, fileTotal: 800.5 }, sameTotals: 'off', unusualFactor: 0 },
  }),
);

let first = 0;
/** Returns rows that no other file has. */
function rowsOf(...amounts: string[]): string {
  first += 100;
  return lines(amounts.map((amount, index) => codeRow(first + index, { amount })));
}

describe('a file', () => {
  it.each([
    [
      'an amount at the limit of the folder, which is tighter than that of the account',
      ['500.00', '300.50'],
      undefined,
    ],
    ['an amount above it', ['500.01'], ['LIMIT_ROW_AMOUNT', '500.01, at most 500.00']],
    ['as many rows as may be', upTo(5).map(() => '1.00'), undefined],
    ['a row too many', upTo(6).map(() => '1.00'), ['LIMIT_FILE_ROWS', '6 rows, at most 5']],
    ['a total that is too large', ['400.00', '400.51'], ['LIMIT_FILE_TOTAL', '800.51, at most 800.50']],
  ] as [string, string[], [keyof typeof ERRORS, string]?][])(
    'with %s: the same verdict before and after the drop',
    async (_, amounts, fault) => {
      const name = `limits-${(first += 100)}.csv`;
      const content = rowsOf(...amounts);
      const path = join(world.root, name);
      await writeFile(path, content);
      const checked = await world.paydrop('validate', path, '--operation', 'ach-charge', '--json');
      const said = JSON.parse(checked.out) as { decision: { verdict: string; code?: string }; notChecked: string[] };
      expect(said.decision).toMatchObject(fault ? { verdict: 'hold', code: fault[0] } : { verdict: 'accept' });
      expect(said.notChecked).toEqual(LEDGER_CODES);

      await world.drop('ach-charge', name, content);
      await world.finish();
      const file = await fileNamed(world, name);
      expect(file.state).toBe(fault ? 'held' : 'completed');
      if (!fault) return;
      const { faults } = await readNotice(world, file, 'held');
      expect(faults).toMatchObject([{ ...sayingOf(fault[0] as 'LIMIT_ROW_AMOUNT') }]);
      expect(faults[0]!.reason).toBe(`${ERRORS[fault[0]].means}: ${fault[1]}`);
    },
    60_000,
  );

  it('with a withheld row above the limits is not held for it: that row moves no money', async () => {
    const rows = [...upTo(4).map((n) => codeRow(9_000 + n)), codeRow(9_005, { amount: '700.00', code: '' })];
    await world.drop('ach-charge', 'withheld.csv', lines(rows));
    await world.finish();
    const file = await fileNamed(world, 'withheld.csv');
    // One bad row of five is too many, and the only reason.
    expect(file).toMatchObject({ state: 'held', reason_code: 'TOO_MANY_BAD_ROWS' });
    expect(file.reason).not.toContain('LIMIT');
  });
});

describe('a refund, where refunds take two persons', () => {
  it('is held however good it is, and validate says so too', async () => {
    const content = rowsOf('-20.00', '-30.00');
    await writeFile(join(world.root, 'refunds.csv'), content);
    const checked = await world.paydrop('validate', join(world.root, 'refunds.csv'), '--operation', 'ach-refund');
    expect(checked).toMatchObject({ status: 3 });
    expect(checked.out).toContain('HELD (APPROVAL_DUE');
    await world.drop('ach-refund', 'refunds.csv', content);
    await world.finish();
    expect(await fileNamed(world, 'refunds.csv')).toMatchObject({ state: 'held', reason_code: 'APPROVAL_DUE' });
    expect(world.sandbox.books().filter((row) => row.amountCents < 0)).toEqual([]);
  });

  it('goes when one person proposed and another confirmed', async () => {
    const { file_id: fileId } = await fileNamed(world, 'refunds.csv');
    const because = { actor: 'operator:somebody-else', reason: 'the list of Ms Byron' };
    const no = await proposeApproval(world.app.ledger, fileId, because);
    await world.finish();
    expect(await world.states()).toMatchObject({ 'refunds.csv': 'held' });
    expect((await world.paydrop('status')).out).toContain('Waiting for a second person');
    expect(await world.paydrop('confirm', String(no))).toMatchObject({ status: 0, err: '' });
    await world.finish();
    expect(await world.states()).toMatchObject({ 'refunds.csv': 'completed' });
    const refunds = world.sandbox.books().filter((row) => row.amountCents < 0);
    expect(refunds.map((row) => row.amountCents).toSorted((one, other) => one - other)).toEqual([-3_000, -2_000]);
  });
});
