import { REJECTIONS } from '../../../schemas/rejections.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import type { PaymentKind } from '../customers/customer.ts';

/**
 * Test numbers that provoke each listed rejection code, for clients that cannot reach the control API. Assumption: they
 * are ours alone; at the service such a number is one like any other. The routing number of the accounts has a right
 * check digit and belongs to no bank.
 */
const STARTS = { card: '400000000000', bank: '88888888400000' } as const satisfies Record<PaymentKind, string>;

/** Returns the card or account number that is always rejected with a code; of 0 the number that answers by amount. */
export function numberOf(kind: PaymentKind, code: number): string {
  const digits = `${STARTS[kind]}${String(code).padStart(3, '0')}`;
  if (kind === 'bank') return digits;
  return [...'0123456789'].map((check) => `${digits}${check}`).find(passesLuhn) ?? digits;
}

/** The card and the account that answer by amount: 1000 and the code, as in 1014.00. */
export const AMOUNT_NUMBERS = { card: numberOf('card', 0), bank: numberOf('bank', 0) } as const;

/**
 * Finds the rejection that a test number asks for.
 * @param amountCents negative in a refund
 * @returns `REJECT: n`; undefined for any other number or amount
 */
export function findRejection(kind: PaymentKind, number: string, amountCents: number): string | undefined {
  if (number === AMOUNT_NUMBERS[kind]) return rejectionByAmount(amountCents);
  const code = Number(number.slice(STARTS[kind].length, STARTS[kind].length + 3));
  return REJECTIONS[code] && number === numberOf(kind, code) ? `REJECT: ${code}` : undefined;
}

/** Does the same for an amount of a number that answers by amount. */
export function rejectionByAmount(amountCents: number): string | undefined {
  const code = Math.abs(amountCents) / 100 - 1000;
  return REJECTIONS[code] ? `REJECT: ${code}` : undefined;
}

/** Rejections that tests of a client ask for most, with what a tester calls them. */
const EVERYDAY_CODES: readonly (readonly [code: number, name: string])[] = [
  [24, 'card has expired'],
  [4, 'wrong expiry date'],
  [42, 'security code required'],
  [19, 'wrong security code'],
  [14, 'over the limit'],
  [7, 'lost or stolen'],
  [25, 'keep the card'],
  [27, 'call the bank'],
  [15, 'general decline'],
  [22, 'line to the bank is busy'],
  [91, 'issuer is not available'],
  [70, 'outcome unknown'],
];

/** Returns what a tester has to know about these numbers, a line each. */
export function describeCodes(): string[] {
  const everyday = EVERYDAY_CODES.map(([code, name]) => `${name}: ${numberOf('card', code)} REJECT: ${code}`);
  return [
    `${STARTS.card}, a rejection code in three digits, and a check digit: that rejection, for any amount`,
    ...everyday,
    `${AMOUNT_NUMBERS.card}, with an amount of 1000 and the code, such as 1014.00: REJECT: 14; so are its refunds`,
    `A bank account ${STARTS.bank} and a code in three digits, such as ${numberOf('bank', 14)}: REJECT: 14; ` +
      `${AMOUNT_NUMBERS.bank} by amount, as above`,
  ];
}
