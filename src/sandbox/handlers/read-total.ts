import { parseAmount } from '../../kernel/money.ts';

/**
 * Reads the total of a single charge or refund, in cents. The service reads a comma as a decimal point.
 * @returns undefined when it is not an amount
 */
export function readTotal(text: string | undefined): number | undefined {
  const amount = parseAmount((text ?? '').trim().replace(',', '.'));
  return typeof amount === 'number' ? amount : undefined;
}
