import { describe, expect, it } from 'vitest';
import { exactTotals, recordChecker } from '../../../src/csv/check/check-records.ts';
import type { CheckRules } from '../../../src/csv/check/check-rules.ts';
import { faultTally } from '../../../src/csv/check/fault-effect.ts';
import { CARD_HEADER, cardLine, cardLines, rulesWith } from '../support.ts';

function open(rules: CheckRules = rulesWith()) {
  const tally = faultTally(rules.folder);
  return { tally, ...recordChecker(rules, tally) };
}

function recordsOf(lines: string[], firstLine = 1) {
  return lines.map((line, index) => ({ line: firstLine + index, cells: line.split(',') }));
}

describe('recordChecker', () => {
  it('finds header and layout in the first group and keeps them for the others', () => {
    const { checkGroup, close } = open();
    expect(checkGroup(recordsOf([CARD_HEADER, ...cardLines(2)]))).toHaveLength(2);
    expect(checkGroup(recordsOf([cardLine({ invoice: 'N-3' })], 4))).toMatchObject([{ payment: { line: 4 } }]);
    expect(close()).toEqual({
      layout: 'card',
      headerLine: 1,
      faults: [],
      records: 3,
      valid: { rows: 3, cents: 7_500 },
      declaredCents: 7_500,
    });
  });

  it('takes the layout of a later group when the first names none', () => {
    const { checkGroup, close } = open();
    expect(checkGroup(recordsOf(['a,b']))[0]?.faults).toMatchObject([{ code: 'COLUMN_COUNT' }]);
    expect(checkGroup(recordsOf(cardLines(1), 2))[0]?.payment).toBeDefined();
    expect(close()).toMatchObject({ layout: 'card', records: 2, valid: { rows: 1 } });
  });

  it('takes a header for a header only at the top', () => {
    const { checkGroup, close } = open();
    const [, row] = checkGroup(recordsOf([cardLine(), CARD_HEADER]));
    expect(row?.faults.map((fault) => fault.code)).toContain('AMOUNT_FORMAT');
    expect(row?.payment).toBeUndefined();
    expect(close()).toMatchObject({ headerLine: null, records: 2, valid: { rows: 1 } });
  });

  it('hands on no cell of a row that seems to hold a security code', () => {
    const { checkGroup } = open();
    const rows = checkGroup(recordsOf([`${cardLine()},987`]));
    expect(rows).toMatchObject([{ raw: { line: 1, cells: [] }, faults: [{ code: 'SECURITY_CODE', line: 1 }] }]);
    expect(JSON.stringify(rows)).not.toContain('987');
  });

  it('hands on no row at all when the header names a security code', () => {
    const { checkGroup, close, tally } = open();
    const header = CARD_HEADER.replace('State', 'CVV');
    expect(checkGroup(recordsOf([header, cardLine({ state: '987' })]))).toEqual([]);
    expect(checkGroup(recordsOf([cardLine({ state: '987' })], 3))).toEqual([]);
    expect(close()).toMatchObject({ records: 2, valid: { rows: 0 }, faults: [{ code: 'SECURITY_CODE', line: 1 }] });
    expect(tally.has('reject')).toBe(true);
  });

  it('lists the first thousand broken rows and counts all', () => {
    const { checkGroup, close, tally } = open();
    const rows = checkGroup(recordsOf([...cardLines(1), ...Array<string>(1_200).fill('a,b'), ...cardLines(1)]));
    expect(rows).toHaveLength(1_002);
    expect(tally.counts().COLUMN_COUNT).toBe(1_200);
    expect(close().records).toBe(1_202);
  });

  it('takes no row that would make the total inexact', () => {
    const rules = rulesWith();
    const tally = faultTally(rules.folder);
    const { checkGroup, close } = recordChecker(rules, tally, { largestTotalCents: 7_499 });
    const rows = checkGroup(recordsOf(cardLines(3)));
    expect(rows.map((row) => row.payment?.amountCents)).toEqual([2_500, 2_500, undefined]);
    expect(rows[2]?.amountCents).toBe(2_500);
    expect(rows[2]?.faults).toMatchObject([{ code: 'AMOUNT_LIMIT', line: 3 }]);
    expect(close()).toMatchObject({ records: 3, valid: { rows: 2, cents: 5_000 } });
    expect(tally.counts()).toEqual({ AMOUNT_LIMIT: 1 });
  });
});

describe('exactTotals', () => {
  it('adds up charges and refunds', () => {
    const totals = exactTotals(1_000);
    expect([500, -200, 700].map(totals.add)).toEqual([true, true, true]);
    expect(totals.sum()).toEqual({ rows: 3, cents: 1_000 });
  });

  it.each([1, -1])('takes no amount that carries the sum beyond its limit, sign %i', (sign) => {
    const totals = exactTotals(1_000);
    expect([1_000, 1, -5, 6, 5].map((cents) => totals.add(sign * cents))).toEqual([true, false, true, false, true]);
    expect(totals.sum()).toEqual({ rows: 3, cents: sign * 1_000 });
  });
});
