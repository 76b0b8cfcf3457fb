import { describe, expect, it } from 'vitest';
import type { LayoutName } from '../../../schemas/layouts.ts';
import { confusableRows } from '../../../workers/intake/cut-bodies.ts';
import { achRow, CARD, cardRow, codeRow } from '../../support/payment-rows.ts';

/** A card with the same last digits as `CARD`. */
const LIKE_IT = '4012888888882220';
const SHORT = { invoice: 'A-1', account: '12320' };

/** Returns which rows could be confused with an earlier one, all in one batch. */
function confusedOf(layout: LayoutName, rows: readonly string[]): boolean[] {
  const { isConfusable } = confusableRows(layout);
  return rows.map((row) => isConfusable(Buffer.from(`x\n${row}\n`), 2));
}

describe('confusableRows', () => {
  it.each<[string, LayoutName, string[], boolean]>([
    ['another payer whose card ends alike', 'card', [cardRow(1), cardRow(1, { card: LIKE_IT })], true],
    ['the same payer once more', 'card', [cardRow(1), cardRow(1)], false],
    ['another end', 'card', [cardRow(1), cardRow(1, { card: '4111111111111111' })], false],
    ['another amount', 'card', [cardRow(1), cardRow(1, { card: LIKE_IT, amount: '26.00' })], false],
    ['another invoice', 'card', [cardRow(1), cardRow(2, { card: LIKE_IT })], false],
    ['a short account that ends as a long one does', 'ach', [achRow(1, SHORT), achRow(1, { account: CARD })], true],
    [
      'a short account with another end, which may be hidden',
      'ach',
      [achRow(1, SHORT), achRow(1, { account: '12321' })],
      true,
    ],
    ['the same short account', 'ach', [achRow(1, SHORT), achRow(1, SHORT)], false],
    ['a long account with another end', 'ach', [achRow(1, SHORT), achRow(1, { account: '123456789' })], false],
    ['codes, which are shown whole', 'ach-code', [codeRow(1), codeRow(1, { code: 'A20000001' })], false],
  ])('says of %s what the result would show', (_what, layout, rows, isConfused) => {
    expect(confusedOf(layout, rows)).toEqual([false, isConfused]);
  });

  it('knows nothing any more when the batch has ended', () => {
    const { isConfusable, clear } = confusableRows('card');
    const [one, other] = [CARD, LIKE_IT].map((card) => Buffer.from(`${cardRow(1, { card })}\n`));
    expect([isConfusable(one!, 0), isConfusable(other!, 0), isConfusable(other!, 0)]).toEqual([false, true, true]);
    clear();
    expect(isConfusable(other!, 0)).toBe(false);
  });
});
