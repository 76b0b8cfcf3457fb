import { describe, expect, it } from 'vitest';
import { replaced, same, xeroRow } from '../support/file-cases.ts';
import { judgeChanged } from '../support/read-example.ts';

const QUICKBOOKS = 'quickbooks-dues';
const XERO = 'xero-invoices';
const SAGE = 'sage-eft';

describe('every line of a file', () => {
  it('is counted in one kind', async () => {
    const { findings, lines } = await judgeChanged(QUICKBOOKS, same);
    expect(findings.lines).toEqual({
      above: 4,
      titles: 1,
      payment: 2,
      skipped: 1,
      total: 1,
      blank: 1,
      tail: 1,
      continued: 0,
      unread: 0,
    });
    expect(lines.map(({ kind }) => kind).join(' ')).toBe(
      'above above above above titles payment payment skipped total blank tail',
    );
    expect(findings.skipped).toEqual([{ name: 'Transaction Type: Payment', rows: 1, cents: -6_000 }]);
  });

  it('keeps the cells of the sender, and none of a file that holds security codes', async () => {
    const read = await judgeChanged(QUICKBOOKS, same);
    expect(read.lines[5]!.cells[3]).toBe('Byron, Ada');
    const codes = await judgeChanged(QUICKBOOKS, replaced(['Memo/Description', 'CVV']));
    expect(codes.lines.flatMap(({ cells }) => cells)).toEqual([]);
  });

  it('adds up in cents, where floating point would be off', async () => {
    const rows = Array.from({ length: 500 }, (_, row) => xeroRow(`S-${row}`, '0.30', row % 2 === 0 ? '0.10' : '0.20'));
    const judged = await judgeChanged(XERO, (text) => text + rows.join(''));
    expect(judged.codes).toEqual(['PROFILE_SKIPPED']);
  });

  it('masks a cell in its fault', async () => {
    const judged = await judgeChanged(SAGE, replaced(['1234567,Dues', '1234567X,Dues']));
    const [fault] = judged.faults.filter(({ code }) => code === 'DIGIT_COUNT');
    expect(fault).toMatchObject({ line: 2, column: 'accountNumber' });
    expect(fault!.detail).toMatch(/^"Bank Account"/);
    expect(JSON.stringify(judged.faults)).not.toMatch(/\d{5}/);
  });
});
