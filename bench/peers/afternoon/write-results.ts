import { writeFile } from 'node:fs/promises';
import { stringify } from 'csv-stringify/sync';
import type { ResultRow } from './call-service.ts';
import type { InvalidRow, Payment } from './read-payments.ts';

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

function outcomeOf(message: string): string {
  if (message.startsWith('OK')) return 'approved';
  return message.startsWith('REJECT') ? 'declined' : 'unknown';
}

function maskNumber(number: string): string {
  return '*'.repeat(number.length - 4) + number.slice(-4);
}
