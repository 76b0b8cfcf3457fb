import { isIPv4 } from 'node:net';
import type { Server } from '../../../schemas/operations.ts';
import { REJECTIONS } from '../../../schemas/rejections.ts';
import { passesLuhn } from '../../kernel/luhn.ts';
import type { PaymentKind } from '../customers/customer.ts';

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

/**
 * Cards that the suite of the public PHP client stores and charges, with its dates. The suite passed at the service when
 * it was written, and must pass here unchanged although the dates are over.
 */
const SUITE_CARDS: readonly string[] = [
  '4222222222222220 12/17',
  '4111111111111111 12/17',
  '4444444444444448 12/17',
  '4444444444444448 12/20',
];

/** Returns whether a card is one of the public suite, with its date. */
export function isSuiteCard(number: string, expiry: string): boolean {
  return SUITE_CARDS.includes(`${number.trim()} ${expiry.trim().replace(/^(\d\d)(\d\d)$/, '$1/$2')}`);
}

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
