import { describe, expect, it } from 'vitest';
import { AccountDay, Today } from '../../../../src/web/pages/front.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';
import { QUIET_DAY, quietFront } from '../../support/quiet-front.ts';

const busy = {
  ...QUIET_DAY,
  accepted: { files: 2, rows: 5, cents: 12_500 },
  final: { approved: { rows: 3, cents: 7_500 }, declined: { rows: 1, cents: 2_500 } },
  open: { rows: 1, cents: 2_500 },
};

describe('Today', () => {
  it('shows each account by itself, in its currency', () => {
    const words = wordsOf(draw(Today, { front: quietFront({ today: [busy, { ...QUIET_DAY, account: 'uk' }] }) }));
    expect(words).toContain('approved 3 · 75.00 USD declined 1 · 25.00 USD Accepted: 2 files, 5 rows, 125.00 USD.');
    expect(words).toContain('uk No outcomes yet. Accepted: 0 files, 0 rows, 0.00 GBP.');
  });
});

describe('AccountDay', () => {
  it('says that the day balances, and leads to it', () => {
    const html = draw(AccountDay, { report: busy, currency: 'USD' });
    expect(wordsOf(html)).toContain('Still open: 1 row, 25.00 USD. The day balances.');
    expect(html).toContain('href="/report?account=main&amp;day=2026-06-15"');
  });

  it('says loudly by how much it does not', () => {
    const html = draw(AccountDay, { report: { ...busy, open: QUIET_DAY.open }, currency: 'USD' });
    expect(html).toContain('role="alert"');
    expect(wordsOf(html)).toContain('Difference: 1 row, 25.00 USD.');
  });
});
