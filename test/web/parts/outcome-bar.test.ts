import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import type { OutcomeTotals } from '../../../src/rows/rows.ts';
import { OutcomeBar } from '../../../src/web/parts/charts.tsx';

function draw(totals: OutcomeTotals, currency?: string): string {
  return renderToString(h(OutcomeBar, { totals, label: 'Rows of monday.csv', currency }));
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
    const html = draw({ declined: { rows: 1, cents: 500 }, approved: { rows: 3, cents: 123_450 } });
    expect(segments(html)).toEqual([
      ['approved', 0, 750],
      ['declined', 750, 250],
    ]);
  });

  it('lists each outcome with its rows and money, for those who do not see colours', () => {
    const html = draw({ approved: { rows: 1_200, cents: 123_450 }, unknown: { rows: 2, cents: -700 } }, 'CAD');
    const list = html.slice(html.indexOf('<ul'));
    const words = list.replaceAll(/<[^>]+>/g, '');
    expect(words).toContain('approved 1,200 · 1,234.50 CAD');
    expect(words).toContain('unknown 2 · -7.00 CAD');
    expect(html).toContain('aria-label="Rows of monday.csv: approved 1200, unknown 2 rows"');
  });

  it('knows every outcome of the table, and fills the whole bar with them', () => {
    const names = Object.keys(OUTCOMES) as Outcome[];
    const html = draw(Object.fromEntries(names.map((name) => [name, { rows: 7, cents: 1 }])));
    const found = segments(html);
    expect(found).toHaveLength(names.length);
    const [, x, width] = found.at(-1)!;
    expect(x + width).toBeCloseTo(1_000, 1);
  });

  it('says so when there is nothing, instead of an empty bar', () => {
    expect(draw({})).toBe('<p class="empty">No outcomes yet.</p>');
    expect(draw({ approved: { rows: 0, cents: 0 } })).not.toContain('svg');
  });

  it('leaves out what has no rows, and writes no style into the page', () => {
    const html = draw({ approved: { rows: 5, cents: 5 }, declined: { rows: 0, cents: 0 } });
    expect(segments(html)).toHaveLength(1);
    expect(html).not.toContain('declined');
    expect(html).not.toContain('style=');
  });
});
