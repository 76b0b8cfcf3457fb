import { describe, expect, it } from 'vitest';
import { describeFallen, judgeRatios } from '../../../bench/guard/judge-ratios.ts';

describe('judgeRatios', () => {
  it.each([
    ['as it was', 10, []],
    ['faster', 15, []],
    ['a little slower, as machines are', 7.1, []],
    ['slower by more than that', 6.9, ['validation']],
  ])('%s', (_, measured, fallen) => {
    expect(judgeRatios({ validation: measured }, { validation: 10 }).map(({ name }) => name)).toEqual(fallen);
  });

  it('does not judge what was not measured, or what is new', () => {
    expect(judgeRatios({ fresh: 1 }, { validation: 10 })).toEqual([]);
  });

  it('says which fell and by how much', () => {
    const [fallen] = judgeRatios({ validation: 4 }, { validation: 10 });
    expect(describeFallen(fallen!)).toBe('validation fell by 60 %: it was 10.00 times as fast and is 4.00');
  });
});
