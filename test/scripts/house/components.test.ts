import { describe, expect, it } from 'vitest';
import { componentsOf } from '../../../scripts/house/components.ts';

describe('componentsOf', () => {
  it.each([
    { of: 'nothing', ties: [], groups: ['a', 'b', 'c', 'd'] },
    { of: 'a tie of one and a tie of strangers', ties: ['a', 'xy'], groups: ['a', 'b', 'c', 'd'] },
    { of: 'a pair', ties: ['ca'], groups: ['ac', 'b', 'd'] },
    { of: 'pairs that share an item', ties: ['ab', 'cd', 'bd'], groups: ['abcd'] },
    { of: 'a tie of three, with a stranger', ties: ['dxbc'], groups: ['a', 'bcd'] },
  ])('makes groups of $of', ({ ties, groups }) => {
    const made = componentsOf(
      ['a', 'b', 'c', 'd'],
      ties.map((tie) => [...tie]),
    );
    expect(made.map((group) => group.join(''))).toEqual(groups);
  });
});
