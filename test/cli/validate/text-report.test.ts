import { describe, expect, it } from 'vitest';
import { LEDGER_CODES } from '../../../schemas/errors.ts';
import { textReport } from '../../../src/cli/validate/reports.ts';
import type { FileCheck } from '../../../src/csv/check/check-payment-file.ts';
import { takeDown } from '../support/take-down.ts';

const CHECK = { records: 3, valid: { rows: 2, cents: 5_000 }, invalid: { rows: 1 } } as FileCheck;

describe('textReport', () => {
  it('has place, code, effect, reason, value and what to do, and leaves out what there is none of', async () => {
    const { out } = await takeDown(() => {
      const report = textReport(10, 'hold');
      report.fault({ code: 'AMOUNT_FORMAT', line: 3, column: 'amount', value: 'ten' });
      report.fault({ code: 'EMPTY', line: 0 });
      report.fault({ code: 'COLUMN_COUNT', line: 4, detail: '3 columns' });
    });
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^line 3, Amount: AMOUNT_FORMAT \(row withheld\): [^[]+ \[ten\]\. Write digits/),
      expect.stringMatching(/^EMPTY \(file refused\): the file has no bytes\. Export/),
      expect.stringMatching(/^line 4: COLUMN_COUNT \(file refused\): [^[]+: 3 columns\. Give/),
      '',
    ]);
  });

  it.each([
    ['hold', 'file held'],
    ['reject', 'file refused'],
    ['warn', 'note'],
  ] as const)('says of a payment that stands twice what the folder makes of it: %s', async (duplicateRows, words) => {
    const { out } = await takeDown(() => textReport(10, duplicateRows).fault({ code: 'DUPLICATE_ROW', line: 2 }));
    expect(out).toContain(`DUPLICATE_ROW (${words})`);
  });

  it('stops printing faults at the limit and counts on', async () => {
    const { out } = await takeDown(() => {
      const report = textReport(1, 'hold');
      for (const line of [1, 2, 3]) report.fault({ code: 'AMOUNT_ZERO', line });
      report.end('a.csv', CHECK, { verdict: 'accept' });
    });
    expect(out.split('\n').slice(1)).toEqual([
      '… and 2 more; --max-faults or --json shows them',
      'a.csv: ACCEPTED. 3 rows, 2 valid with a total of 50.00, 1 withheld.',
      expect.stringContaining(LEDGER_CODES.join(', ')),
      '',
    ]);
  });

  it.each([
    [{ verdict: 'accept' }, 'a.csv: ACCEPTED. 3 rows'],
    [{ verdict: 'hold', code: 'WRONG_SIGN', reason: 'why' }, 'a.csv: HELD (WRONG_SIGN: why). 3 rows'],
    [{ verdict: 'reject', code: 'EMPTY', reason: 'why' }, 'a.csv: REJECTED (EMPTY: why). 3 rows'],
  ] as const)('ends with the verdict: %j', async (decision, words) => {
    const { out } = await takeDown(() => textReport(1, 'hold').end('a.csv', CHECK, decision));
    expect(out.startsWith(words)).toBe(true);
  });
});
