import { writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { z } from 'zod';
import { stringify } from 'csv-stringify/sync';
import type { ResultRow } from './call-service.ts';

export const COLUMNS = [
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
type InvalidRow = { line: number; reason: string };

/** Parses the whole file and separates the rows that pass the schema from the others. */
export function readPayments(csv: string): { payments: Payment[]; invalid: InvalidRow[] } {
  const rows: unknown[] = parse(csv, { columns: COLUMNS, skip_empty_lines: true, trim: true });
  const payments: Payment[] = [];
  const invalid: InvalidRow[] = [];
  for (const [index, row] of rows.entries()) {
    const { payment, reason } = checkRow(row);
    if (payment) payments.push(payment);
    else invalid.push({ line: index + 1, reason });
  }
  return { payments, invalid };
}

/** Returns the row as a payment, or why it is none. */
export function checkRow(row: unknown): { payment: Payment; reason?: never } | { payment?: never; reason: string } {
  const checked = Payment.safeParse(row);
  if (checked.success) return { payment: checked.data };
  return { reason: checked.error.issues.map((issue) => issue.message).join('; ') };
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

type Batch = { rows: readonly Payment[]; body: string };

/** Cuts batches of at most `maxRows` rows, each written as CSV and encoded for the call. */
export function cutBatches(payments: readonly Payment[], maxRows: number): Batch[] {
  const batches: Batch[] = [];
  for (let from = 0; from < payments.length; from += maxRows) {
    const rows = payments.slice(from, from + maxRows);
    batches.push({ rows, body: encodeBody(rows) });
  }
  return batches;
}

/** Writes rows as CSV, encoded for the call. */
export function encodeBody(rows: readonly Payment[]): string {
  return Buffer.from(stringify([...rows])).toString('base64');
}

/** Matches results to payments by invoice and writes `X.result.csv` and `X.rejects.csv`. */
export async function writeResults(
  path: string,
  payments: readonly Payment[],
  invalid: readonly InvalidRow[],
  results: readonly ResultRow[],
): Promise<void> {
  const byInvoice = new Map(results.map((result) => [result.invoice, result]));
  const rows = payments.map((payment) => {
    const result = byInvoice.get(payment.invoice);
    if (result && result.amount !== payment.amount) throw new Error(`${payment.invoice} came back with another amount`);
    const message = result?.message ?? '';
    return { ...payment, cardNumber: maskNumber(payment.cardNumber), outcome: outcomeOf(message), message };
  });
  await writeFile(`${path}.result.csv`, stringify(rows, { header: true }));
  await writeFile(`${path}.rejects.csv`, stringify([...invalid], { header: true }));
}

export function outcomeOf(message: string): string {
  if (message.startsWith('OK')) return 'approved';
  return message.startsWith('REJECT') ? 'declined' : 'unknown';
}

export function maskNumber(number: string): string {
  return '*'.repeat(number.length - 4) + number.slice(-4);
}
