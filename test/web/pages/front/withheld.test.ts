import { describe, expect, it } from 'vitest';
import { Withheld } from '../../../../src/web/pages/front.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';
import { quietFront } from '../../support/quiet-front.ts';

const FILE = {
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  account: 'main',
  claimedAt: new Date('2026-06-15T10:00:00Z'),
  rows: 3,
  cents: 2_500,
  unreadable: 1,
};

describe('Withheld', () => {
  it('names each file with its rows and what of their money can be read', () => {
    const page = draw(Withheld, { front: quietFront({ withheld: [FILE] }) });
    expect(wordsOf(page)).toMatch(/Not paid.*june\.csv main 3 25\.00, 1 amount unreadable/);
    expect(page).toContain('href="/files/g7fhpaqs00000000"');
  });

  it('says nothing when all rows were sent', () => {
    expect(wordsOf(draw(Withheld, { front: quietFront() }))).toBe('');
  });
});
