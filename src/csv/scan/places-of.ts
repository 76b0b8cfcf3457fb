import { COLUMNS, type ColumnName } from '../../../schemas/columns.ts';

/** Returns the indexes of the columns with a meaning of their own; -1 for those that the layout lacks. */
export function placesOf(columns: readonly ColumnName[]) {
  const numberColumns: readonly ColumnName[] = ['cardNumber', 'accountNumber'];
  return {
    invoice: columns.indexOf('invoice'),
    customerCode: columns.indexOf('customerCode'),
    amount: columns.indexOf('amount'),
    mop: columns.indexOf('mop'),
    state: columns.indexOf('state'),
    zipCode: columns.indexOf('zipCode'),
    number: columns.findIndex((column) => numberColumns.includes(column)),
    texts: columns.flatMap((column, index) => (TEXT_KINDS.includes(COLUMNS[column].kind) ? [index] : [])),
  };
}

const TEXT_KINDS: readonly string[] = ['invoice', 'text', 'customerCode'];
