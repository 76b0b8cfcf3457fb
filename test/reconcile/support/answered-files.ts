import fc from 'fast-check';
import type { LayoutName } from '../../../schemas/layouts.ts';
import type { SentOutcome } from '../../../schemas/lifecycle.ts';
import { formatCents } from '../../../src/kernel/money.ts';
import type { SentRow } from '../../../src/rows/rows.ts';
import { LAYOUT_NAMES, sentRow } from './result-rows.ts';
import { cellsOf } from './row-cells.ts';

const OPERATION_OF = { card: 'card', ach: 'ach-charge' } as const;
export const operationOf = (layout: LayoutName) => (layout.startsWith('card') ? OPERATION_OF.card : OPERATION_OF.ach);

/** What the service may say and what it means, written out again so that the reader does not judge itself. */
export const SAYS: readonly (readonly [
  message: string,
  outcome: SentOutcome,
  code: number | null,
  only?: 'card' | 'ach',
])[] = [
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

/** A sent row, the service's answer, and its line of the result file. */
export type Answered = { sent: SentRow; says: (typeof SAYS)[number]; text: string };

export function answer(layout: LayoutName, sent: SentRow, says: (typeof SAYS)[number], noise: string): Answered {
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

/** A change to the lines of a result file. One that `breaks` must never pass as the whole result. */
export type Mutation = {
  name: string;
  breaks: boolean;
  change(lines: readonly string[], pick: number): readonly string[];
};

const at = (lines: readonly string[], pick: number) => pick % Math.max(1, lines.length);
const onLine = (change: (line: string) => string) => (lines: readonly string[], pick: number) =>
  lines.map((line, index) => (index === at(lines, pick) ? change(line) : line));

export const MUTATIONS: readonly Mutation[] = [
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

export const ENCODINGS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(text),
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, 'latin1'),
];

/** Files in which no two rows agree in invoice and amount, as when no duplicate was approved. */
export const someFile = fc.constantFrom(...LAYOUT_NAMES).chain((layout) => {
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

export const someMutation = fc.tuple(fc.constantFrom(...MUTATIONS), fc.nat(1_000));
