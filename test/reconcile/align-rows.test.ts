import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alignRows } from '../../src/reconcile/compare-rows.ts';

/** Shows one letter per entry, `-` where a side has none, and a star after those that differ. */
function align(lefts: string, rights: string): string {
  return alignRows([...lefts], [...rights], (left, right) => left === right)
    .map(({ left, right, isSame }) => `${left ?? '-'}${right ?? '-'}${isSame ? '' : '*'}`)
    .join(' ');
}

describe('alignRows', () => {
  it.each([
    ['', '', ''],
    ['abc', 'abc', 'aa bb cc'],
    ['abcd', 'abd', 'aa bb c-* dd'],
    ['abd', 'abcd', 'aa bb -c* dd'],
    ['abc', 'axc', 'aa bx* cc'],
    ['abc', 'bc', 'a-* bb cc'],
    ['abc', '', 'a-* b-* c-*'],
    ['', 'ab', '-a* -b*'],
    ['abcdef', 'axcdyef', 'aa bx* cc dd -y* ee ff'],
    ['ab', 'aab', 'aa -a* bb'],
  ])('lays %j beside %j', (lefts, rights, aligned) => {
    expect(align(lefts, rights)).toBe(aligned);
  });

  it('keeps every entry once and in order, and calls same only what is', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 });
    fc.assert(
      fc.property(list, list, (lefts, rights) => {
        const aligned = alignRows(lefts, rights, (left, right) => left === right);
        expect(aligned.flatMap(({ left }) => left ?? [])).toEqual(lefts);
        expect(aligned.flatMap(({ right }) => right ?? [])).toEqual(rights);
        for (const { left, right, isSame } of aligned) expect(isSame && left !== right).toBe(false);
      }),
    );
  });

  it('lays lists that are too long to compare each with each beside each other as they come', () => {
    const lefts = Array.from({ length: 2_000 }, (_, index) => (index === 1_000 ? 'same' : `left ${index}`));
    const rights = Array.from({ length: 1_900 }, (_, index) => (index === 1_000 ? 'same' : `right ${index}`));
    const aligned = alignRows(lefts, rights, (left, right) => left === right);
    expect(aligned).toHaveLength(2_000);
    expect(aligned.flatMap(({ isSame }, index) => (isSame ? [index] : []))).toEqual([1_000]);
    expect(aligned.at(-1)).toEqual({ left: 'left 1999', right: undefined, isSame: false });
  });
});
