import type { ColumnName } from '../../../../schemas/layouts.ts';
import { type NumberDialect, WORDS } from './made-forms.ts';
import { cardOf, type Chooser, type MadePayment } from './made-payments.ts';
import { DECOY_TITLES } from './made-titles.ts';

/** A column of the export: its title, and its cell for each row. */
export type Column = {
  readonly title: string;
  readonly cell: (row: Row) => string;
  readonly column?: ColumnName;
  readonly decoy?: keyof typeof DECOY_TITLES;
};

/** `kind`: a payment, a row whose status leaves it out, or one whose sign does. */
export type Row = {
  readonly payment: MadePayment;
  readonly kind: 'payment' | 'left' | 'credit';
  readonly index: number;
};

type Decoys = {
  readonly numbers: NumberDialect;
  readonly rows: readonly Row[];
  readonly choose: Chooser;
  readonly hasStatus: boolean;
  readonly currency: string;
};

/** Columns that are not sent, and look like others. */
export function decoyColumns({ numbers, rows, choose, hasStatus, currency }: Decoys): Column[] {
  const quantity = 1 + choose.below(4);
  let balance = choose.below(900_000);
  const balances = rows.map(({ payment }) => (balance += payment.cents));
  const other = rows.map(() => choose.below(300_000) + 100);
  const phones = rows.map(() => choose.digits(12));
  const olds = rows.map(() => cardOf('VISA', choose));
  const codes = rows.map(() => `C${choose.digits(6)}`);
  const words = choose.from([WORDS['statusEn']!, WORDS['statusDe']!, WORDS['statusFr']!]);
  const all: [number, keyof typeof DECOY_TITLES, Column['cell']][] = [
    [0.3, 'balance', ({ index }) => numbers.write(balances[index]!)],
    [0.3, 'unitPrice', ({ payment }) => numbers.write(Math.trunc(payment.cents / quantity))],
    [0.3, 'amount', ({ index }) => numbers.write(other[index]!)],
    [
      0.3,
      'secondDate',
      ({ payment, index }) => new Date(Date.parse(payment.date) + index * 86_400_000).toISOString().slice(0, 10),
    ],
    [0.3, 'phone', ({ index }) => phones[index]!],
    [0.15, 'oldCard', ({ index }) => olds[index]!],
    [0.3, 'customer', ({ index }) => codes[index]!],
    [0.3, 'memo', ({ payment }) => `for ${payment.firstName}, ${payment.comment}`],
    [0.4, 'currency', () => currency],
    [hasStatus ? 1 : 0, 'status', ({ kind }) => words[kind === 'left' ? 1 : 0]],
  ];
  return all
    .filter(([share]) => choose.chance(share))
    .map(([, name, cell]) => ({ title: choose.from(DECOY_TITLES[name]), cell, decoy: name }));
}
