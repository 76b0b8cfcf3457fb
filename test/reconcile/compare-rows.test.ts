import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { alignRows, compareRows, identityReader, isSameRow } from '../../src/reconcile/compare-rows.ts';
import { changeCells, LAYOUT_NAMES, resultsOf, sentRow, VISA } from './support/result-rows.ts';
import { balanceDay, isBalanced } from '../../src/reconcile/balance-day.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';
import { sayAmount, sayStaysBack, sayWithheld } from '../../src/reconcile/say-withheld.ts';

const SENT = [1, 2, 3].map((n) => sentRow('card', { line: n + 1, invoice: `C-${n}`, amountCents: n * 100 }));
const RESULTS = resultsOf('card', SENT);

describe('compareRows', () => {
  it('lays each sent row beside its result', () => {
    expect(compareRows('card', SENT, RESULTS)).toEqual(
      SENT.map((row, index) => {
        const side = { invoice: row.invoice, total: `${index + 1}.00`, payer: 'number ending 2220' };
        const result = { ...side, message: 'Received' };
        return { position: index + 1, line: row.line, isSame: true, sent: side, result };
      }),
    );
  });

  it('shows a missing row as one gap, and an extra one as another', () => {
    const [first, , third] = RESULTS;
    expect(compareRows('card', SENT, [first!, third!]).filter((row) => !row.isSame)).toMatchObject([
      { position: 2, line: 3, sent: { invoice: 'C-2' }, result: undefined },
    ]);
    const extra = { ...first!, cells: changeCells('card', first!.cells, { invoice: 'C-9' }) };
    expect(compareRows('card', SENT, [...RESULTS, extra]).filter((row) => !row.isSame)).toMatchObject([
      { position: 4, line: undefined, sent: undefined, result: { invoice: 'C-9' } },
    ]);
  });

  it('only counts cells that are not of the layout', () => {
    const [row] = compareRows('card', SENT.slice(0, 1), [{ position: 1, cells: ['a', VISA], message: `no ${VISA}` }]);
    expect(row!.result).toEqual({ cells: 2, message: 'no ************2220' });
  });

  it.each([{ invoice: VISA }, { cardNumber: VISA, invoice: 'other' }, { amount: '9.00', invoice: `x${VISA}` }])(
    'shows no whole number that came back: %j',
    (cells) => {
      const [first] = RESULTS;
      const altered = { ...first!, cells: changeCells('card', first!.cells, cells) };
      expect(JSON.stringify(compareRows('card', SENT.slice(0, 1), [altered]))).not.toContain(VISA);
    },
  );

  it('says the code of a payer that has one', () => {
    const sent = [sentRow('card-code', {})];
    const [row] = compareRows('card-code', sent, resultsOf('card-code', sent, { customerCode: 'B1' }));
    expect([row!.sent?.payer, row!.result && 'payer' in row!.result && row!.result.payer]).toEqual([
      'code A10000001',
      'code B1',
    ]);
  });
});

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

describe('identityReader', () => {
  it.each(LAYOUT_NAMES)('reads what names a row of layout %s, which is then the row that was sent', (layout) => {
    const sent = sentRow(layout, {});
    const [result] = resultsOf(layout, [sent]);
    const identity = identityReader(layout)(result!);
    expect(identity).toMatchObject({ invoice: 'INV-1', cents: 2500, customerCode: sent.customerCode });
    expect(isSameRow(sent, identity)).toBe(true);
  });

  it.each([
    ['an amount that is none', { amount: '25,00' }],
    ['an amount that is too large', { amount: '90000000000.00' }],
  ])('reads nothing of %s', (_what, cells) => {
    const [result] = resultsOf('ach', [sentRow('ach', {})]);
    const altered = { ...result!, cells: changeCells('ach', result!.cells, cells) };
    expect(identityReader('ach')(altered)).toBeUndefined();
    expect(identityReader('ach')({ ...result!, cells: result!.cells.slice(1) })).toBeUndefined();
  });
});

describe('isSameRow', () => {
  const sent = sentRow('ach', {});
  const right = { invoice: 'INV-1', customerCode: '', cents: 2500, number: '0***0001' };

  it.each([
    [right, true],
    [{ ...right, invoice: 'INV-2' }, false],
    [{ ...right, cents: 2501 }, false],
    [{ ...right, customerCode: 'A1' }, false],
    [{ ...right, number: '0***0002' }, false],
    [{ ...right, number: '' }, false],
    [undefined, false],
  ])('of %j is %s', (identity, isSame) => {
    expect(isSameRow(sent, identity)).toBe(isSame);
  });
});

const DAY = {
  broughtForward: { rows: 5, cents: 500 },
  accepted: { rows: 10, cents: 1_000 },
  final: { approved: { rows: 8, cents: 850 }, not_sent: { rows: 3, cents: 150 } },
  open: { rows: 4, cents: 500 },
};

describe('balanceDay', () => {
  it('is nothing when the day is whole', () => {
    expect(balanceDay(DAY)).toEqual({ rows: 0, cents: 0 });
    expect(balanceDay({ ...DAY, final: {}, open: { rows: 15, cents: 1_500 } })).toEqual({ rows: 0, cents: 0 });
  });

  it.each([
    [{ open: { rows: 3, cents: 500 } }, { rows: 1, cents: 0 }],
    [{ open: { rows: 4, cents: 501 } }, { rows: 0, cents: -1 }],
    [{ broughtForward: { rows: 6, cents: 600 } }, { rows: 1, cents: 100 }],
    [{ accepted: { rows: 9, cents: 1_000 } }, { rows: -1, cents: 0 }],
    [{ final: { approved: { rows: 11, cents: 999 } } }, { rows: 0, cents: 1 }],
  ])('says what is missing or too much: %j', (change, difference) => {
    expect(balanceDay({ ...DAY, ...change })).toEqual(difference);
  });
});

describe('isBalanced', () => {
  it('is so without any difference, in rows or in cents', () => {
    expect(isBalanced(DAY)).toBe(true);
    expect(isBalanced({ ...DAY, open: { rows: 4, cents: 501 } })).toBe(false);
    expect(isBalanced({ ...DAY, open: { rows: 3, cents: 500 } })).toBe(false);
  });
});

describe('keptMessage', () => {
  it.each([
    [' OK: 678594:\n', 'OK: 678594:'],
    ['Invalid card 4222222222222220', 'Invalid card ************2220'],
    ['line\u0000 and\u0007 bell', 'line  and  bell'],
    ['two\r\nlines', 'two  lines'],
    ['a\u2028b\u2029c\ufffdd', 'a b c d'],
    ['half \ud83d a face', 'half   a face'],
    ['x'.repeat(1_000), 'x'.repeat(200)],
    [`${'x'.repeat(199)}\u{1f600}`, 'x'.repeat(199)],
    [`${'x'.repeat(199)} y`, 'x'.repeat(199)],
  ])('keeps of %j what may be kept', (message, kept) => {
    expect(keptMessage(message)).toBe(kept);
  });

  it('changes nothing when it is done again, and is never longer than 200 characters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0x10ffff), { maxLength: 300 }).map((points) => String.fromCodePoint(...points)),
        (message) => {
          const kept = keptMessage(message);
          expect(keptMessage(kept)).toBe(kept);
          expect(kept.length).toBeLessThanOrEqual(200);
          expect(kept).not.toMatch(/[\p{Cc}\p{Surrogate}\u2028\u2029\ufffd]/u);
        },
      ),
    );
  });
});

it.each([
  [{ rows: 0, cents: 0, unreadable: 0 }, ''],
  [{ rows: 1, cents: 2_500, unreadable: 0 }, '1 row was withheld and not paid: 25.00'],
  [{ rows: 1, cents: 0, unreadable: 1 }, '1 row was withheld and not paid: 1 amount unreadable'],
  [{ rows: 3, cents: -7_500, unreadable: 2 }, '3 rows were withheld and not paid: -75.00, 2 amounts unreadable'],
])('sayWithheld says of %j that %j', (withheld, said) => {
  expect(sayWithheld(withheld)).toBe(said);
});

it('sayAmount says no sum of nothing', () => {
  expect(sayAmount({ rows: 2, cents: 0, unreadable: 2 })).toBe('2 amounts unreadable');
  expect(sayAmount({ rows: 2, cents: 100, unreadable: 0 })).toBe('1.00');
});

it('sayStaysBack says what an approval leaves out', () => {
  expect(sayStaysBack({ rows: 1, cents: 2_500, unreadable: 0 })).toBe(
    '1 invalid row stays back and is not paid if the file is approved: 25.00',
  );
  expect(sayStaysBack({ rows: 3, cents: 7_500, unreadable: 2 })).toBe(
    '3 invalid rows stay back and are not paid if the file is approved: 75.00, 2 amounts unreadable',
  );
});
