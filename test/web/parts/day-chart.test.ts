import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { DayChart, type DayPoint } from '../../../src/web/parts/charts.tsx';

function draw(values: readonly (number | null)[], shape: 'bars' | 'line' = 'bars'): string {
  const points = values.map(
    (value, index): DayPoint => ({ day: `2026-06-${10 + index}`, value, says: `${value ?? 'no'} rows` }),
  );
  return renderToString(h(DayChart, { label: 'Rows', points, shape }));
}

/** Returns top and height of each bar. */
function bars(html: string): [number, number][] {
  return [...html.matchAll(/<rect class="day" x="[\d.]+" width="[\d.]+" y="([\d.]+)" height="([\d.]+)"/g)].map(
    ([, y, height]) => [Number(y), Number(height)],
  );
}

describe('DayChart', () => {
  it('draws a bar for each day from zero, twice as high for twice as much', () => {
    const [one, two, none] = bars(draw([100, 50, 0]));
    expect(one).toEqual([1, 98]);
    expect(two).toEqual([50, 49]);
    expect(none![1]).toBe(0);
  });

  it('draws money that went back below zero', () => {
    const [up, down] = bars(draw([100, -100]));
    expect(up![0] + up![1]).toBe(down![0]);
    expect(up![1]).toBe(down![1]);
  });

  it('leaves a gap in the line where a day has no value', () => {
    const [, path = ''] = /<path class="day-line" d="([^"]*)"/.exec(draw([1, 2, null, 3], 'line')) ?? [];
    expect(path.match(/M/g)).toHaveLength(2);
  });

  it('tells those who cannot see it the days, the highest and the last', () => {
    const html = draw([3, 9, 4]);
    expect(html).toContain(
      'aria-label="Rows from 2026-06-10 to 2026-06-12: highest 9 rows on 2026-06-11, last 4 rows"',
    );
    expect(html).toContain('<title>2026-06-10: 3 rows</title>');
    expect(html).not.toContain('style=');
  });

  it('draws nothing where there is nothing to tell', () => {
    expect(draw([])).toBe('');
    expect(draw([null, null])).toBe('');
  });

  it('draws days that are all zero', () => {
    expect(bars(draw([0, 0])).map(([, height]) => height)).toEqual([0, 0]);
  });
});
