import { expect, it } from 'vitest';
import { groupBy } from '../../src/kernel/group-by.ts';

it('groupBy keeps every item once, in the order in which it came', () => {
  const groups = groupBy(['b1', 'a1', 'b2'], (item) => item[0]!);
  expect([...groups]).toEqual([
    ['b', ['b1', 'b2']],
    ['a', ['a1']],
  ]);
});
