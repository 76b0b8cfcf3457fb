import { describe, expect, it } from 'vitest';
import { blankFilter, type Line } from '../../../src/csv/read/split-lines.ts';

/** Returns the kept lines with their numbers, and the counts; the last text has no line end. */
function filter(...texts: string[]) {
  const count = { blankLines: 0, isLastLineOpen: false };
  const { take, takeLast } = blankFilter(count);
  const kept: Line[] = [];
  const lines = texts.map((text, index) => ({ number: index + 1, text, tooLong: false }));
  const last = lines.pop()!;
  for (const line of lines) take(line, kept);
  takeLast(last.text === '' ? undefined : last, kept);
  return { kept: kept.map(({ number, text }) => `${number} ${text}`), ...count };
}

describe('blankFilter', () => {
  it.each([
    [['a', '', '  ', '\u00a0', 'b', ''], ['1 a', '5 b'], 3, false],
    [['a', 'b'], ['1 a', '2 b'], 0, true],
    [['a', '  '], ['1 a'], 1, false],
    [['a', '\u001a', ''], ['1 a'], 1, false],
    [['a', '\u001a', '', ' ', ''], ['1 a'], 3, false],
    [['a', '\u001a'], ['1 a'], 1, false],
    [['a', '\u001a', '', 'b', ''], ['1 a', '2 \u001a', '4 b'], 1, false],
    [['a', 'b\u001a'], ['1 a', '2 b'], 0, true],
    [['a', 'b\u001a\u001a'], ['1 a', '2 b\u001a\u001a'], 0, true],
  ])('of %j keeps %j, with %i blank lines (open: %s)', (texts, kept, blankLines, isLastLineOpen) => {
    expect(filter(...texts)).toEqual({ kept, blankLines, isLastLineOpen });
  });

  it('takes no line that is too long for a blank one', () => {
    const count = { blankLines: 0, isLastLineOpen: false };
    const kept: Line[] = [];
    blankFilter(count).take({ number: 1, text: '', tooLong: true }, kept);
    expect([kept.length, count.blankLines]).toEqual([1, 0]);
  });

  it('says when a line is held back', () => {
    const { take, isWaiting } = blankFilter({ blankLines: 0, isLastLineOpen: false });
    const kept: Line[] = [];
    const states = ['a', '\u001a', '', 'b'].map((text, index) => {
      take({ number: index + 1, text, tooLong: false }, kept);
      return isWaiting();
    });
    expect(states).toEqual([false, true, true, false]);
  });
});
