import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { Month, type MonthDay } from '../../../../src/web/pages/front/month.tsx';

const draw = (days: readonly MonthDay[]) => renderToString(h(Month, { days }));
const quiet: MonthDay = { day: '2026-06-13', rows: 0, declined: 0, cents: {}, withheld: {} };

describe('Month', () => {
  it('draws rows, the money of each currency and the declined share, and tells the same in a table', () => {
    const html = draw([
      quiet,
      {
        day: '2026-06-14',
        rows: 1_000,
        declined: 25,
        cents: { CAD: 1_234_500, USD: 500 },
        withheld: { CAD: { rows: 3, cents: 5_500, unreadable: 2 }, USD: { rows: 1, cents: 700, unreadable: 0 } },
      },
      { day: '2026-06-15', rows: 4, declined: 0, cents: { USD: -700 }, withheld: {} },
    ]);
    expect(html.match(/<svg/g)).toHaveLength(4);
    const table = html.slice(html.indexOf('<details'));
    const cells = [...table.matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]+>/g, ''));
    expect([cells.slice(0, 7), cells.slice(7)]).toEqual([
      ['2026-06-15', '4', '0.00', '-7.00', '0', '0.0 %', 'none'],
      [
        '2026-06-14',
        '1,000',
        '12,345.00',
        '5.00',
        '25',
        '2.5 %',
        '3 rows: 55.00, 2 amounts unreadable CAD; 1 row: 7.00 USD',
      ],
    ]);
    expect(table).toContain('href="/report?day=2026-06-14"');
  });

  it('says what will stand here while nothing has come back', () => {
    const html = draw([quiet]);
    expect(html).not.toContain('<svg');
    expect(html).toContain('When payments have come back');
  });

  it('names a day on which nothing but withheld rows came', () => {
    const html = draw([{ ...quiet, withheld: { USD: { rows: 2, cents: 0, unreadable: 2 } } }]);
    expect(html).toContain('2 rows: 2 amounts unreadable USD');
  });
});
