import { wordsOf, draw } from '../support/page-words.ts';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import {
  Facts,
  Notice,
  Section,
  Table,
  splitPage,
  StepPager,
  CardNotice,
  isCardNumber,
} from '../../../src/web/parts/blocks.tsx';
import { ChoiceField, LongTextField, TextField } from '../../../src/web/parts/form.tsx';
import { addressOf } from '../../../src/web/parts/address.ts';

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

  it('sorts by headings that say how, and only by those that can', () => {
    const sorting = { by: 'name', isDescending: true, hrefOf: (sort: string) => `/x?sort=${sort}` };
    const sorted = [{ ...columns[0]!, sort: 'name' }, columns[1]!];
    const html = renderToString(
      Table({ label: 'Files', columns: sorted, rows: [{ name: 'a', rows: 3 }], empty: '', sorting }),
    );
    expect(html).toContain('<th scope="col" aria-sort="descending"><a href="/x?sort=name">Name</a></th>');
    expect(html).toContain('<th scope="col" class="figure">Rows</th>');
  });

  it('names the place and the heading of each cell for a phone, and keeps their roles there', () => {
    const [name, rows] = columns;
    const placed = [{ ...name!, place: 'name' as const }, rows!];
    const html = renderToString(
      Table({ label: 'Files', columns: placed, rows: [{ name: 'a.csv', rows: 3 }], empty: '' }),
    );
    expect(html).toContain('<table class="lines" role="table">');
    expect(html).toContain('<td class="name" role="cell">a.csv</td>');
    expect(html).toContain('<td class="figure" role="cell" data-label="Rows">3</td>');
  });

  it('says what would stand there when it is empty', () => {
    const html = renderToString(Table({ label: 'Files', columns, rows: [], empty: 'No file has arrived yet.' }));
    expect(html).toBe('<p class="empty">No file has arrived yet.</p>');
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
    expect(wordsOf(html)).toBe('Rows 0 State held');
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

describe('splitPage', () => {
  it.each([
    [[], [], undefined],
    [[1, 2], [1, 2], undefined],
    [[1, 2, 3], [1, 2], 3],
  ])('of %j', (rows, page, more) => {
    expect(splitPage<number>(rows, 2)).toEqual({ page, more });
  });
});

describe('StepPager', () => {
  const links = (props: { first?: string; next?: string }) =>
    [...draw(StepPager, { ...props, says: 'Lines' }).matchAll(/href="([^"]+)"/g)].map(([, href]) => href);

  it('leads on and back to the start, and is not there when one page holds all', () => {
    expect(links({ first: '/a', next: '/b' })).toEqual(['/a', '/b']);
    expect(links({ next: '/b' })).toEqual(['/b']);
    expect(draw(StepPager, { says: 'Lines' })).toBe('');
  });
});

describe('isCardNumber', () => {
  it.each([
    ['4222222222222220', true],
    ['4222 2222 2222 2220', true],
    ['4222-2222-2222-2220', true],
    ['4222.2222.2222.2220', true],
    ['paid with 4222222222222220 in June', true],
    ['900000000001', true],
    ['900000000009', false],
    ['4222222222222221', false],
    ['INV-77', false],
    ['20260615', false],
    ['', false],
  ])('of %j is %s', (words, expected) => {
    expect(isCardNumber(words)).toBe(expected);
  });
});

describe('CardNotice', () => {
  it('says what to look for instead', () => {
    expect(draw(CardNotice, {})).toContain('Card numbers cannot be searched; use the invoice');
  });
});

describe('TextField', () => {
  it('ties its label, its hint and what was wrong to the field', () => {
    const html = renderToString(
      TextField({
        name: 'name',
        label: 'Name',
        hint: 'small letters',
        fault: 'too long',
        value: '"x"',
        isRequired: true,
      }),
    );
    expect(html).toContain('<label for="f-name">Name</label>');
    expect(html).toContain('id="h-name"');
    expect(html).toContain('id="e-name"');
    expect(html).toContain('aria-describedby="h-name e-name"');
    expect(html).toContain('aria-invalid="true"');
    expect(html).toContain('value="&quot;x&quot;"');
    expect(html).toContain(' required');
  });

  it('says nothing of faults that there are not', () => {
    const html = renderToString(TextField({ name: 'name', label: 'Name' }));
    expect(html).not.toMatch(/aria-describedby|aria-invalid|required/);
  });
});

describe('LongTextField', () => {
  it('keeps what was written, escaped', () => {
    expect(renderToString(LongTextField({ name: 'why', label: 'Why', value: '</textarea><b>' }))).toContain(
      '>&lt;/textarea>&lt;b></textarea>',
    );
  });
});

describe('ChoiceField', () => {
  it('has chosen what was chosen', () => {
    const choices = [
      { value: 'a', label: 'A' },
      { value: 'b', label: 'B' },
    ];
    const html = renderToString(ChoiceField({ name: 'x', label: 'X', choices, value: 'b' }));
    expect(html).toContain('<option value="a">A</option><option value="b" selected>B</option>');
  });
});

it.each([
  [{}, '/files'],
  [{ state: '', account: undefined }, '/files'],
  [{ state: 'held', before: 7 }, '/files?state=held&before=7'],
  [{ name: 'a&b=c d' }, '/files?name=a%26b%3Dc+d'],
])('addressOf leaves out what is empty and writes the rest so that it reads the same: %j', (query, address) => {
  expect(addressOf('/files', query)).toBe(address);
  const filled = Object.entries(query).filter(([, value]) => value);
  const read = [...new URL(address, 'http://dashboard').searchParams];
  expect(read).toEqual(filled.map(([name, value]) => [name, String(value)]));
});
