import { passesLuhn } from '../../kernel/luhn.ts';
import { holdsCardNumber } from '../../kernel/mask.ts';
import { Notice } from './blocks.tsx';

/**
 * Returns whether the search text is a card number or contains one. Any 12 to 19 digits with a valid check digit count,
 * for any brand. Such an invoice can be found through its file.
 */
export function isCardNumber(words: string): boolean {
  const digits = words.replace(/[ .-]/g, '');
  return holdsCardNumber(words) || (/^\d{12,19}$/.test(digits) && passesLuhn(digits));
}

/** Replaces the results for a card number; the number is not repeated. */
export function CardNotice() {
  return (
    <Notice kind="warn" title="Card numbers cannot be searched; use the invoice">
      <p>
        The ledger keeps the last digits of a number only. This one stands in the address line now: remove it from the
        history of the browser.
      </p>
    </Notice>
  );
}
