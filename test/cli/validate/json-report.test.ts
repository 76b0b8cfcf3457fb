import { describe, expect, it } from 'vitest';
import { LEDGER_CODES } from '../../../schemas/errors.ts';
import { jsonReport } from '../../../src/cli/validate/reports.ts';
import type { FileCheck } from '../../../src/csv/check/check-payment-file.ts';
import type { Fault } from '../../../src/rows/rows.ts';
import { takeDown } from '../support/take-down.ts';

const CHECK = { records: 1, faults: [{ code: 'EMPTY', line: 0 }], sha256: 'ab' } as unknown as FileCheck;

describe('jsonReport', () => {
  it.each([
    ['no fault', []],
    ['one fault', [{ code: 'EMPTY', line: 0 }]],
    [
      'two faults',
      [
        { code: 'AMOUNT_ZERO', line: 1, column: 'amount', value: '"0"' },
        { code: 'EMPTY', line: 0 },
      ],
    ],
  ] as [string, Fault[]][])('is one JSON object with %s', async (_what, faults) => {
    const { out } = await takeDown(() => {
      const report = jsonReport();
      for (const fault of faults) report.fault(fault);
      report.end('a "b".csv', CHECK, { verdict: 'accept' });
    });
    expect(out.endsWith('}\n')).toBe(true);
    expect(JSON.parse(out)).toEqual({
      faults,
      file: 'a "b".csv',
      decision: { verdict: 'accept' },
      check: { records: 1, sha256: 'ab' },
      notChecked: [...LEDGER_CODES],
    });
  });
});
