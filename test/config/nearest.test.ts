import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { didYouMean, nearest } from '../../src/config/nearest.ts';

describe('nearest', () => {
  const names = ['main', 'canada', 'ach-charge', 'ach-refund', 'NA', 'UK'];

  it.each([
    ['mian', 'main'],
    ['Main', 'main'],
    ['man', 'main'],
    ['mainn', 'main'],
    ['canda', 'canada'],
    ['ach-chrage', 'ach-charge'],
    ['ach-refnud', 'ach-refund'],
    ['na', 'NA'],
    ['US', undefined],
    ['west', undefined],
    ['', undefined],
  ])('%j: %s', (typed, meant) => {
    expect(nearest(typed, names)).toBe(meant);
  });

  it('finds a name in which one letter is missing, too many, wrong or swapped', () => {
    const name = fc.stringMatching(/^[a-z]{4,30}$/);
    fc.assert(
      fc.property(name, fc.nat(), fc.constantFrom('drop', 'add', 'swap', 'change'), (meant, place, how) => {
        const at = place % (meant.length - 1);
        const [before, one, two, rest] = [meant.slice(0, at), meant[at], meant[at + 1], meant.slice(at + 2)];
        const typed = { drop: [two], add: [one, '-', two], swap: [two, one], change: ['-', two] }[how].join('');
        expect(nearest(before + typed + rest, [meant])).toBe(meant);
      }),
      { numRuns: 200 },
    );
  });
});

it('didYouMean is nothing without a near name', () => {
  expect(didYouMean('mian', ['main'])).toBe(' (did you mean "main"?)');
  expect(didYouMean('west', ['main'])).toBe('');
});
