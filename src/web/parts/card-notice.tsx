import { passesLuhn } from '../../kernel/luhn.ts';
import { holdsCardNumber } from '../../kernel/mask.ts';
import { Notice } from './blocks.tsx';

/**
 * Whether what somebody looks for is a card number or holds one. All 12 to 19 digits with a right check digit count,
 * whatever their brand: an invoice of that kind is found by its file.
 */
export function isCardNumber(words: string): boolean {
  const digits = words.replace(/[ .-]/g, '');
  return holdsCardNumber(words) || (/^\d{12,19}$/.test(digits) && passesLuhn(digits));
}

/** Said instead of an answer to whoever looks for a card number; the number is repeated nowhere. */
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
