import { type ColumnName, columnsOf, type LayoutName } from '../../../schemas/layouts.ts';

export const VISA = '4222222222222220';
export const ACCOUNT_NUMBER = '02100002100000000000000001';

const CELLS: Readonly<Record<ColumnName, string>> = {
  date: '06/15/2026',
  invoice: 'INV-1',
  firstName: 'Ada',
  lastName: 'Byron',
  fullName: 'Ada Byron',
  street: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180-1234',
  amount: '25.00',
  mop: 'VISA',
  cardNumber: VISA,
  expiry: '1228',
  accountType: 'CHECKING',
  accountNumber: ACCOUNT_NUMBER,
  customerCode: 'A10000001',
  comment: 'June dues',
};

/** Returns a valid row of a layout with the given cells. */
export function cellsOf(layout: LayoutName, cells: Partial<Record<ColumnName, string>> = {}): string[] {
  return columnsOf(layout).map((column) => cells[column] ?? CELLS[column]);
}
