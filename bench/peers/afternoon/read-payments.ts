import { parse } from 'csv-parse/sync';
import { z } from 'zod';

const COLUMNS = [
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
];

/** Removes commas, because the service splits rows at every comma. */
const text = (longest: number) =>
  z
    .string()
    .transform((value) => value.replace(/[,"\s]+/g, ' ').trim())
    .pipe(z.string().max(longest));

const Payment = z.object({
  date: z.string().regex(/^(0[1-9]|1[0-2])\/(0[1-9]|[12]\d|3[01])\/\d{4}$/),
  invoice: z.string().min(1).max(50),
  firstName: text(50),
  lastName: text(50),
  street: text(100),
  city: text(50),
  state: text(50),
  zipCode: text(20),
  amount: z
    .string()
    .regex(/^\d{1,10}\.\d{2}$/)
    .refine((value) => Number(value) > 0),
  mop: z.enum(['VISA', 'MC', 'AMX', 'DSC']),
  cardNumber: z
    .string()
    .regex(/^\d{13,19}$/)
    .refine(passesLuhn),
  expiry: z
    .string()
    .regex(/^(0[1-9]|1[0-2])\/\d{2}$/)
    .refine(isAhead),
});
export type Payment = z.infer<typeof Payment>;
export type InvalidRow = { line: number; reason: string };

/** Parses the whole file and separates the rows that pass the schema from the others. */
export function readPayments(csv: string): { payments: Payment[]; invalid: InvalidRow[] } {
  const rows: unknown[] = parse(csv, { columns: COLUMNS, skip_empty_lines: true, trim: true });
  const payments: Payment[] = [];
  const invalid: InvalidRow[] = [];
  for (const [index, row] of rows.entries()) {
    const checked = Payment.safeParse(row);
    if (checked.success) payments.push(checked.data);
    else invalid.push({ line: index + 1, reason: checked.error.issues.map((issue) => issue.message).join('; ') });
  }
  return { payments, invalid };
}

function passesLuhn(number: string): boolean {
  let sum = 0;
  let isDoubled = false;
  for (let index = number.length - 1; index >= 0; index -= 1) {
    let digit = number.charCodeAt(index) - 48;
    if (isDoubled) {
      digit *= 2;
      if (digit > 9) digit -= 9;
    }
    sum += digit;
    isDoubled = !isDoubled;
  }
  return sum % 10 === 0;
}

const NOW = new Date();
const THIS_MONTH = NOW.getFullYear() * 12 + NOW.getMonth();

function isAhead(expiry: string): boolean {
  return (2000 + Number(expiry.slice(3))) * 12 + Number(expiry.slice(0, 2)) - 1 >= THIS_MONTH;
}
