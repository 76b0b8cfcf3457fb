import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { csvLines } from '../../../src/csv/write/write-csv.ts';
import { AccountConfig, type OutputForm } from '../../../schemas/config.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { newLineBuffer } from '../../../src/csv/read/line-buffer.ts';
import { newRowPack, NO_OUTCOME_YET } from '../../../src/ledger/row/read-packed-rows.ts';
import { keptMessage } from '../../../src/reconcile/kept-message.ts';
import { type FinishedRow, outcomeCells, resultTitles } from '../../../src/reconcile/outputs/result-row.ts';
import { NO_CODE, OUTCOME_NAMES } from '../../../src/rows/packed-outcomes.ts';
import type { FinishedRows } from '../../../workers/deliver/finished-pages.ts';
import { outcomeCellWriter } from '../../../workers/deliver/write-rows.ts';

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
const FINISHED = fc.record({
  line: fc.nat(),
  // Half of them approved, so that a charge and a refund with equal cells follow each other.
  outcome: fc.oneof(fc.constant<Outcome>('approved'), fc.constantFrom(...(Object.keys(OUTCOMES) as Outcome[]))),
  code: fc.option(fc.constantFrom(15, 22)),
  message: TEXT,
  authorization: TEXT,
  batch: fc.nat(SENT.length - 1),
  cents: fc.oneof(fc.integer({ min: -10_001, max: 10_001 }), fc.constantFrom(9_000_000_000, -9_000_000_000)),
});
type TestRow = typeof FINISHED extends fc.Arbitrary<infer Row> ? Row : never;

/** Returns the same rows as the ledger packs them and as output files describe them. */
function packed(rows: readonly TestRow[]): { rows: FinishedRows; finished: FinishedRow[] } {
  const pack = { ...newRowPack(rows.length), count: rows.length };
  const texts: Buffer[] = [];
  let end = 0;
  const add = (text: string) => {
    texts.push(Buffer.from(text));
    end += texts.at(-1)!.length;
    return end;
  };
  rows.forEach(({ outcome, code, message, authorization, batch, cents }, place) => {
    const isKept = outcome !== 'invalid' && outcome !== 'not_sent';
    pack.outcomes[place] = isKept ? OUTCOME_NAMES.indexOf(outcome) : NO_OUTCOME_YET;
    pack.codes[place] = code ?? NO_CODE;
    pack.batchNos[place] = batch + 1;
    pack.cents[place] = cents;
    pack.ends[2 * place] = add(message);
    pack.ends[2 * place + 1] = add(authorization);
  });
  pack.texts = Buffer.concat(texts);
  const finished = rows.map(({ batch, message, ...row }) => ({
    ...row,
    message: keptMessage(message),
    ...SENT[batch]!,
    currency: 'USD',
    account: 'main',
  }));
  return { rows: { count: rows.length, pack, packFrom: 0, at: (place) => finished[place]! }, finished };
}

const USUAL: OutputForm = AccountConfig.shape.outputs.parse({});

/** Returns the lines of some rows as the authoritative cells make them. */
function linesOfCells(finished: readonly FinishedRow[], form: OutputForm): string {
  const amountAt = new Set([resultTitles(form).indexOf('Amount Charged')]);
  const line = csvLines({ guard: true, form });
  return finished.map((row) => line(outcomeCells(row, form), amountAt)).join('');
}

describe('outcomeCellWriter', () => {
  it.each<[string, OutputForm]>([
    ['all columns', USUAL],
    ['semicolons and a decimal comma', { ...USUAL, delimiter: 'semicolon', decimal: 'comma' }],
    ['a decimal comma between commas', { ...USUAL, decimal: 'comma' }],
    ['some columns', { ...USUAL, columns: ['Meaning', 'Message', 'Amount Charged'] }],
  ])('puts the cells of the result line behind the input, whatever rows follow each other, with %s', (_what, form) => {
    fc.assert(
      fc.property(fc.array(FINISHED, { minLength: 1, maxLength: 6 }), (rows) => {
        const into = newLineBuffer();
        const writeOutcomeCells = outcomeCellWriter(form);
        const { rows: given, finished } = packed(rows);
        for (let place = 0; place < rows.length; place += 1) writeOutcomeCells(into, given, place);
        expect(into.bytes.toString('utf8', 0, into.length)).toBe(linesOfCells(finished, form));
      }),
      { numRuns: 500 },
    );
  });

  it('writes each byte as csvLines does, alone and at either end of a text', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const text = String.fromCharCode(byte);
      for (const message of [text, `${text}a`, `a${text}`]) {
        const into = newLineBuffer();
        const sums = { cents: 100, batch: 0 };
        const row: TestRow = { line: 1, outcome: 'approved', code: null, message, authorization: message, ...sums };
        const { rows, finished } = packed([row]);
        outcomeCellWriter(USUAL)(into, rows, 0);
        expect(into.bytes.toString('utf8', 0, into.length)).toBe(linesOfCells(finished, USUAL));
      }
    }
  });
});
