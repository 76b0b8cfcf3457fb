import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { FileFigures } from '../../../../src/ledger/file/file-figures.ts';
import { openTotals, OutcomePart, presentTotals } from '../../../../src/web/pages/files/file-head.tsx';

const FIGURES: FileFigures = {
  states: {
    reconciled: { batches: 1, rows: 3, cents: 600 },
    cancelled: { batches: 1, rows: 2, cents: 400 },
    unknown: { batches: 1, rows: 5, cents: 1_000 },
    ready: { batches: 1, rows: 1, cents: 100 },
  },
  first: { approved: { rows: 3, cents: 600 } },
  now: { approved: { rows: 2, cents: 400 }, declined: { rows: 1, cents: 200 } },
  withheld: { rows: 4, cents: 50 },
};
const NONE: FileFigures = { states: {}, first: {}, now: {}, withheld: { rows: 0, cents: 0 } };

describe('presentTotals and openTotals', () => {
  it('never take rows of a batch that has not ended for rows that were not sent', () => {
    expect(presentTotals(FIGURES)).toEqual({
      ...FIGURES.now,
      not_sent: { rows: 2, cents: 400 },
      invalid: { rows: 4, cents: 50 },
    });
    expect(openTotals(FIGURES)).toEqual({ waiting: { rows: 1, cents: 100 }, underWay: { rows: 5, cents: 1_000 } });
    expect(presentTotals(NONE)).toEqual({});
  });
});

describe('OutcomePart', () => {
  it('leads from each outcome to its rows', () => {
    const html = renderToString(h(OutcomePart, { fileId: 'abc', figures: FIGURES, currency: 'USD' }));
    const links = [...html.matchAll(/href="([^"]+)">([\d,]+)</g)].map(([, href, rows]) => [href, rows]);
    expect(links).toEqual([
      ['/files/abc/rows?outcome=approved', '2'],
      ['/files/abc/rows?outcome=declined', '1'],
      ['/files/abc/rows?outcome=not_sent', '2'],
      ['/files/abc/rows?outcome=invalid', '4'],
      ['/files/abc/rows?outcome=open', '1'],
      ['/files/abc/rows?outcome=open', '5'],
    ]);
    expect(html).toContain('its money may have moved');
  });

  it('says what would stand here', () => {
    const html = renderToString(h(OutcomePart, { fileId: 'abc', figures: NONE, currency: undefined }));
    expect(html).toContain('The outcome of each row stands here');
  });
});
