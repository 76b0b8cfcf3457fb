/**
 * How bank charges of the test account go through the bank.
 *
 * When files leave and what becomes of an amount is known from the vendor. How long the bank then takes is our
 * assumption: clients are told to expect three to five days in all. Holidays of the bank are not known here.
 */
export const BANK_ZONE = 'America/Vancouver';

/** Full hours, by the clock of the zone, at which a file leaves; by day of the week, Sunday first. */
export const DEPARTURE_HOURS: readonly (readonly number[])[] = [[], [3, 15], [3, 15], [15], [15], [15], []];

/** Business days from the departure to the answer of the bank. */
export const ANSWER_DAYS = 2;

/** Business days from an acceptance to the return of the payment. */
export const RETURN_DAYS = 3;

export type BankFate = 'accepted' | 'returned' | 'rejected';

/** What becomes of an amount, whatever its sign; of a refund it is our assumption. */
export function fateOf(amountCents: number): BankFate {
  return FATES.get(Math.abs(amountCents)) ?? 'rejected';
}

const FATES: ReadonlyMap<number, BankFate> = new Map([
  [100, 'accepted'],
  [300, 'returned'],
]);
