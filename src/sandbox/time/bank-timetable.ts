/**
 * How the bank processes the charges of the test account.
 *
 * The vendor states when files leave and what happens to each amount. Assumption: how long the bank then takes; clients
 * are told to expect three to five days in all. Bank holidays are not known here.
 */
export const BANK_ZONE = 'America/Vancouver';

/** Full hours on the zone's clock at which a file leaves, by day of the week, Sunday first. */
export const DEPARTURE_HOURS: readonly (readonly number[])[] = [[], [3, 15], [3, 15], [15], [15], [15], []];

/** Business days from departure to the bank's answer. */
export const ANSWER_DAYS = 2;

/** Business days from acceptance to the return of the payment. */
export const RETURN_DAYS = 3;

export type BankFate = 'accepted' | 'returned' | 'rejected';

/** Returns the outcome of an amount, whatever its sign. Assumption: refunds have the same outcomes. */
export function fateOf(amountCents: number): BankFate {
  return FATES.get(Math.abs(amountCents)) ?? 'rejected';
}

const FATES: ReadonlyMap<number, BankFate> = new Map([
  [100, 'accepted'],
  [300, 'returned'],
]);
