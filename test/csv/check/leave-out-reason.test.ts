import { describe, expect, it } from 'vitest';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { hasReasonColumn, leaveOutReason } from '../../../src/csv/check/leave-out-reason.ts';
import { readRawRows } from '../../../src/csv/read/read-raw-lines.ts';
import { ACCOUNT, CARD_HEADER, cardLine, checkAll, chunksOf } from '../support.ts';

const CODE_HEADER = 'Invoice #,Customer Code,Amount,Comment';
const ACH_HEADER = 'Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment';

function rowOf(text: string, line = 1) {
  return { line, cells: text.split(',') };
}

describe('hasReasonColumn', () => {
  it.each<[string, FolderOperation, boolean]>([
    [`${CARD_HEADER},Reason`, 'card', true],
    [`${CODE_HEADER},Reason`, 'card', true],
    [`${CODE_HEADER}, REASON `, 'ach-refund', true],
    [`${ACH_HEADER},Reason`, 'ach-charge', true],
    [CARD_HEADER, 'card', false],
    [CODE_HEADER.replace('Comment', 'Reason'), 'card', false],
    [`${CODE_HEADER},Reasons`, 'card', false],
    [`Reason,${CODE_HEADER}`, 'card', false],
    [`${CODE_HEADER},Reason,Reason`, 'card', false],
    [`${CARD_HEADER},Reason`, 'ach-charge', false],
  ])('%s for %s: %s', (header, operation, expected) => {
    expect(hasReasonColumn(operation, rowOf(header))).toBe(expected);
  });
});

describe('leaveOutReason', () => {
  it('takes the last column from every row, whatever its width', () => {
    const rows = [rowOf('K-1,A1,25.00,June,AMOUNT_ZERO', 2), rowOf('K-2,A1,25.00,because', 3), rowOf('K-3', 4)];
    expect(leaveOutReason('card', rowOf(`${CODE_HEADER},Reason`), rows)).toEqual([
      rowOf('K-1,A1,25.00,June', 2),
      rowOf('K-2,A1,25.00', 3),
      { line: 4, cells: [] },
    ]);
  });

  it.each([
    ['no header', undefined],
    ['a header without it', rowOf(CODE_HEADER)],
  ])('gives back the very same rows with %s', (_, header) => {
    const rows = [rowOf('K-1,A1,25.00,June,because', 2)];
    expect(leaveOutReason('card', header, rows)).toBe(rows);
  });

  it('keeps a security code that stands in the place of the reason, so that it is found', () => {
    const row = rowOf(`${cardLine()},987`, 2);
    expect(leaveOutReason('card', rowOf(`${CARD_HEADER},Reason`), [row])).toEqual([row]);
  });
});

describe('a rejects file that comes back', () => {
  const HEADER = `${CARD_HEADER},Reason`;
  const REASON = '"AMOUNT_ZERO: the amount is zero, or so"';

  it('is checked and read again without its reasons', async () => {
    // More rows than one group holds, so the header and most rows come in different groups.
    const rows = Array.from({ length: 1_100 }, (_, n) => `${cardLine({ invoice: `N-${n}` })},${n % 2 ? REASON : ''}`);
    const text = `${[HEADER, ...rows].join('\r\n')}\r\n`;
    const checked = await checkAll(text);
    expect(checked).toMatchObject({ verdict: 'accept', layout: 'card', headerLine: 1, codes: [], records: 1_100 });
    expect(new Set(checked.rows.map((row) => row.raw.cells.length))).toEqual(new Set([12]));
    expect(await readAgain(text, checked.headerLine, 'card')).toEqual(checked.rows.map((row) => row.raw));
  });

  it('finds the layout of the rows in an ACH folder as well', async () => {
    const text = `${ACH_HEADER},Reason\nA-1,Ada,Byron,SAVING,${ACCOUNT},5.00,Gift,why\n`;
    expect(await checkAll(text, { operation: 'ach-charge' })).toMatchObject({ verdict: 'accept', layout: 'ach' });
  });

  it('is refused when a row lacks a cell, instead of sending the reason as its comment', async () => {
    const lines = [`${CODE_HEADER},Reason`, 'K-1,A1,25.00,June,x', 'K-2,A1,25.00,because'];
    const checked = await checkAll(`${lines.join('\n')}\n`);
    expect(checked).toMatchObject({ verdict: 'reject', layout: 'card-code' });
    expect(checked.rowFaults).toEqual([
      { code: 'COLUMN_COUNT', line: 3, detail: '3 columns, expected 4; Reason is not counted' },
    ]);
  });

  it('is refused for a security code in the place of a reason', async () => {
    const checked = await checkAll(
      `${[HEADER, `${cardLine()},x`, `${cardLine({ invoice: 'N-2' })},987`].join('\n')}\n`,
    );
    expect(checked.verdict).toBe('reject');
    expect(checked.rowFaults).toMatchObject([{ code: 'SECURITY_CODE', line: 3 }]);
  });

  it.each([
    ['another title in its place', HEADER.replace('Reason', 'Because')],
    ['no header', ''],
  ])('is no such file with %s', async (_, header) => {
    const checked = await checkAll(`${[header, `${cardLine()},x`].join('\n')}\n`);
    expect(checked.verdict).toBe('reject');
    expect(checked.codes).toContain('COLUMN_COUNT');
  });

  it('still has its titles compared with the columns', async () => {
    const swapped = HEADER.replace('City,State', 'State,City');
    expect((await checkAll(`${swapped}\n${cardLine()},x\n`)).codes).toEqual(['LAYOUT_FOLDER', 'LAYOUT_FOLDER']);
  });
});

async function readAgain(text: string, headerLine: number | null, operation: FolderOperation) {
  const rows = [];
  for await (const group of readRawRows(chunksOf(text, 50), { charset: 'utf-8', headerLine, operation })) {
    rows.push(...group);
  }
  return rows;
}
