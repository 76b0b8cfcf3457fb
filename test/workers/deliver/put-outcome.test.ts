import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { newLineBuffer } from '../../../src/csv/line-buffer.ts';
import { csvLines } from '../../../src/csv/write-csv.ts';
import { type FinishedRow, resultCells } from '../../../src/reconcile/outputs/result-row.ts';
import { outcomePutter } from '../../../workers/deliver/put-outcome.ts';

const TEXT = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'OK: 69,"=+-@\'\t\r\né😀'), maxLength: 8 }),
  fc.constantFrom('OK: 678594:', 'REJECT: 15', '', '-', '=1', '＝1'),
);
const SENT = fc.constantFrom(
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '2026-06-15 10:00:30 -04:00', attempt: 1 },
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '2026-06-15 10:00:31 -04:00', attempt: 1 },
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '', attempt: 2 },
  { batchId: '=4', sentAt: '', resultAt: '', attempt: null },
  { batchId: '', sentAt: '', resultAt: '', attempt: null },
);
const ROW: fc.Arbitrary<FinishedRow> = fc
  .record({
    line: fc.nat(),
    outcome: fc.constantFrom(...(Object.keys(OUTCOMES) as Outcome[])),
    code: fc.option(fc.nat(130)),
    message: TEXT,
    authorization: TEXT,
    sent: SENT,
  })
  .map(({ sent, ...row }) => ({ ...row, ...sent }));

describe('outcomePutter', () => {
  it('puts the cells of the result line behind the input, whatever rows follow each other', () => {
    const line = csvLines({ guard: true });
    fc.assert(
      fc.property(fc.array(ROW, { minLength: 1, maxLength: 6 }), (rows) => {
        const into = newLineBuffer();
        const putOutcome = outcomePutter();
        for (const row of rows) putOutcome(into, row);
        const expected = rows.map((row) => line(resultCells(row, []).slice(1))).join('');
        expect(into.bytes.toString('utf8', 0, into.length)).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)))('writes %j as csvLines does', (text) => {
    for (const message of [text, `${text}a`, `a${text}`]) {
      const into = newLineBuffer();
      const sent = { batchId: '1', sentAt: '', resultAt: '', attempt: 0 };
      const row: FinishedRow = { line: 1, outcome: 'approved', code: 0, message, authorization: message, ...sent };
      outcomePutter()(into, row);
      const expected = csvLines({ guard: true })(resultCells(row, []).slice(1));
      expect(into.bytes.toString('utf8', 0, into.length)).toBe(expected);
    }
  });
});
