import { describe, expect, it } from 'vitest';
import { type BatchRules, payerOfRow, processBatch } from '../../../src/sandbox/batch/process-batch.ts';
import { readBatchFile } from '../../../src/sandbox/batch/read-batch-file.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { readRow } from '../../../src/sandbox/batch/read-row.ts';

const BANK_ROW = '1001,Ada,Byron,CHECKING,02100002100000000000000001,5.00,Gift';

describe('processBatch', () => {
  it('answers row n with row n, the number masked and the message appended', () => {
    const { result } = process(`${BANK_ROW}\n\nbad,row\r\n1002,Bo,Li,SAVING,123,7.50,\n`);
    expect(result.toString()).toBe(
      '1001,Ada,Byron,CHECKING,0*********************0001,5.00,Gift,Received\r\n' +
        'bad,row,Wrong Format\r\n' +
        '1002,Bo,Li,SAVING,***,7.50,,REJECT: 40\r\n',
    );
  });

  it('tells what happened to each row without a whole number', () => {
    const { rows } = process(`${BANK_ROW}\nbad,row\n1002,Bo,Li,SAVING,123,7.50,\n`);
    expect(rows).toEqual([
      {
        invoice: '1001',
        customerCode: '',
        amountCents: 500,
        lastFour: '0001',
        outcome: 'accepted_pending',
        message: 'Received',
        charged: true,
      },
      {
        invoice: '',
        customerCode: '',
        amountCents: 0,
        lastFour: '',
        outcome: 'format_error',
        message: 'Wrong Format',
        charged: false,
      },
      {
        invoice: '1002',
        customerCode: '',
        amountCents: 750,
        lastFour: '',
        outcome: 'declined',
        message: 'REJECT: 40',
        charged: false,
      },
    ]);
  });

  it('names the payer of each row that is in the reports', () => {
    const { payers } = process(`${BANK_ROW}\nbad,row\n${BANK_ROW}\n1002,Bo,Li,SAVING,123,7.50,\n`);
    expect(payers.map((payer) => payer?.firstName)).toEqual(['Ada', undefined, undefined, 'Bo']);
  });

  it.each([
    ['the same row', BANK_ROW, 'Duplicated'],
    ['another name and comment', '1001,Bo,Li,SAVING,02100002100000000000000001,5.00,', 'Duplicated'],
    ['the amount written otherwise', BANK_ROW.replace('5.00', '5'), 'Duplicated'],
    ['another invoice', BANK_ROW.replace('1001', '1002'), 'Received'],
    ['another account', BANK_ROW.replace('00001,', '00002,'), 'Received'],
    ['another amount', BANK_ROW.replace('5.00', '5.01'), 'Received'],
    ['a customer code', '1001,02100002100000000000000001,5.00,Gift', 'Received'],
  ])('within one file, %s is answered %s', (_, second, message) => {
    expect(process(`${BANK_ROW}\n${second}`).rows.map((row) => row.message)).toEqual(['Received', message]);
  });

  it('counts three like rows as one charge and two duplicates', () => {
    const { rows, keys } = process([BANK_ROW, BANK_ROW, BANK_ROW].join('\n'));
    expect(rows.map(({ outcome, charged }) => ({ outcome, charged }))).toEqual([
      { outcome: 'accepted_pending', charged: true },
      { outcome: 'duplicate', charged: false },
      { outcome: 'duplicate', charged: false },
    ]);
    expect(keys).toHaveLength(1);
  });

  it('knows the keys of earlier batches', () => {
    const [key] = process(BANK_ROW).keys;
    expect(process(BANK_ROW, { isTaken: (asked) => asked === key }).rows[0]?.message).toBe('Duplicated');
  });

  it.each([
    ['another account', { account: 'OTHER' }],
    ['another kind', { kind: 'card' }],
  ] as const)('makes other keys for %s', (_, rules) => {
    const row = '1001,A1,5.00,Gift';
    expect(process(row, rules).keys).not.toEqual(process(row).keys);
  });

  it.each([
    ['declined', '1001,X1,5.00,Gift'],
    ['wrong', '1001,A1,five,Gift'],
  ])('leaves no key of a row that was %s', (_, row) => {
    const { rows, keys } = process(`${row}\n${row}`);
    expect(new Set(rows.map(({ message }) => message)).size).toBe(1);
    expect(keys).toEqual([]);
  });

  it('finds no duplicates when it is told not to', () => {
    expect(process(`${BANK_ROW}\n${BANK_ROW}`, { findsDuplicates: false }).rows.map((row) => row.message)).toEqual([
      'Received',
      'Received',
    ]);
  });

  it('answers a file that was encoded twice with one row of a wrong format', () => {
    const encoded = Buffer.from(`${BANK_ROW}\n${BANK_ROW}`).toString('base64');
    const { result, rows } = process(encoded);
    expect(result.toString()).toBe(`${encoded},Wrong Format\r\n`);
    expect(rows).toHaveLength(1);
  });

  it('answers an empty file with an empty one', () => {
    expect(process('')).toEqual({ rows: [], result: Buffer.alloc(0), keys: [], payers: [] });
  });
});

function process(text: string, rules: Partial<BatchRules> = {}) {
  return processBatch(readBatchFile(Buffer.from(text)), {
    kind: 'ach-charge',
    account: 'TEST88',
    server: undefined,
    ipAddress: '',
    findsDuplicates: true,
    isTaken: () => false,
    keyOf: (parts) => JSON.stringify(parts),
    ...rules,
  });
}

const NOBODY = { firstName: '', lastName: '', payment: '', shownNumber: '', expiry: '', comment: '' };

describe('payerOfRow', () => {
  it.each<[string, FolderOperation, string, object]>([
    [
      'a bank row',
      'ach-charge',
      '1001,Ada,Byron,CHECKING,02100002100000000000000001,5.00,Gift',
      {
        firstName: 'Ada',
        lastName: 'Byron',
        payment: 'CHECKING',
        shownNumber: '0*********************0001',
        comment: 'Gift',
      },
    ],
    [
      'a card row',
      'card',
      '06/15/2017,1001,Ada,Byron,1 Some Road,Troy,NY,12180,5.00,VISA,4222222222222220,1230',
      { firstName: 'Ada', lastName: 'Byron', payment: 'VISA', shownNumber: '4***********2220', expiry: '12/30' },
    ],
    [
      'a Canadian card row',
      'card',
      '06/15/2017,1001,Ada King  Byron,5.00,MC,4222222222222220,12/30',
      { firstName: 'Ada King', lastName: 'Byron', payment: 'MC', shownNumber: '4***********2220', expiry: '12/30' },
    ],
    ['one word for a name', 'card', '06/15/2017,1001,Ada,5.00,MC,,', { lastName: 'Ada', payment: 'MC' }],
    ['a row by customer code', 'card', '1001,A1,5.00,Gift', { comment: 'Gift' }],
  ])('of %s', (_, kind, text, payer) => {
    expect(payerOfRow(readRow(kind, text.split(',')))).toEqual({ ...NOBODY, ...payer });
  });
});
