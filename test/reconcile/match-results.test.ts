import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnName, columnsOf, type LayoutName } from '../../schemas/layouts.ts';
import { readResultFile } from '../../src/csv/read/read-result-file.ts';
import type { SentRow } from '../../src/rows/rows.ts';
import { type Match, matchResults } from '../../src/reconcile/match-results.ts';
import {
  alterCell,
  changeCells,
  LAYOUT_NAMES,
  resultsOf,
  sentRow,
  shuffle,
  someBatch,
  VISA,
} from './support/result-rows.ts';

describe('matchResults in the order sent', () => {
  it.each(LAYOUT_NAMES)('pairs the rows of layout %s', (layout) => {
    const sent = [1, 2, 3].map((line) => sentRow(layout, { line, invoice: `INV-${line}`, amountCents: line * 100 }));
    const lines = [1, 2, 3].map((line) => [line, line]);
    expect(pairsOf(matchResults(layout, sent, resultsOf(layout, sent)))).toEqual({ lines, reordered: false });
  });

  it('matches nothing with nothing', () => {
    expect(matchResults('ach', [], [])).toEqual({ kind: 'matched', pairs: [], reordered: false });
  });

  it.each([
    ['as the sandbox masks', 'card', '2220', '4***********2220'],
    ['shortened', 'card', '5454', '5***5454'],
    ['behind an apostrophe', 'card', '2220', "'4***********2220"],
    ['not at all, in a row of wrong format', 'card', '2220', VISA],
    ['with spaces around', 'card', '2220', ' 4***********2220 '],
    ['long account', 'ach', '0001', '0*****0001'],
    ['short account', 'ach', '56', '1*3456'],
    ['short account hidden whole', 'ach', '34', '****'],
  ] as const)('knows a number masked %s', (_, layout, lastFour, shown) => {
    const column = layout === 'card' ? 'cardNumber' : 'accountNumber';
    const sent = [sentRow(layout, { lastFour })];
    expect(matchResults(layout, sent, resultsOf(layout, sent, { [column]: shown })).kind).toBe('matched');
  });

  it.each([
    ['spaces around the cells', { invoice: ' INV-1 ', amount: ' 25.00 ' }],
    ['an amount without places', { amount: '25' }],
    ['an amount with one place', { amount: '25.0' }],
    ['other free text', { comment: 'cut', firstName: '', lastName: '?' }],
    ['another account type', { accountType: 'CHECKINGS' }],
  ])('bears %s', (_, cells) => {
    const sent = [sentRow('ach', {})];
    expect(matchResults('ach', sent, resultsOf('ach', sent, cells)).kind).toBe('matched');
  });

  it('knows cells that come back in quotes', () => {
    const sent = [sentRow('ach', {}), sentRow('ach', { line: 2, invoice: 'INV-2' })];
    const lines = resultsOf('ach', sent).map(({ cells }) =>
      [...cells, 'Received'].map((cell) => `"${cell}"`).join(', '),
    );
    const results = readResultFile(Buffer.from(lines.join('\r\n')));
    expect(pairsOf(matchResults('ach', sent, results))).toEqual({
      lines: [
        [1, 1],
        [2, 2],
      ],
      reordered: false,
    });
  });

  it('pairs equal rows, which a person approved, by their position', () => {
    const sent = [1, 2, 3].map((line) => sentRow('ach-code', { line, invoice: line === 3 ? 'INV-3' : 'INV-1' }));
    const results = resultsOf('ach-code', sent);
    expect(pairsOf(matchResults('ach-code', sent, results))).toMatchObject({
      lines: [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    });
  });

  it('pairs rows of the same invoice and amount but other numbers by their position', () => {
    const sent = ['1111', '2220'].map((lastFour, index) => sentRow('card', { line: index + 1, lastFour }));
    expect(matchResults('card', sent, resultsOf('card', sent)).kind).toBe('matched');
  });
});

describe('matchResults in another order', () => {
  it('pairs by invoice, amount and payer, in the order sent', () => {
    const sent = [1, 2, 3].map((line) => sentRow('card', { line, invoice: `INV-${line}` }));
    expect(pairsOf(matchResults('card', sent, resultsOf('card', sent).toReversed()))).toEqual({
      lines: [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
      reordered: true,
    });
  });

  it.each<[string, Partial<SentRow>]>([
    ['invoice', { invoice: 'INV-2' }],
    ['amount', { amountCents: 2501 }],
    ['customer code', { customerCode: 'A2' }],
  ])('needs no more than another %s to tell two rows apart', (_, other) => {
    const sent = [sentRow('ach-code', { line: 1 }), sentRow('ach-code', { line: 2, ...other })];
    const match = matchResults('ach-code', sent, resultsOf('ach-code', sent).toReversed());
    expect(pairsOf(match)).toMatchObject({
      lines: [
        [1, 1],
        [2, 2],
      ],
      reordered: true,
    });
  });

  it('does not guess when two rows are equal but for four digits of the number', () => {
    const sent = ['1111', '2220'].map((lastFour, index) => sentRow('card', { line: index + 1, lastFour }));
    expect(matchResults('card', sent, resultsOf('card', sent).toReversed()).kind).toBe('mismatch');
  });

  it('does not guess when equal rows stand among others that have moved', () => {
    const sent = ['A', 'A', 'B', 'C'].map((invoice, index) => sentRow('ach', { line: index + 1, invoice }));
    const [first, second, third, fourth] = resultsOf('ach', sent);
    const match = matchResults('ach', sent, [first!, second!, fourth!, third!]);
    expect(match).toMatchObject({ kind: 'mismatch', differences: [{ position: 3 }, { position: 4 }] });
  });

  it('does not take the right invoice with another number', () => {
    const sent = [1, 2].map((line) => sentRow('card', { line, invoice: `INV-${line}`, lastFour: `000${line}` }));
    const [first, second] = resultsOf('card', sent);
    const foreign = { ...first!, cells: changeCells('card', first!.cells, { cardNumber: '4***********9999' }) };
    expect(matchResults('card', sent, [second!, foreign]).kind).toBe('mismatch');
  });

  it('finds the same pairs again behind any permutation of rows that differ', () => {
    fc.assert(
      fc.property(someBatch(), fc.infiniteStream(fc.nat()), ({ layout, sent }, numbers) => {
        const results = resultsOf(layout, sent);
        const shuffled = shuffle(results, numbers);
        const match = matchResults(layout, sent, shuffled);
        const moved = shuffled.some((result, index) => result !== results[index]);
        expect(match).toEqual({
          kind: 'matched',
          pairs: sent.map((row, index) => ({ sent: row, result: results[index] })),
          reordered: moved,
        });
      }),
    );
  });
});

describe('matchResults against a result that does not fit', () => {
  const SENT = [1, 2, 3].map((line) =>
    sentRow('ach', { line: line + 1, invoice: `INV-${line}`, amountCents: 100 * line }),
  );
  const RESULTS = resultsOf('ach', SENT);

  it('names a missing row at the end', () => {
    expect(matchResults('ach', SENT, RESULTS.slice(0, 2))).toEqual({
      kind: 'mismatch',
      reason: '2 result rows for 3 sent rows, 1 of them differs',
      differences: [{ position: 3, line: 4, sent: 'invoice INV-3, 3.00, number ending 0001', result: 'nothing' }],
    });
  });

  it('names a missing row in the middle, and not the rows that follow it', () => {
    expect(matchResults('ach', SENT, [RESULTS[0]!, RESULTS[2]!])).toMatchObject({
      kind: 'mismatch',
      reason: '2 result rows for 3 sent rows, 1 of them differs',
      differences: [{ position: 2, line: 3, sent: 'invoice INV-2, 2.00, number ending 0001', result: 'nothing' }],
    });
  });

  it('names an extra row', () => {
    expect(matchResults('ach', SENT, [...RESULTS, RESULTS[0]!])).toEqual({
      kind: 'mismatch',
      reason: '4 result rows for 3 sent rows, 1 of them differs',
      differences: [{ position: 4, line: null, sent: 'nothing', result: 'invoice INV-1, 1.00, number ending 0001' }],
    });
  });

  it('names an empty result', () => {
    expect(matchResults('ach', SENT, [])).toMatchObject({
      reason: '0 result rows for 3 sent rows, 3 of them differ',
      differences: [{ result: 'nothing' }, { result: 'nothing' }, { result: 'nothing' }],
    });
  });

  it('does not take one row twice for two', () => {
    expect(matchResults('ach', SENT, [RESULTS[0]!, RESULTS[0]!, RESULTS[2]!])).toMatchObject({
      reason: '3 result rows for 3 sent rows, 1 of them differs',
      differences: [{ position: 2, sent: 'invoice INV-2, 2.00, number ending 0001' }],
    });
  });

  it.each<[string, Partial<Record<ColumnName, string>>, string]>([
    ['invoice', { invoice: 'INV-9' }, 'invoice INV-9, 1.00, number ending 0001'],
    ['case of the invoice', { invoice: 'inv-1' }, 'invoice inv-1, 1.00, number ending 0001'],
    ['no invoice', { invoice: '' }, 'invoice , 1.00, number ending 0001'],
    ['amount', { amount: '1.01' }, 'invoice INV-1, 1.01, number ending 0001'],
    ['sign', { amount: '-1.00' }, 'invoice INV-1, -1.00, number ending 0001'],
    ['amount that is none', { amount: '1,00' }, '7 cells that are not of this layout'],
    ['number', { accountNumber: '0***0002' }, 'invoice INV-1, 1.00, number ending 0002'],
    ['number hidden whole', { accountNumber: '********' }, 'invoice INV-1, 1.00, number ending ****'],
    ['no number', { accountNumber: '' }, 'invoice INV-1, 1.00, number ending '],
  ])('names another %s', (_, cells, result) => {
    const [first, ...others] = RESULTS;
    const altered = { ...first!, cells: changeCells('ach', first!.cells, cells) };
    expect(matchResults('ach', SENT, [altered, ...others])).toEqual({
      kind: 'mismatch',
      reason: '3 result rows for 3 sent rows, 1 of them differs',
      differences: [{ position: 1, line: 2, sent: 'invoice INV-1, 1.00, number ending 0001', result }],
    });
  });

  it('names another customer code', () => {
    const sent = [sentRow('ach-code', {})];
    const match = matchResults('ach-code', sent, resultsOf('ach-code', sent, { customerCode: 'B1' }));
    expect(match).toMatchObject({
      differences: [{ sent: 'invoice INV-1, 25.00, code A10000001', result: 'invoice INV-1, 25.00, code B1' }],
    });
  });

  it.each([0, 1, 6, 8, 12])('does not take a row of %d cells for one of seven', (count) => {
    const [first, ...others] = RESULTS;
    const altered = { ...first!, cells: Array.from({ length: count }, (_, index) => first!.cells[index] ?? '') };
    expect(matchResults('ach', SENT, [altered, ...others])).toMatchObject({
      differences: [
        { position: 1, result: `${count} ${count === 1 ? 'cell that is' : 'cells that are'} not of this layout` },
      ],
    });
  });

  it.each([
    ['ach', 'card-ca'],
    ['card-ca', 'ach'],
    ['ach-code', 'ach'],
  ] as const)('does not take rows of %s for rows of %s', (layout, other) => {
    const sent = [sentRow(layout, {})];
    expect(matchResults(layout, sent, resultsOf(other, [sentRow(other, {})])).kind).toBe('mismatch');
  });

  it('does not match a row of which the ledger kept no end of the number', () => {
    const sent = [sentRow('ach', { lastFour: '' })];
    expect(matchResults('ach', sent, resultsOf('ach', sent, { accountNumber: '****' })).kind).toBe('mismatch');
    expect(matchResults('ach', sent, resultsOf('ach', sent, { accountNumber: '0***0001' })).kind).toBe('mismatch');
  });

  it('shows the first twenty differences and counts all', () => {
    const sent = Array.from({ length: 30 }, (_, index) => sentRow('ach', { line: index + 2, invoice: `INV-${index}` }));
    const match = matchResults('ach', sent, resultsOf('ach', sent, { invoice: 'other' }));
    expect(match).toMatchObject({ reason: '30 result rows for 30 sent rows, 30 of them differ' });
    expect(match.kind === 'mismatch' && match.differences.map(({ position }) => position)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  });

  it.each<[LayoutName, Partial<Record<ColumnName, string>>, string]>([
    ['card', { invoice: VISA }, VISA],
    ['card', { invoice: 'other', cardNumber: VISA }, VISA],
    ['card-code', { customerCode: VISA }, VISA],
    ['ach', { invoice: 'other', accountNumber: '1234' }, '1234'],
    ['ach', { invoice: 'other', accountNumber: '123456' }, '3456'],
    ['ach', { invoice: '02100002100000000000000001' }, '0210000210'],
  ])('shows no whole number of a foreign row of %s with %j', (layout, cells, hidden) => {
    const sent = [sentRow(layout, { lastFour: layout === 'card-code' ? '' : '0001' })];
    const match = matchResults(layout, sent, resultsOf(layout, sent, cells));
    expect(match.kind).toBe('mismatch');
    expect(JSON.stringify(match)).not.toContain(hidden);
  });

  it('is any result in which a single invoice, amount, number or code was altered, in any order', () => {
    const alterations: ColumnName[] = ['invoice', 'amount', 'cardNumber', 'accountNumber', 'customerCode'];
    fc.assert(
      fc.property(
        someBatch(),
        fc.nat(),
        fc.constantFrom(...alterations),
        fc.infiniteStream(fc.nat()),
        fc.boolean(),
        ({ layout, sent }, pick, column, numbers, moves) => {
          fc.pre(sent.length > 0 && columnsOf(layout).includes(column));
          const results = resultsOf(layout, sent);
          const at = pick % results.length;
          const altered = results.with(at, alterCell(layout, results[at]!, column));
          expect(matchResults(layout, sent, moves ? shuffle(altered, numbers) : altered).kind).toBe('mismatch');
        },
      ),
    );
  });
});

function pairsOf(match: Match): { lines: [number, number][]; reordered: boolean } | undefined {
  if (match.kind === 'mismatch') return undefined;
  return {
    lines: match.pairs.map(({ sent, result }) => [sent.line, result.position]),
    reordered: match.reordered,
  };
}
