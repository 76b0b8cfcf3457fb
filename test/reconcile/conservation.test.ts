import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LayoutName } from '../../schemas/layouts.ts';
import type { SentOutcome } from '../../schemas/lifecycle.ts';
import { formatCents } from '../../src/kernel/money.ts';
import type { SentRow } from '../../src/kernel/rows.ts';
import { judgeResult } from '../../workers/poll/judge-result.ts';
import { cellsOf } from './support/row-cells.ts';
import { LAYOUT_NAMES, sentRow } from './support/result-rows.ts';

/**
 * Whatever happens to a result file on its way, either every row gets exactly the outcome that the service gave it, or
 * the batch is an exception (F47, F51). The right outcome is known here from the making of the file, not from reading it.
 */

const OPERATION_OF = { card: 'card', ach: 'ach-charge' } as const;
const operationOf = (layout: LayoutName) => (layout.startsWith('card') ? OPERATION_OF.card : OPERATION_OF.ach);

/** What the service may say, and what that means; written out again, so that the reader is not its own judge. */
const SAYS: readonly (readonly [message: string, outcome: SentOutcome, code: number | null, only?: 'card' | 'ach'])[] =
  [
    ['OK: 678594:', 'approved', null, 'card'],
    ['OK', 'approved', null, 'card'],
    ['OK: 02345Z:Y', 'approved', null, 'card'],
    ['Received', 'accepted_pending', null, 'ach'],
    ['REJECT: 15', 'declined', 15],
    ['REJECT: 7', 'declined', 7],
    ['REJECT: 70', 'unknown', 70],
    ['REJECT: 55', 'unknown', 55],
    ['REJECT: 9999', 'unknown', 9999],
    ['Wrong Format', 'format_error', null],
    ['Duplicated', 'duplicate', null],
    ['TIMEOUT', 'unknown', null],
    ['', 'unknown', null],
  ];

/** A row that was sent, what the service says to it, and its line of the result file. */
type Answered = { sent: SentRow; says: (typeof SAYS)[number]; text: string };

function answer(layout: LayoutName, sent: SentRow, says: (typeof SAYS)[number], noise: string): Answered {
  const cells = cellsOf(layout, {
    invoice: sent.invoice,
    customerCode: sent.customerCode,
    amount: formatCents(sent.amountCents),
    cardNumber: `4***********${sent.lastFour}`,
    accountNumber: `0*********************${sent.lastFour}`,
    lastName: noise,
    comment: noise,
  });
  return { sent, says, text: [...cells, says[0]].join(',') };
}

/** Something that happens to the lines of a result file. Those after `breaks` must never pass for the whole result. */
type Mutation = { name: string; breaks: boolean; change(lines: readonly string[], pick: number): readonly string[] };

const at = (lines: readonly string[], pick: number) => pick % Math.max(1, lines.length);
const onLine = (change: (line: string) => string) => (lines: readonly string[], pick: number) =>
  lines.map((line, index) => (index === at(lines, pick) ? change(line) : line));

const MUTATIONS: readonly Mutation[] = [
  { name: 'drop', breaks: true, change: (lines, pick) => lines.toSpliced(at(lines, pick), 1) },
  { name: 'repeat', breaks: true, change: (lines, pick) => [...lines, lines[at(lines, pick)]!] },
  {
    name: 'repeat in the place of another',
    breaks: false,
    change: (lines, pick) => lines.with(at(lines, pick), lines[at(lines, pick + 1)]!),
  },
  {
    name: 'swap',
    breaks: false,
    change: (lines, pick) => {
      const [one, other] = [at(lines, pick), at(lines, pick + 1)];
      return lines.with(one, lines[other]!).with(other, lines[one]!);
    },
  },
  { name: 'reverse', breaks: false, change: (lines) => lines.toReversed() },
  { name: 'alter the amount', breaks: true, change: onLine((line) => line.replace(/\d\.\d\d/, '9876.54')) },
  { name: 'alter the invoice', breaks: true, change: onLine((line) => line.replace(/INV-/, 'INV-9')) },
  {
    name: 'alter the end of the number or the code',
    breaks: true,
    change: onLine((line) => line.replace(/(\*\d{3})\d(?=,)|(A1000000)\d(?=,)/, '$1$2x')),
  },
  { name: 'lose a cell', breaks: true, change: onLine((line) => line.slice(line.indexOf(',') + 1)) },
  { name: 'gain a cell', breaks: true, change: onLine((line) => `x,${line}`) },
  { name: 'quote every cell', breaks: false, change: onLine((line) => `"${line.split(',').join('","')}"`) },
  { name: 'blank lines', breaks: false, change: (lines) => lines.flatMap((line) => ['', line, '  ']) },
  { name: 'blanks around cells', breaks: false, change: onLine((line) => line.split(',').join(' , ')) },
  { name: 'a foreign row', breaks: true, change: (lines) => [...lines, 'x,y,z'] },
];

const ENCODINGS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, 'latin1'),
];

/** Rows of which no two agree in invoice, amount and code, as they are when nobody approved a double. */
const someFile = fc.constantFrom(...LAYOUT_NAMES).chain((layout) => {
  const allowed = SAYS.filter(([, , , only]) => !only || layout.startsWith(only));
  const row = fc.record({
    invoice: fc.integer({ min: 1, max: 30 }),
    cents: fc.constantFrom(100, 250, 1_999),
    end: fc.constantFrom('0001', '0002', '2220'),
    says: fc.constantFrom(...allowed),
    noise: fc.constantFrom('Byron', 'é', 'O Neil', ''),
  });
  return fc
    .uniqueArray(row, { minLength: 1, maxLength: 12, selector: ({ invoice, cents }) => `${invoice} ${cents}` })
    .map((rows) => ({
      layout,
      answered: rows.map(({ invoice, cents, end, says, noise }, index) => {
        const part = { line: index + 2, invoice: `INV-${invoice}`, amountCents: cents };
        const sent = sentRow(layout, layout.endsWith('code') ? part : { ...part, lastFour: end });
        return answer(layout, sent, says, noise);
      }),
    }));
});

const someMutation = fc.tuple(fc.constantFrom(...MUTATIONS), fc.nat(1_000));

function judge(layout: LayoutName, answered: readonly Answered[], bytes: Buffer) {
  const sent = answered.map((row) => row.sent);
  const cents = sent.reduce((sum, row) => sum + row.amountCents, 0);
  return judgeResult({ operation: operationOf(layout), rows: sent.length, cents }, layout, sent, bytes);
}

/** Every row has what the service said to it, by line, and nothing is missing. */
function expectTruth(judged: ReturnType<typeof judge>, answered: readonly Answered[]): void {
  if (judged.kind !== 'fits') throw new Error(judged.reason);
  const truth = answered.map(({ sent, says: [, outcome, code] }) => ({ line: sent.line, outcome, code }));
  expect(judged.rows.map(({ line, outcome, code }) => ({ line, outcome, code }))).toEqual(truth);
}

describe('a result file', () => {
  it('gives every row its own outcome when nothing happens to it', () => {
    fc.assert(
      fc.property(someFile, fc.constantFrom('\r\n', '\n', '\r'), ({ layout, answered }, end) => {
        const text = answered.map((row) => row.text + end).join('');
        expectTruth(judge(layout, answered, Buffer.from(text)), answered);
      }),
    );
  });

  it('gives every row its own outcome, or none at all, whatever happens to it', () => {
    const seen = { fits: 0, misfit: 0 };
    fc.assert(
      fc.property(
        someFile,
        fc.array(someMutation, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...ENCODINGS),
        fc.constantFrom('\r\n', '\n', '\r'),
        ({ layout, answered }, mutations, encode, end) => {
          let lines: readonly string[] = answered.map((row) => row.text);
          for (const [mutation, pick] of mutations) if (lines.length > 0) lines = mutation.change(lines, pick);
          const judged = judge(layout, answered, encode(lines.map((line) => line + end).join('')));
          seen[judged.kind] += 1;
          if (judged.kind === 'fits') expectTruth(judged, answered);
        },
      ),
      { numRuns: 3_000 },
    );
    expect(seen.fits).toBeGreaterThan(200);
    expect(seen.misfit).toBeGreaterThan(200);
  });

  it.each(MUTATIONS.filter((mutation) => mutation.breaks))('never passes for whole after: $name', ({ change }) => {
    fc.assert(
      fc.property(someFile, fc.nat(1_000), ({ layout, answered }, pick) => {
        const before = answered.map((row) => row.text);
        const lines = change(before, pick);
        fc.pre(lines.join('\n') !== before.join('\n'));
        expect(judge(layout, answered, Buffer.from(lines.map((line) => `${line}\r\n`).join(''))).kind).toBe('misfit');
      }),
    );
  });

  it.each(MUTATIONS.filter((mutation) => !mutation.breaks && !mutation.name.startsWith('repeat')))(
    'is understood after: $name',
    ({ change }) => {
      fc.assert(
        fc.property(someFile, fc.nat(1_000), ({ layout, answered }, pick) => {
          const lines = change(
            answered.map((row) => row.text),
            pick,
          );
          expectTruth(judge(layout, answered, Buffer.from(lines.map((line) => `${line}\r\n`).join(''))), answered);
        }),
      );
    },
  );

  it('cut anywhere, gives no row a charge, a decline or a code that the service did not say', () => {
    fc.assert(
      fc.property(someFile, fc.nat(4_000), ({ layout, answered }, pick) => {
        const whole = answered.map((row) => `${row.text}\r\n`).join('');
        const judged = judge(layout, answered, Buffer.from(whole.slice(0, pick % whole.length)));
        if (judged.kind === 'misfit') return;
        const last = judged.rows.at(-1)!;
        expectTruth({ ...judged, rows: [...judged.rows.slice(0, -1), trueRow(answered.at(-1)!, last)] }, answered);
        const [, outcome, code] = answered.at(-1)!.says;
        if (last.outcome !== 'unknown') expect([last.outcome, last.code]).toEqual([outcome, code]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('of the same rows twice keeps the outcomes of equal rows among them, in order only', () => {
    const sent = [2, 3].map((line) => sentRow('ach-code', { line }));
    const says = [SAYS[3]!, SAYS[4]!];
    const answered = sent.map((row, index) => answer('ach-code', row, says[index]!, 'x'));
    const other = answer('ach-code', sentRow('ach-code', { line: 4, invoice: 'INV-2' }), SAYS[3]!, 'x');
    const bytes = (rows: readonly Answered[]) => Buffer.from(rows.map((row) => `${row.text}\r\n`).join(''));
    const all = [...answered, other];
    expectTruth(judge('ach-code', all, bytes(all)), all);
    expect(judge('ach-code', all, bytes(all.toReversed())).kind).toBe('misfit');
  });
});

/** The last row as it should be, for comparing the others. */
function trueRow<Row>({ says: [, outcome, code] }: Answered, row: Row): Row {
  return { ...row, outcome, code };
}
