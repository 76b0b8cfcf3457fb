import { isIPv4 } from 'node:net';
import type { Server } from '../../../schemas/operations.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import { findRejection } from './code-cards.ts';

/** The test account's answers to one card, by amount. */
export type MagicCard = {
  readonly number: string;
  readonly amounts: readonly MagicAmount[];
  /** The answer to every other amount. */
  readonly otherwise: string;
};

/**
 * `server`       the answer is given on this server only
 * `onBadAddress` the answer if the call names an invalid payer IP address
 * `onCode`       the answer if the call carries this security code
 */
export type MagicAmount = {
  readonly cents: readonly number[];
  readonly message: string;
  readonly server?: Server;
  readonly onBadAddress?: string;
  readonly onCode?: { readonly code: string; readonly message: string };
};

const APPROVED = 'OK: 678594:';
const NOT_VALID = 'REJECT: 40';
const TOO_LARGE = 'REJECT: 39';
export const LARGEST_TEST_CENTS = 200_000;

/** The letters after the second colon come from the address check. */
export const MAGIC_CARDS: readonly MagicCard[] = [
  { number: '4222222222222220', amounts: [], otherwise: APPROVED },
  {
    number: '4111111111111111',
    amounts: [
      { cents: [100, 300], message: APPROVED },
      { cents: [200, 400, 500], message: 'REJECT: 15' },
      { cents: [600], message: 'OK: 678594:X' },
      { cents: [700], message: 'OK: 678594:y' },
      { cents: [800], message: 'OK: 678594:A' },
      { cents: [900], message: 'OK: 678594:Z' },
      { cents: [1000], message: 'OK: 678594:N' },
      { cents: [1500], message: 'REJECT: 19', onCode: { code: '1234', message: 'OK: 678594:Y' } },
      { cents: [1600], message: 'REJECT: 2' },
      { cents: [19_200], message: APPROVED, server: 'NA', onBadAddress: 'REJECT: 5' },
    ],
    otherwise: 'REJECT: 15',
  },
];

export type CardCharge = {
  /** Undefined for a customer code without a record. */
  readonly number: string | undefined;
  readonly amountCents: number;
  readonly server: Server | undefined;
  readonly ipAddress: string;
  /** A batch has none. */
  readonly securityCode?: string;
};

/**
 * Judges a card charge as the service does: the check digit, then the test account's largest amount, then the table.
 * Any other card with a right check digit is approved, unless it is one that asks for a rejection.
 * @returns `OK: ...` or `REJECT: n`
 */
export function judgeCard(charge: CardCharge): string {
  if (charge.number !== undefined && !passesLuhn(charge.number)) return NOT_VALID;
  const rejection = charge.number && findRejection('card', charge.number, charge.amountCents);
  if (rejection) return rejection;
  if (charge.amountCents > LARGEST_TEST_CENTS) return TOO_LARGE;
  const card = MAGIC_CARDS.find(({ number }) => number === charge.number);
  if (!card) return APPROVED;
  const row = card.amounts.find((amount) => amount.cents.includes(charge.amountCents) && isServed(amount, charge));
  if (!row) return card.otherwise;
  if (row.onCode && row.onCode.code === charge.securityCode) return row.onCode.message;
  return isBadAddress(charge.ipAddress) ? (row.onBadAddress ?? row.message) : row.message;
}

/**
 * Judges a refund as the service does: a card that answers by amount pays nothing back.
 * @param isCard whether the charge used that number; the books know this without holding the number
 * @param isTooMuch whether the refunds would exceed the charge
 */
export function judgeCardRefund(refund: { isCard: (number: string) => boolean; isTooMuch: boolean }): string {
  const card = MAGIC_CARDS.find(({ number }) => refund.isCard(number));
  if (card) return card.otherwise;
  return refund.isTooMuch ? 'REJECT: 15' : APPROVED;
}

/** Returns whether the answer holds for the account's server; without a server it counts as NA. */
function isServed(amount: MagicAmount, charge: CardCharge): boolean {
  return amount.server === undefined || amount.server === (charge.server ?? 'NA');
}

/** Returns whether an address is invalid. An empty address is fine; clients omit it. */
function isBadAddress(ipAddress: string): boolean {
  return ipAddress !== '' && !isIPv4(ipAddress);
}
