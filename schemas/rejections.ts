/**
 * Rejection codes of the service and what to do about each. The spec describes the pair of code and message, and lists
 * code 19 only. The rest is known from public clients and the vendor's pages, in our words.
 *
 * `advice`:
 *   `later`      the same data may be sent again later
 *   `fix`        correct the data; sending it is then a new attempt
 *   `cardholder` the payer has to act
 *   `merchant`   set up the merchant account, or call the processor
 *   `never`      do not send again
 *   `unknown`    the money may have moved: look it up before anything else
 */
export const ADVICE = ['later', 'fix', 'cardholder', 'merchant', 'never', 'unknown'] as const;
export type Advice = (typeof ADVICE)[number];

/** Advice that forbids sending the row again. */
export const NO_RETRY: readonly Advice[] = ['never', 'unknown'];

/** What the reader of a result has to do, by advice. */
const NEXT: Readonly<Record<Advice, string>> = {
  later: 'drop the retry file later',
  fix: 'correct the row and drop the rejects file',
  cardholder: 'ask the customer to call the bank',
  merchant: 'ask the payment service about the merchant account',
  never: 'do not send it again; ask the customer for another way to pay',
  unknown: 'look it up at the service before anything else',
};

type RejectionRow = { readonly message: string; readonly advice: Advice };

export const REJECTIONS: Readonly<Record<number, RejectionRow>> = {
  1: { message: 'The agent code is not set up, or the login is wrong', advice: 'merchant' },
  2: { message: 'The card could not be processed; check the card data', advice: 'fix' },
  3: { message: 'There is no such customer code', advice: 'fix' },
  4: { message: 'The expiry date is wrong', advice: 'fix' },
  5: { message: 'The transaction is not valid; check the card data', advice: 'fix' },
  6: {
    message: 'The payer has to call the issuer, or the institution does not support the card',
    advice: 'cardholder',
  },
  7: { message: 'The card is lost or stolen', advice: 'never' },
  8: { message: 'The status of the card is not valid', advice: 'never' },
  9: { message: 'The card is restricted, usually a corporate card', advice: 'cardholder' },
  10: { message: 'Error; check the card data', advice: 'fix' },
  11: { message: 'General decline', advice: 'cardholder' },
  12: { message: 'The security code or the expiry is wrong', advice: 'fix' },
  14: { message: 'The card is over its limit', advice: 'later' },
  15: { message: 'General decline', advice: 'cardholder' },
  16: { message: 'The card number is wrong', advice: 'fix' },
  17: { message: 'The issuer wants more information from the payer', advice: 'cardholder' },
  18: { message: 'The institution does not support the card', advice: 'never' },
  19: { message: 'Incorrect CVV2 security code', advice: 'fix' },
  22: { message: 'The line to the bank was down or busy', advice: 'later' },
  23: { message: 'System error at the service', advice: 'later' },
  24: { message: 'The card has expired', advice: 'fix' },
  25: { message: 'The card should be retained; it may be lost or stolen', advice: 'never' },
  26: { message: 'The transaction or the expiry is not valid', advice: 'fix' },
  27: { message: 'The payer has to call the issuer', advice: 'cardholder' },
  32: { message: 'The card number is wrong', advice: 'fix' },
  39: { message: 'Contact the processor', advice: 'merchant' },
  40: { message: 'The number is not valid or the brand is not supported', advice: 'fix' },
  41: { message: 'The expiry date is not valid', advice: 'fix' },
  42: { message: 'A security code is required', advice: 'fix' },
  43: { message: 'The address check failed (UK), or contact the processor (NA)', advice: 'merchant' },
  45: { message: 'The name is blocked', advice: 'merchant' },
  46: { message: 'Many cards from one place were tried', advice: 'merchant' },
  47: { message: 'Many names on one card were tried', advice: 'merchant' },
  48: { message: 'The IP address is blocked', advice: 'merchant' },
  49: { message: 'Too many payments from one IP address (rule 1)', advice: 'merchant' },
  50: { message: 'Too many payments from one IP address (rule 2)', advice: 'merchant' },
  51: { message: 'Too many payments from one IP address (rule 3)', advice: 'merchant' },
  52: { message: 'The country of the card is blocked', advice: 'merchant' },
  53: { message: 'The total of the file is wrong', advice: 'fix' },
  54: { message: 'The currency is wrong', advice: 'fix' },
  55: { message: 'System error; the payment may have been booked', advice: 'unknown' },
  56: { message: 'Other rejection', advice: 'merchant' },
  60: { message: 'The merchant account is not set up for this', advice: 'merchant' },
  61: { message: 'The payer could not be authenticated', advice: 'cardholder' },
  62: { message: 'The time stamp is not valid', advice: 'merchant' },
  63: { message: 'The payment was voided', advice: 'never' },
  64: { message: 'The pre-authorization has expired or does not match', advice: 'fix' },
  65: { message: 'The card scheme is not supported', advice: 'merchant' },
  66: { message: 'The merchant account has no channel for this', advice: 'merchant' },
  67: { message: 'The merchant account has no submitter', advice: 'merchant' },
  68: { message: 'A void failed; the payment may stand', advice: 'unknown' },
  69: { message: 'Unexpected answer of the bank', advice: 'unknown' },
  70: { message: 'The result could not be determined', advice: 'unknown' },
  71: { message: 'A mandatory field is missing', advice: 'fix' },
  91: { message: 'The issuer is not available', advice: 'later' },
  98: { message: 'The id of the receiving bank fails its check digit', advice: 'fix' },
  100: { message: 'Do not send again; call the processor', advice: 'never' },
};

/** Returns the service's answer to a row, preceded by the meaning of its code. */
export function saidAnswer(text: string, code: number | null): string {
  return code === null ? text : `${rejectionOf(code).message} (${text})`;
}

/** Returns what a code means and what to do about it, in one sentence. */
export function saidRejection(code: number): string {
  const { message, advice } = rejectionOf(code);
  return `${message}; ${NEXT[advice]}`;
}

/** Returns the meaning of a code. An unlisted code is a decline of unknown cause; do not send it again blindly. */
export function rejectionOf(code: number): RejectionRow {
  return REJECTIONS[code] ?? { message: `Rejection code ${code}, which is not listed`, advice: 'unknown' };
}
