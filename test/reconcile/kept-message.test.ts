import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptMessage } from '../../src/reconcile/kept-message.ts';

describe('keptMessage', () => {
  it.each([
    [' OK: 678594:\n', 'OK: 678594:'],
    ['Invalid card 4222222222222220', 'Invalid card ************2220'],
    ['line\u0000 and\u0007 bell', 'line  and  bell'],
    ['two\r\nlines', 'two  lines'],
    ['a\u2028b\u2029c\ufffdd', 'a b c d'],
    ['half \ud83d a face', 'half   a face'],
    ['x'.repeat(1_000), 'x'.repeat(200)],
    [`${'x'.repeat(199)}\u{1f600}`, 'x'.repeat(199)],
    [`${'x'.repeat(199)} y`, 'x'.repeat(199)],
  ])('keeps of %j what may be kept', (message, kept) => {
    expect(keptMessage(message)).toBe(kept);
  });

  it('changes nothing when it is done again, and is never longer than 200 characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0x10ffff), { maxLength: 300 }).map((points) => String.fromCodePoint(...points)),
        (message) => {
          const kept = keptMessage(message);
          expect(keptMessage(kept)).toBe(kept);
          expect(kept.length).toBeLessThanOrEqual(200);
          expect(kept).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029\ufffd]/u);
        },
      ),
    );
  });
});
