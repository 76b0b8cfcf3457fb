import { describe, expect, it } from 'vitest';
import { DayChart, type DayPoint, OutcomeBar } from '../../../src/web/parts/charts.tsx';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import type { OutcomeTotals } from '../../../src/rows/rows.ts';
import { draw } from '../support/page-words.ts';

function drawChart(values: readonly (number | null)[], shape: 'bars' | 'line' = 'bars', hasUsual = false): string {
  const points = values.map(
    (value, index): DayPoint => ({ day: `2026-06-${10 + index}`, value, says: `${value ?? 'no'} rows` }),
  );
  return draw(DayChart, { label: 'Rows', points, shape, sayValue: (value: number) => `${value} rows`, hasUsual });
}

/** Returns top and height of each bar. */
function bars(html: string): [number, number][] {
  return [...html.matchAll(/<rect class="day" x="[\d.]+" width="[\d.]+" y="([\d.]+)" height="([\d.]+)"/g)].map(
    ([, y, height]) => [Number(y), Number(height)],
  );
}

describe('DayChart', () => {
  it('draws a bar for each day from zero, twice as high for twice as much', () => {
    const [one, two, none] = bars(drawChart([100, 50, 0, 50]));
    expect(one).toEqual([1, 98]);
    expect(two).toEqual([50, 49]);
    expect(none![1]).toBe(0);
  });

  it('draws money that went back below zero', () => {
    const [up, down] = bars(drawChart([100, -100, 20]));
    expect(up![0] + up![1]).toBe(down![0]);
    expect(up![1]).toBe(down![1]);
  });

  it('leaves a gap in the line where a day has no value', () => {
    const [, path = ''] = /<path class="day-line" d="([^"]*)"/.exec(drawChart([1, 2, null, 3], 'line')) ?? [];
    expect(path.match(/M/g)).toHaveLength(2);
  });

  it('tells those who cannot see it the days, the highest and the last', () => {
    const html = drawChart([3, 9, 4]);
    expect(html).toContain(
      'aria-label="Rows from 2026-06-10 to 2026-06-12: highest 9 rows on 2026-06-11, last 4 rows"',
    );
    expect(html).toContain('<title>2026-06-10: 3 rows</title>');
    expect(html).not.toContain('style=');
  });

  it('draws nothing where there is nothing to tell', () => {
    expect(drawChart([])).toBe('');
    expect(drawChart([null, null])).toBe('');
  });

  it('draws nothing of less than three figures, and says where they are', () => {
    for (const few of [drawChart([7, 0, 9, null]), drawChart([7, null, 0], 'line')])
      expect(few).toBe('<p class="empty">Rows: too few figures for a chart; the table has them.</p>');
    expect(drawChart([0, null, 0, 0], 'line')).toContain('<svg');
    expect(drawChart([0, 0, 0, 0])).toBe('');
  });

  it('has an axis with the bounds of the figures and some of the days', () => {
    const axes = [...drawChart([3, -1, 4, 2, 5, 6, 7]).matchAll(/<div class="axis[^>]*>(.*?)<\/div>/g)];
    expect(axes.map(([, axis = '']) => [...axis.matchAll(/<span>(.*?)<\/span>/g)].map(([, text]) => text))).toEqual([
      ['7 rows', '-1 rows'],
      ['2026-06-10', '2026-06-13', '2026-06-16'],
    ]);
  });

  it('marks each day of a line, with its text on hover', () => {
    const dots = drawChart([1, null, 2, 0], 'line').match(/<path class="day-dot"[^>]*><title>[^<]*/g)!;
    expect(dots.map((dot) => dot.split('<title>')[1])).toEqual([
      '2026-06-10: 1 rows',
      '2026-06-12: 2 rows',
      '2026-06-13: 0 rows',
    ]);
  });

  it('draws a line at the median of the days with figures', () => {
    const [, at] = /<path class="usual" d="M0,([\d.]+)H/.exec(drawChart([100, 0, 20, 40, 0], 'bars', true)) ?? [];
    expect(Number(at)).toBeCloseTo(99 - (98 * 40) / 100, 1);
    expect(drawChart([4, 6, 8, 10], 'bars', true)).toContain('usual 7 rows');
  });

  it('puts the parts of a bar on each other, and those that went back below zero', () => {
    const points = [1, 2, 3].map((n) => ({
      day: `day ${n}`,
      value: 70,
      says: '70',
      parts: [
        { look: 'approved', value: 60, says: '60 approved' },
        { look: 'declined', value: 40, says: '40 declined' },
        { look: 'other', value: -30, says: '30 back' },
      ],
    }));
    const html = draw(DayChart, { label: 'Money', points, shape: 'bars' as const, sayValue: String });
    const drawn = [...html.matchAll(/<rect class="fill (\w+)"[^>]* y="([\d.]+)" height="([\d.]+)"><title>([^<]*)/g)];
    const [approved, declined, back] = drawn.map(([, , y, height]) => ({ top: Number(y), height: Number(height) }));
    expect(declined!.top + declined!.height).toBeCloseTo(approved!.top, 1);
    expect(back!.top).toBeCloseTo(approved!.top + approved!.height, 1);
    expect(approved!.height / back!.height).toBeCloseTo(2, 1);
    expect(drawn.slice(0, 3).map(([, , , , says]) => says)).toEqual([
      'day 1: 60 approved',
      'day 1: 40 declined',
      'day 1: 30 back',
    ]);
  });
});

function drawBar(totals: OutcomeTotals, currency?: string): string {
  return draw(OutcomeBar, { totals, label: 'Rows of monday.csv', currency });
}

/** Returns look, left edge and width of each segment. */
function segments(html: string): [string, number, number][] {
  const [bar = ''] = /<svg class="bar".*?<\/svg>/.exec(html) ?? [];
  return [...bar.matchAll(/<rect class="fill (\w+)" x="([\d.]+)" width="([\d.]+)"/g)].map(([, look, x, width]) => [
    look!,
    Number(x),
    Number(width),
  ]);
}

describe('OutcomeBar', () => {
  it('cuts the bar by rows, in the order of the table, without a gap', () => {
    const html = drawBar({ declined: { rows: 1, cents: 500 }, approved: { rows: 3, cents: 123_450 } });
    expect(segments(html)).toEqual([
      ['approved', 0, 750],
      ['declined', 750, 250],
    ]);
  });

  it('lists each outcome with its rows and money, for those who do not see colours', () => {
    const html = drawBar({ approved: { rows: 1_200, cents: 123_450 }, unknown: { rows: 2, cents: -700 } }, 'CAD');
    const list = html.slice(html.indexOf('<ul'));
    const words = list.replaceAll(/<[^>]+>/g, '');
    expect(words).toContain('approved 1,200 · 1,234.50 CAD');
    expect(words).toContain('unknown 2 · -7.00 CAD');
    expect(html).toContain('aria-label="Rows of monday.csv: approved 1200, unknown 2 rows"');
  });

  it('knows every outcome of the table, and fills the whole bar with them', () => {
    const names = Object.keys(OUTCOMES) as Outcome[];
    const html = drawBar(Object.fromEntries(names.map((name) => [name, { rows: 7, cents: 1 }])));
    const found = segments(html);
    expect(found).toHaveLength(names.length);
    const [, x, width] = found.at(-1)!;
    expect(x + width).toBeCloseTo(1_000, 1);
  });

  it('says so when there is nothing, instead of an empty bar', () => {
    expect(drawBar({})).toBe('<p class="empty">No outcomes yet.</p>');
    expect(drawBar({ approved: { rows: 0, cents: 0 } })).not.toContain('svg');
  });

  it('leaves out what has no rows, and writes no style into the page', () => {
    const html = drawBar({ approved: { rows: 5, cents: 5 }, declined: { rows: 0, cents: 0 } });
    expect(segments(html)).toHaveLength(1);
    expect(html).not.toContain('declined');
    expect(html).not.toContain('style=');
  });
});
