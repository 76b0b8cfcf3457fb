import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { newLineBuffer } from '../../../src/csv/read/line-buffer.ts';
import { csvLines } from '../../../src/csv/write/write-csv.ts';
import { NO_CODE, OUTCOME_NAMES } from '../../../src/rows/packed-outcomes.ts';
import { newRowPack, NO_OUTCOME_YET } from '../../../src/ledger/row/read-packed-rows.ts';
import { keptMessage } from '../../../src/reconcile/kept-message.ts';
import { type FinishedRow, resultCells } from '../../../src/reconcile/outputs/result-row.ts';
import type { FinishedRows } from '../../../workers/deliver/finished-pages.ts';
import { outcomePutter } from '../../../workers/deliver/write-rows.ts';

const TEXT = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'OK: 69,"=+-@\'\t\r\né😀'), maxLength: 8 }),
  fc.constantFrom('OK: 678594:', 'REJECT: 15', '', '-', '=1', '＝1', 'card 4222222222222220', '1234567', '123 45-67'),
  fc.constantFrom(199, 200, 201).map((length) => 'x'.repeat(length)),
);
/** The last columns in the lines of each batch. */
const SENT = [
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '2026-06-15 10:00:30 -04:00', attempt: 1 },
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '2026-06-15 10:00:31 -04:00', attempt: 1 },
  { batchId: '4471', sentAt: '2026-06-15 10:00:00 -04:00', resultAt: '', attempt: 2 },
  { batchId: '=4', sentAt: '', resultAt: '', attempt: null },
  { batchId: '', sentAt: '', resultAt: '', attempt: null },
];
const ROW = fc.record({
  line: fc.nat(),
  outcome: fc.constantFrom(...(Object.keys(OUTCOMES) as Outcome[])),
  code: fc.option(fc.nat(130)),
  message: TEXT,
  authorization: TEXT,
  batch: fc.nat(SENT.length - 1),
});
type TestRow = typeof ROW extends fc.Arbitrary<infer Row> ? Row : never;

/** Returns the same rows as the ledger packs them and as output files describe them. */
function packed(rows: readonly TestRow[], isChanged = false): { rows: FinishedRows; finished: FinishedRow[] } {
  const pack = { ...newRowPack(rows.length), count: rows.length };
  const texts: Buffer[] = [];
  let end = 0;
  const add = (text: string) => {
    texts.push(Buffer.from(text));
    end += texts.at(-1)!.length;
    return end;
  };
  rows.forEach(({ outcome, code, message, authorization, batch }, place) => {
    const isKept = outcome !== 'invalid' && outcome !== 'not_sent';
    pack.outcomes[place] = isKept ? OUTCOME_NAMES.indexOf(outcome) : NO_OUTCOME_YET;
    pack.codes[place] = code ?? NO_CODE;
    pack.batchNos[place] = batch + 1;
    pack.ends[2 * place] = add(message);
    pack.ends[2 * place + 1] = add(authorization);
  });
  pack.texts = Buffer.concat(texts);
  if (isChanged) pack.changes = new Map([[1, { outcome: 'declined', code: 15, message: 'x', authorization: '' }]]);
  const finished = rows.map(({ batch, message, ...row }) => ({
    ...row,
    message: keptMessage(message),
    ...SENT[batch]!,
  }));
  return { rows: { count: rows.length, pack, packFrom: 0, at: (place) => finished[place]! }, finished };
}

describe('outcomePutter', () => {
  it('puts the cells of the result line behind the input, whatever rows follow each other', () => {
    const line = csvLines({ guard: true });
    fc.assert(
      fc.property(fc.array(ROW, { minLength: 1, maxLength: 6 }), fc.boolean(), (rows, isChanged) => {
        const into = newLineBuffer();
        const putOutcome = outcomePutter();
        const { rows: given, finished } = packed(rows, isChanged);
        for (let place = 0; place < rows.length; place += 1) putOutcome(into, given, place);
        const expected = finished.map((row) => line(resultCells(row, []).slice(1))).join('');
        expect(into.bytes.toString('utf8', 0, into.length)).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)))('writes %j as csvLines does', (text) => {
    for (const message of [text, `${text}a`, `a${text}`]) {
      const into = newLineBuffer();
      const row: TestRow = { line: 1, outcome: 'approved', code: 0, message, authorization: message, batch: 0 };
      const { rows, finished } = packed([row]);
      outcomePutter()(into, rows, 0);
      const expected = csvLines({ guard: true })(resultCells(finished[0]!, []).slice(1));
      expect(into.bytes.toString('utf8', 0, into.length)).toBe(expected);
    }
  });
});
