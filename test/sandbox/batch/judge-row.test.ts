import { describe, expect, it } from 'vitest';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { judgeRow } from '../../../src/sandbox/batch/judge-row.ts';
import { readRow } from '../../../src/sandbox/batch/read-row.ts';

const BANK = ['1001', 'Ada', 'Byron', 'CHECKING', '02100002100000000000000001', '5.00', 'Gift'];
const CARD = '06/15/2026,1001,Ada,Byron,1 Some Road,Troy,NY,12180,5.00,VISA,4222222222222220,1230'.split(',');
const CODE = ['1001', 'A10000001', '5.00', 'Gift'];

/** A good row of a layout, one cell of it changed, and the answer. */
const CASES: readonly [FolderOperation, readonly string[], number, string, string][] = [
  ['ach-charge', BANK, 0, '1001', 'Received'],
  ['ach-charge', BANK, 0, '', 'Received'],
  ['ach-charge', BANK, 3, 'Savings', 'Received'],
  ['ach-charge', BANK, 3, 'SAVING', 'Received'],
  ['ach-charge', BANK, 3, 'CHECKINGS', 'Wrong Format'],
  ['ach-charge', BANK, 3, 'GIRO', 'Wrong Format'],
  ['ach-charge', BANK, 3, '', 'Wrong Format'],
  ['ach-charge', BANK, 4, '1234', 'Received'],
  ['ach-charge', BANK, 4, '123', 'REJECT: 40'],
  ['ach-charge', BANK, 4, '123456789012345678901234567', 'REJECT: 40'],
  ['ach-charge', BANK, 4, '0210-0002', 'REJECT: 40'],
  ['ach-charge', BANK, 4, '', 'REJECT: 40'],
  ['ach-charge', BANK, 5, '5000.00', 'Received'],
  ['ach-charge', BANK, 5, '-5.00', 'Wrong Format'],
  ['ach-charge', BANK, 5, '0.00', 'Wrong Format'],
  ['ach-charge', BANK, 5, '$5.00', 'Wrong Format'],
  ['ach-refund', BANK, 5, '-5.00', 'Received'],
  ['ach-refund', BANK, 5, '5.00', 'Wrong Format'],
  ['ach-charge', CODE, 0, '1001', 'Received'],
  ['ach-charge', CODE, 1, 'X1', 'REJECT: 3'],
  ['ach-charge', CODE, 1, '', 'REJECT: 3'],
  ['ach-charge', CODE, 1, 'AX', 'Received'],
  ['ach-refund', CODE, 2, '-5.00', 'Received'],
  ['card', CODE, 0, '1001', 'OK: 678594:'],
  ['card', CODE, 1, 'X1', 'REJECT: 3'],
  ['card', CODE, 2, '2000.01', 'REJECT: 39'],
  ['card', CODE, 2, '-5.00', 'Wrong Format'],
  ['card', CARD, 0, '06/15/2026', 'OK: 678594:'],
  ['card', CARD, 0, '02/29/2024', 'OK: 678594:'],
  ['card', CARD, 0, '02/29/2026', 'Wrong Format'],
  ['card', CARD, 0, '15/06/2026', 'Wrong Format'],
  ['card', CARD, 0, '6/15/2026', 'Wrong Format'],
  ['card', CARD, 0, '2026-06-15', 'Wrong Format'],
  ['card', CARD, 8, '2000.00', 'OK: 678594:'],
  ['card', CARD, 8, '2000.01', 'REJECT: 39'],
  ['card', CARD, 8, '-5.00', 'Wrong Format'],
  ['card', CARD, 8, '', 'Wrong Format'],
  ['card', CARD, 9, 'ANYTHING', 'OK: 678594:'],
  ['card', CARD, 10, '4111111111111111', 'REJECT: 15'],
  ['card', CARD, 10, '4222222222222221', 'REJECT: 40'],
  ['card', CARD, 11, '12/30', 'OK: 678594:'],
  ['card', CARD, 11, '1217', 'OK: 678594:'],
  ['card', CARD, 11, '1330', 'Wrong Format'],
  ['card', CARD, 11, '12-30', 'Wrong Format'],
];

describe('judgeRow', () => {
  it.each(CASES)('%s: %j with cell %i as %j: %s', (kind, good, index, text, message) => {
    expect(judge(kind, good.with(index, text)).message).toBe(message);
  });

  it.each([
    ['ach-charge', CARD],
    ['ach-charge', ['1001', '5.00']],
    ['card', ['1001']],
    ['card', [...CARD, 'more']],
    ['ach-refund', [...BANK, '']],
  ] as const)('%s has no layout like %j', (kind, cells) => {
    expect(judge(kind, cells)).toEqual({ outcome: 'format_error', message: 'Wrong Format' });
  });

  it.each([
    ['card', 'bank', '5.00', 'REJECT: 3'],
    ['card', 'card', '5.00', 'OK: 678594:'],
    ['ach-charge', 'card', '5.00', 'REJECT: 3'],
    ['ach-refund', 'bank', '-5.00', 'Received'],
  ] as const)('%s with the code of a record that pays by %s', (kind, payment, amount, message) => {
    const setting = { kind, server: undefined, ipAddress: '', paymentOf: () => payment };
    expect(judgeRow(readRow(kind, CODE.with(2, amount)), setting).message).toBe(message);
  });

  it.each([
    ['card', '4111111111111111', '5.00', 'REJECT: 15'],
    ['card', '4111111111111111', '3.00', 'OK: 678594:'],
    ['card', '4222222222222220', '5.00', 'OK: 678594:'],
    ['card', '4222222222222221', '5.00', 'REJECT: 40'],
    ['ach-charge', BANK[4], '5.00', 'Received'],
    ['ach-charge', '1', '5.00', 'REJECT: 40'],
    ['card', undefined, '5.00', 'OK: 678594:'],
    ['ach-charge', undefined, '5.00', 'Received'],
  ] as const)('%s by code looks at the stored number %s and the amount %s: %s', (kind, number, amount, message) => {
    const asked: string[] = [];
    const numberOf = (code: string) => {
      asked.push(code);
      return number;
    };
    const setting = { kind, server: undefined, ipAddress: '', numberOf };
    expect(judgeRow(readRow(kind, CODE.with(2, amount)), setting).message).toBe(message);
    expect(asked).toEqual([CODE[1]]);
  });

  it('gives each message its outcome', () => {
    expect(judge('ach-charge', BANK).outcome).toBe('accepted_pending');
    expect(judge('card', CARD).outcome).toBe('approved');
    expect(judge('card', CARD.with(10, '4111111111111111')).outcome).toBe('declined');
    expect(judge('ach-charge', BANK.with(4, '1')).outcome).toBe('declined');
  });
});

function judge(kind: FolderOperation, cells: readonly string[]) {
  return judgeRow(readRow(kind, cells), { kind, server: undefined, ipAddress: '' });
}
