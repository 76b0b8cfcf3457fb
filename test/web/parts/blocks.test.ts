import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { Facts, Notice, Pager, Section, Table } from '../../../src/web/parts/blocks.tsx';

const text = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('Table', () => {
  const columns = [
    { title: 'Name', cell: (row: { name: string; rows: number }) => row.name },
    { title: 'Rows', cell: (row: { name: string; rows: number }) => row.rows, isFigure: true },
  ];

  it('can be read by columns, and moved by keyboard', () => {
    const html = renderToString(Table({ label: 'Files', columns, rows: [{ name: '<b>', rows: 3 }], empty: '' }));
    expect(html).toContain('role="group" aria-label="Files" tabindex="0"');
    expect(html).toContain('<th scope="col" class="figure">Rows</th>');
    expect(html).toContain('<td>&lt;b></td><td class="figure">3</td>');
  });

  it('says what would stand there when it is empty', () => {
    const html = renderToString(Table({ label: 'Files', columns, rows: [], empty: 'No file has come yet.' }));
    expect(html).toBe('<p class="empty">No file has come yet.</p>');
  });
});

describe('Facts', () => {
  it('leaves out what there is nothing to say of', () => {
    const html = renderToString(
      Facts({
        facts: [
          ['Rows', 0],
          ['Reason', ''],
          ['Ended', null],
          ['State', 'held'],
        ],
      }),
    );
    expect(text(html)).toBe('Rows 0 State held');
  });
});

describe('Notice', () => {
  it('interrupts a listener only when it is bad', () => {
    expect(renderToString(Notice({ kind: 'bad', title: 'x' }))).toContain('role="alert"');
    expect(renderToString(Notice({ kind: 'good', title: 'x' }))).toContain('role="status"');
  });
});

describe('Section', () => {
  it('is named by its title, and its live part by itself', () => {
    const html = renderToString(Section({ title: 'Control totals', live: 'totals' }));
    expect(html).toContain('aria-labelledby="s-control-totals"');
    expect(html).toContain('<h2 id="s-control-totals">');
    expect(html).toContain('data-part="totals"');
  });
});

describe('Pager', () => {
  it('has no link at either end', () => {
    expect(renderToString(Pager({ says: '1 to 3', next: '/x?after=3' })).match(/<a /g)).toHaveLength(1);
    expect(renderToString(Pager({ says: '4 to 6', previous: '/x', next: '/x?after=6' })).match(/<a /g)).toHaveLength(2);
  });
});
