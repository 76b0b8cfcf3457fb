import { describe, expect, it } from 'vitest';
import {
  type BatchRules,
  payerOfRow,
  processBatch,
  readBatchFile,
  readRow,
} from '../../../src/sandbox/batch/process-batch.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';

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
    const [names] = rows.map((row) => Object.keys(row).join());
    expect(names).toBe('invoice,customerCode,amountCents,lastFour,outcome,message,charged');
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['1001', '', 500, '0001', 'accepted_pending', 'Received', true],
      ['', '', 0, '', 'format_error', 'Wrong Format', false],
      ['1002', '', 750, '', 'declined', 'REJECT: 40', false],
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

describe('readBatchFile', () => {
  it.each([
    ['line feeds, none at the end', 'a,b\nc', [['a', 'b'], ['c']]],
    ['CRLF and one at the end', 'a,b\r\nc\r\n', [['a', 'b'], ['c']]],
    ['blank lines', '\n \na\n\n\nb\n', [['a'], ['b']]],
    ['quotes, which mean nothing', '"a,b",c', [['"a', 'b"', 'c']]],
    ['empty cells', ',,', [['', '', '']]],
    ['nothing', '', []],
  ])('splits %s', (_, text, rows) => {
    expect(readBatchFile(Buffer.from(text))).toEqual({ rows, charset: 'utf8' });
  });

  it.each([
    ['UTF-8', Buffer.from('Zoë,\u{1F600}'), 'utf8'],
    ['UTF-8 with a mark', Buffer.from('\uFEFFa'), 'utf8'],
    ['bytes of another charset', Buffer.from([0x5a, 0x6f, 0xeb, 0x2c, 0x81]), 'latin1'],
  ])('gives back the very bytes of %s', (_, bytes, charset) => {
    const file = readBatchFile(bytes);
    expect(file.charset).toBe(charset);
    expect(Buffer.from(file.rows.map((cells) => cells.join(',')).join('\n'), file.charset)).toEqual(bytes);
  });
});

const ACCOUNT = '02100002100000000000000001';

describe('readRow', () => {
  it('reads a bank row and masks its account', () => {
    expect(read('ach-charge', `1001,Ada,Byron,CHECKING,${ACCOUNT},5.00,Gift`)).toEqual({
      layout: 'ach',
      cells: {
        invoice: '1001',
        firstName: 'Ada',
        lastName: 'Byron',
        accountType: 'CHECKING',
        accountNumber: ACCOUNT,
        amount: '5.00',
        comment: 'Gift',
      },
      invoice: '1001',
      customerCode: '',
      number: ACCOUNT,
      amountCents: 500,
      maskedCells: ['1001', 'Ada', 'Byron', 'CHECKING', '0*********************0001', '5.00', 'Gift'],
      shownInvoice: '1001',
      shownCustomerCode: '',
      lastFour: '0001',
    });
  });

  it.each([
    ['card', '06/15/2026,1,A,B,S,C,ST,1,5.00,VISA,4222222222222220,1230', 'card', 10],
    ['card', '06/15/2026,1,A B,5.00,VISA,4222222222222220,1230', 'card-ca', 5],
    ['ach-refund', `1,A,B,SAVING,${ACCOUNT},-5.00,x`, 'ach', 4],
  ] as const)('masks the number column of %s rows: %s', (kind, line, layout, index) => {
    const row = read(kind, line);
    const sent = line.split(',');
    expect(row.layout).toBe(layout);
    expect(row.maskedCells[index]).toMatch(/^\d\*+\d{4}$/);
    expect(row.maskedCells.filter((_, place) => place !== index)).toEqual(sent.filter((_, place) => place !== index));
  });

  it.each([
    ['card', 'card-code'],
    ['ach-charge', 'ach-code'],
    ['ach-refund', 'ach-code'],
  ] as const)('reads four columns of %s as %s, with nothing to mask', (kind, layout) => {
    const row = read(kind, '1001,A10000001,5.00,Gift');
    expect(row).toMatchObject({ layout, customerCode: 'A10000001', number: '', lastFour: '' });
    expect(row.maskedCells).toEqual(['1001', 'A10000001', '5.00', 'Gift']);
  });

  it('leaves a row of no layout as it is', () => {
    expect(read('card', 'a,b')).toMatchObject({
      layout: undefined,
      invoice: '',
      maskedCells: ['a', 'b'],
      lastFour: '',
    });
  });

  it('shows no card number that stands in the wrong column', () => {
    const row = read('ach-charge', '4222222222222220,4111111111111111,5.00,x');
    expect(row.shownInvoice).toBe('************2220');
    expect(row.shownCustomerCode).toBe('************1111');
    expect(row.customerCode).toBe('4111111111111111');
  });

  it.each([
    ['5.00', 500],
    ['-5.00', -500],
    ['5', 500],
    ['$5.00', undefined],
    ['', undefined],
    ['1e3', undefined],
    ['9999999999999.00', undefined],
  ])('reads the amount %j as %j cents', (amount, amountCents) => {
    expect(read('ach-charge', `1,C,${amount},x`).amountCents).toBe(amountCents);
  });
});

function read(kind: 'card' | 'ach-charge' | 'ach-refund', line: string) {
  return readRow(kind, line.split(','));
}
