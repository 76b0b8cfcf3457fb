import { afterEach, describe, expect, it } from 'vitest';
import { type OperationName, OPERATIONS } from '../../schemas/operations.ts';
import type { AnyAnswer } from '../../src/gateway/answers.ts';
import { hideSecrets } from '../../src/gateway/hide-secrets.ts';
import { readClientAnswer } from '../../src/gateway/read-client-answer.ts';
import { wireName } from '../../schemas/wsdl.ts';
import { ALL_OPERATIONS, callOn } from './support/call.ts';
import {
  answerOf,
  batchResult,
  DONE,
  failure,
  FAULT,
  RECORD,
  RECORD_XML,
  success,
  WAIT,
} from './support/soap-answers.ts';
import { httpAnswer } from './support/scripted-server.ts';
import { closeServers, script } from './support/submit.ts';
import { readCsv, readCustomers } from '../../src/gateway/read-customers.ts';
import { readAnswer } from '../../src/gateway/soap/read-answer.ts';

afterEach(closeServers);

const said = (...words: Parameters<typeof process>) => success(process(...words));
const BOOKED = { authorization: '678594', addressCheck: null, transactionId: 'A9000001' };
const DAYS = { settlementBatchDate: '06/15/2017', settlementDate: '06/16/2017' };
const NO_DAYS = { settlementBatchDate: null, settlementDate: null };
const CARD = payment(
  ' OK: 678594:\n',
  '',
  '<SETTLEMENTBATCHDATE> 06/15/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 06/16/2017\n</SETTLEMENTDATE>',
);
const BANK = payment(' OK: 678594:\n', 'A10000007');
const OK = success(process('OK', 'A10000001'));
const FILE = Buffer.from('1001,Received\r\n').toString('base64');

const failed = (errors: string) => ({ kind: 'failed', errors });
const approved = (result: unknown) => ({ kind: 'approved', result });
const accepted = (result: unknown) => ({ kind: 'accepted', result });

/** Each operation's answer when all is well. */
const GOOD: Readonly<Record<OperationName, [string, unknown]>> = {
  processCreditCard: [CARD, approved({ ...BOOKED, ...DAYS, customerCode: null })],
  processCreditCardWithCustomerCode: [CARD, approved({ ...BOOKED, ...DAYS, customerCode: null })],
  createCustomerCodeAndProcessCreditCard: [BANK, approved({ ...BOOKED, ...NO_DAYS, customerCode: 'A10000007' })],
  processCreditCardRefundWithTransactionId: [CARD, approved({ ...BOOKED, ...DAYS, customerCode: null })],
  processACHEFT: [BANK, accepted({ ...BOOKED, ...NO_DAYS, customerCode: 'A10000007' })],
  processACHEFTWithCustomerCode: [BANK, accepted({ ...BOOKED, ...NO_DAYS, customerCode: 'A10000007' })],
  createCustomerCodeAndProcessACHEFT: [BANK, accepted({ ...BOOKED, ...NO_DAYS, customerCode: 'A10000007' })],
  processACHEFTRefundWithTransactionId: [BANK, accepted({ ...BOOKED, ...NO_DAYS, customerCode: 'A10000007' })],
  processCreditCardBatch: [batch(WAIT), accepted({ batchId: '1000001' })],
  processACHEFTChargeBatch: [batch(WAIT), accepted({ batchId: '1000001' })],
  processACHEFTRefundBatch: [batch(WAIT), accepted({ batchId: '1000001' })],
  getBatchProcessResultFile: [
    batch(DONE, `<BATCHPROCESSRESULTFILE>${FILE}</BATCHPROCESSRESULTFILE>`),
    approved({ batchId: '1000001', file: Buffer.from('1001,Received\r\n') }),
  ],
  createCreditCardCustomerCode: [OK, approved({ customerCode: 'A10000001' })],
  createACHEFTCustomerCode: [OK, approved({ customerCode: 'A10000001' })],
  updateCreditCardCustomerCode: [OK, approved({ customerCode: 'A10000001' })],
  updateACHEFTCustomerCode: [OK, approved({ customerCode: 'A10000001' })],
  deleteCustomerCode: [success(process('OK', '"A10000001" is deleted')), approved({ customerCode: 'A10000001' })],
  getCustomerCodeDetail: [success(`<CUSTOMERS>${RECORD_XML}</CUSTOMERS>`), approved({ customer: RECORD })],
  getCustomerListByCreationTimeXML: [
    success(`<CUSTOMERS>${RECORD_XML}${RECORD_XML}</CUSTOMERS>`),
    approved({ customers: [RECORD, RECORD] }),
  ],
  getCustomerListByCreationTimeCSV: [success(`<FILE>${FILE}</FILE>`), approved({ csv: '1001,Received\r\n' })],
};

describe('readClientAnswer', () => {
  it.each(ALL_OPERATIONS)('reads the good answer to %s', async (operation) => {
    const [inside, expected] = GOOD[operation];
    expect(await answerTo(operation, inside)).toEqual(expected);
  });

  it.each(ALL_OPERATIONS)('takes for a doubt whatever says nothing about %s', async (operation) => {
    const isRead = OPERATIONS[operation].effect === 'read';
    const name = wireName(operation);
    const other = operation === 'processACHEFT' ? 'ProcessCreditCard' : 'ProcessACHEFT';
    const doubts: [number, string][] = [
      [200, ''],
      [200, '<html>Service Unavailable</html>'],
      [500, FAULT],
      [302, answerOf(name, GOOD[operation][0])],
      [200, answerOf(other, GOOD[operation][0])],
      [200, answerOf(name, said('TIMEOUT'))],
      [200, answerOf(name, said('Surprise'))],
      [200, answerOf(name, failure('Server Error'))],
      [200, answerOf(name, failure('Object reference not set to an instance of an object.'))],
      [200, answerOf(name, said('Error : No information is returned from App Server.'))],
      [200, answerOf(name, failure('x', GOOD[operation][0].replace(/^.*<ERRORS \/>/, '')))],
      [200, answerOf(name, success(`${process('OK')}<FILE>QUJD</FILE>`))],
    ];
    for (const [status, body] of doubts) {
      const answer = await exchangeWith(operation, httpAnswer(status, body));
      expect(answer.kind, body).toBe(isRead ? 'failed' : 'unknown');
    }
  });

  it.each<[OperationName, string, unknown]>([
    ['processCreditCard', payment(' REJECT: 15\n'), declined(15, 'A9000001')],
    [
      'processCreditCard',
      payment(' REJECT: 19\n'),
      { ...declined(19, 'A9000001'), message: 'Incorrect CVV2 security code' },
    ],
    ['processACHEFT', said(' REJECT: 40\n'), declined(40, null)],
    ['processCreditCard', payment(' REJECT: 55\n'), { kind: 'unknown' }],
    ['processCreditCard', payment(' REJECT: 999\n'), { kind: 'unknown' }],
    ['processCreditCard', failure('Bad request.'), failed('Bad request.')],
    [
      'processCreditCard',
      failure('Bad request.', `<PROCESSRESULT><TRANSACTIONID>A9</TRANSACTIONID></PROCESSRESULT>`),
      { kind: 'unknown' },
    ],
    ['processCreditCard', said('Error : Could not create customer code.'), { kind: 'unknown' }],
    ['processACHEFTChargeBatch', success(batchResult('REJECT: 1')), declined(1, null)],
    ['processACHEFTChargeBatch', failure('Bad request.'), failed('Bad request.')],
    ['getBatchProcessResultFile', batch(WAIT), accepted({ batchId: '1000001', file: null })],
    ['getBatchProcessResultFile', batch('Error : Invalid Batch ID.'), failed('Error : Invalid Batch ID.')],
    ['getBatchProcessResultFile', success(batchResult('REJECT: 1')), declined(1, null)],
    ['getBatchProcessResultFile', success(batchResult('REJECT: 55')), failed('REJECT: 55')],
    ['createCreditCardCustomerCode', said('0Error:Invalid expiry date'), failed('0Error:Invalid expiry date')],
    ['updateACHEFTCustomerCode', said('0Can not find the Customer Code'), failed('0Can not find the Customer Code')],
    [
      'deleteCustomerCode',
      said('Error : Invalid Username or Password.'),
      failed('Error : Invalid Username or Password.'),
    ],
    ['deleteCustomerCode', said('REJECT: 1'), declined(1, null)],
    ['updateCreditCardCustomerCode', said('OK'), approved({ customerCode: 'A10000001' })],
    [
      'getCustomerCodeDetail',
      said("Error : The customer code doesn't exist!"),
      failed("Error : The customer code doesn't exist!"),
    ],
    [
      'getCustomerCodeDetail',
      success(`<CUSTOMERS>${RECORD_XML.replace('A10000001', 'A2')}</CUSTOMERS>`),
      { kind: 'failed' },
    ],
    ['getCustomerCodeDetail', success('<CUSTOMERS />'), { kind: 'failed' }],
    ['getCustomerListByCreationTimeXML', success('<CUSTOMERS />'), approved({ customers: [] })],
    ['getCustomerListByCreationTimeCSV', success('<FILE />'), approved({ csv: '' })],
  ])('%s: %s', async (operation, inside, expected) => {
    expect(await answerTo(operation, inside)).toMatchObject(expected as object);
  });

  it.each([
    ['processCreditCard', { kind: 'unknown', why: 'the answer could not be read' }],
    ['getCustomerCodeDetail', failed('the answer could not be read')],
  ] as const)('is in doubt about %s, and does not throw, when its own reading breaks', (operation, expected) => {
    const broken = () => {
      throw new Error('broken');
    };
    const secrets = {
      ...hideSecrets({ agentCode: 'a', password: 'b' }, {}),
      text: broken,
      data: broken,
      isEcho: broken,
    };
    const [inside] = GOOD[operation];
    const body = Buffer.from(answerOf(wireName(operation), inside));
    const outcome = { kind: 'answered', httpStatus: 200, bytesWritten: 1, bytesRead: 1, body } as const;
    expect(readClientAnswer({ operation, values: {}, secrets }, outcome)).toEqual(expected);
  });

  it('does not know a record that was created without a code', async () => {
    const parameters = { firstName: 'A', lastName: 'B', address: '', city: '', state: '', zipCode: '' };
    const answer = await exchangeWith(
      'createACHEFTCustomerCode',
      httpAnswer(200, answerOf('CreateACHEFTCustomerCode', said('OK'))),
      parameters,
    );
    expect(answer).toEqual({ kind: 'unknown', why: 'the answer says OK and names no customer code' });
  });
});

function process(text: string, code = '', more = ''): string {
  return `<PROCESSRESULT><AUTHORIZATIONRESULT>${text}</AUTHORIZATIONRESULT><CUSTOMERCODE>${code}</CUSTOMERCODE>${more}</PROCESSRESULT>`;
}

function payment(text: string, code = '', more = ''): string {
  return said(text, code, `${more}<TRANSACTIONID>A9000001\n</TRANSACTIONID>`);
}

function batch(text: string, more = ''): string {
  return success(batchResult(text, `<BATCHID>1000001</BATCHID>${more}`));
}

function declined(code: number, transactionId: string | null) {
  return { kind: 'declined', code, transactionId };
}

function answerTo(operation: OperationName, inside: string): Promise<AnyAnswer> {
  return exchangeWith(operation, httpAnswer(200, answerOf(wireName(operation), inside)));
}

async function exchangeWith(operation: OperationName, bytes: Buffer, parameters?: unknown): Promise<AnyAnswer> {
  const server = await script({ onRequest: (socket) => socket.end(bytes) });
  const answer = await callOn(server.url, operation, parameters === undefined ? {} : { parameters });
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]).toMatch(new RegExp(`^POST /NetGate/${OPERATIONS[operation].service}v2\\.asmx `));
  return answer;
}

describe('readCustomers', () => {
  it('reads a record with the names of the spec', () => {
    expect(readCustomers(answer(`<CUSTOMERS>${RECORD_XML}</CUSTOMERS>`))).toEqual([RECORD]);
  });

  it('reads a bank account and masks a number that the service forgot to mask', () => {
    const bank = '<AC1 type="ACH"><ACH><CSTN>A B</CSTN><ACN>02100002100000001</ACN><ACTYP>CHECKING</ACTYP></ACH></AC1>';
    const [record] = readCustomers(answer(`<CUSTOMERS><CST><CSTC>A1</CSTC>${bank}</CST></CUSTOMERS>`)) ?? [];
    expect(record?.payment).toEqual({
      kind: 'bank',
      accountCustomerName: 'A B',
      accountNum: '*************0001',
      accountType: 'CHECKING',
    });
    const short = '<CUSTOMERS><CST><AC1><ACH><ACN>12345678</ACN></ACH></AC1></CST></CUSTOMERS>';
    expect(readCustomers(answer(short))?.[0]?.payment).toMatchObject({ accountNum: '****5678' });
    expect(record).toMatchObject({ customerCode: 'A1', firstName: '', recurring: { amount: '' } });
  });

  it('hides long numbers in free texts, which may be those of accounts, and keeps those of codes', () => {
    const texts = '<CM>pay 1234567890123 now</CM><IT3>0012345678901234567</IT3><CO>Unit 345678901234</CO>';
    const codes = '<CSTC>1234567890123</CSTC><PH>1234567890123</PH><ZC>123456789012</ZC>';
    const [record] = readCustomers(answer(`<CUSTOMERS><CST>${codes}${texts}</CST></CUSTOMERS>`)) ?? [];
    expect(record).toMatchObject({ customerCode: '1234567890123', phone: '1234567890123', zipCode: '123456789012' });
    expect(record).toMatchObject({
      comment: 'pay *********0123 now',
      item3: '***************4567',
      companyName: 'Unit 345678901234',
    });
  });

  it.each([
    ['none', '<CUSTOMERS />', 0],
    ['one', '<CUSTOMERS><CST><CSTC>A</CSTC></CST></CUSTOMERS>', 1],
    ['two', '<CUSTOMERS><CST><CSTC>A</CSTC></CST><CST><CSTC>B</CSTC></CST></CUSTOMERS>', 2],
    ['an element that is repeated', '<CUSTOMERS><CST><FN>A</FN><FN>B</FN></CST></CUSTOMERS>', undefined],
    ['two accounts at one place', '<CUSTOMERS><CST><AC1><CC/></AC1><AC1><CC/></AC1></CST></CUSTOMERS>', undefined],
    ['something beside the records', '<CUSTOMERS><CST><FN>A</FN></CST><X>1</X></CUSTOMERS>', undefined],
    ['another payload', '<FILE />', undefined],
    ['a text as long as may be', `<CUSTOMERS><CST><CM>${'x'.repeat(10_000)}</CM></CST></CUSTOMERS>`, 1],
    ['a text that is far too long', `<CUSTOMERS><CST><CM>${'x'.repeat(10_001)}</CM></CST></CUSTOMERS>`, undefined],
    ['two payloads', '<CUSTOMERS /><FILE />', undefined],
  ])('of %s', (_what, payload, count) => {
    expect(readCustomers(answer(payload))?.length).toBe(count);
  });
});

describe('readCsv', () => {
  it.each([
    ['a file', `<FILE>${Buffer.from('a,b\r\n1,é').toString('base64')}</FILE>`, 'a,b\r\n1,é'],
    [
      'a file with a number',
      `<FILE>${Buffer.from('4222222222222220,x').toString('base64')}</FILE>`,
      '************2220,x',
    ],
    ['an empty file', '<FILE />', ''],
    ['a million digits', `<FILE>${Buffer.from('1'.repeat(1e6)).toString('base64')}</FILE>`, '[removed]'],
    ['what is not base64', '<FILE>***</FILE>', undefined],
    ['two files', '<FILE>QUJD</FILE><FILE>QUJD</FILE>', undefined],
    ['no file', '<CUSTOMERS />', undefined],
  ])('of %s', (_what, payload, csv) => {
    expect(readCsv(answer(payload))).toBe(csv);
  });
});

function answer(payload: string) {
  const xml = answerOf('GetCustomerCodeDetail', success(payload));
  const reading = readAnswer('getCustomerCodeDetail', Buffer.from(xml));
  if (reading.kind !== 'read') throw new Error(reading.why);
  return reading.answer;
}
