import { hideCardNumber } from '../batch/read-row.ts';
import { maskNumber } from '../batch/mask-number.ts';
import type { Customer } from '../customers/customer.ts';
import type { BookSecret } from './book-secret.ts';
import type { JournalEntry } from './journal-entry.ts';

/** Who paid and with what, as the service's reports show it. */
export type Payer = Pick<JournalEntry, 'firstName' | 'lastName' | 'payment' | 'shownNumber' | 'expiry' | 'comment'>;

export function payerOfRecord({ contact, method, number, expiry }: Customer): Payer {
  const { firstName, lastName, comment } = contact;
  return { firstName, lastName, payment: method, shownNumber: maskNumber(number), expiry, comment };
}

/**
 * Seals the payers of one book line, row by row; null for a row that no report shows. Masks card numbers in the wrong
 * place first.
 */
export function sealPayers(secret: BookSecret, payers: readonly (Payer | null)[], owner: string): string {
  const shown = payers.map((payer) => payer && hideNumbers(payer));
  return secret.seal(Buffer.from(JSON.stringify(shown)), ownerOf(owner));
}

export function openPayers(secret: BookSecret, sealed: string, owner: string): readonly (Payer | null)[] {
  return JSON.parse(secret.unseal(sealed, ownerOf(owner)).toString('utf8')) as (Payer | null)[];
}

function hideNumbers(payer: Payer): Payer {
  return {
    firstName: hideCardNumber(payer.firstName),
    lastName: hideCardNumber(payer.lastName),
    payment: hideCardNumber(payer.payment),
    shownNumber: hideCardNumber(payer.shownNumber),
    expiry: hideCardNumber(payer.expiry),
    comment: hideCardNumber(payer.comment),
  };
}

function ownerOf(owner: string): string {
  return `payers of ${owner}`;
}
