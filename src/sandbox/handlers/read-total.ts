import { parseAmount } from '../../kernel/money.ts';

/**
 * The total of a single charge or refund in cents. The service reads a comma as a point.
 * @returns undefined when it is no amount
 */
export function readTotal(text: string | undefined): number | undefined {
  const amount = parseAmount((text ?? '').trim().replace(',', '.'));
  return typeof amount === 'number' ? amount : undefined;
}
