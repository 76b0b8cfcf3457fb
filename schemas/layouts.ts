import type { ColumnName } from './columns.ts';
import type { FolderOperation } from './operations.ts';

/**
 * The five layouts of batch files. Operation and number of columns together identify exactly one. Seven columns are a
 * bank file for the ACH operations and a Canadian card file for the card operation. Four columns look alike for all
 * three. So the layout is never guessed from the content.
 *
 * `countries` countries of the clients that use it, where the spec makes a difference
 */
type LayoutRow = {
  readonly title: string;
  readonly operations: readonly FolderOperation[];
  readonly columns: readonly ColumnName[];
  readonly countries?: readonly Country[];
};

/** Country of the merchant account. */
export const COUNTRIES = ['US', 'CA', 'UK'] as const;
export type Country = (typeof COUNTRIES)[number];

export const LAYOUTS = {
  ach: {
    title: 'bank account, without customer codes',
    operations: ['ach-charge', 'ach-refund'],
    columns: ['invoice', 'firstName', 'lastName', 'accountType', 'accountNumber', 'amount', 'comment'],
  },
  'ach-code': {
    title: 'bank account, with customer codes',
    operations: ['ach-charge', 'ach-refund'],
    columns: ['invoice', 'customerCode', 'amount', 'comment'],
  },
  card: {
    title: 'card, without customer codes, US and UK clients',
    operations: ['card'],
    columns: [
      'date',
      'invoice',
      'firstName',
      'lastName',
      'street',
      'city',
      'state',
      'zipCode',
      'amount',
      'mop',
      'cardNumber',
      'expiry',
    ],
    countries: ['US', 'UK'],
  },
  'card-ca': {
    title: 'card, without customer codes, Canadian clients',
    operations: ['card'],
    columns: ['date', 'invoice', 'fullName', 'amount', 'mop', 'cardNumber', 'expiry'],
    countries: ['CA'],
  },
  'card-code': {
    title: 'card, with customer codes',
    operations: ['card'],
    columns: ['invoice', 'customerCode', 'amount', 'comment'],
  },
} as const satisfies Record<string, LayoutRow>;

export type LayoutName = keyof typeof LAYOUTS;

/**
 * The column that rejects and retry files have after those of their layout. It is ignored when such a file is dropped
 * again.
 */
export const REASON_TITLE = 'Reason';

/** Returns the one layout of an operation with this number of columns, if any. */
export function layoutOf(operation: FolderOperation, columnCount: number): LayoutName | undefined {
  const layouts = Object.entries(LAYOUTS) as [LayoutName, LayoutRow][];
  return layouts.find(
    ([, layout]) => layout.operations.includes(operation) && layout.columns.length === columnCount,
  )?.[0];
}

export function columnsOf(layout: LayoutName): readonly ColumnName[] {
  return LAYOUTS[layout].columns;
}
