import { describe, expect, it } from 'vitest';
import { readCsv, readCustomers } from '../../src/gateway/read-customers.ts';
import { readAnswer } from '../../src/gateway/soap/read-answer.ts';
import { answerOf, success } from './support/soap-answers.ts';
import { RECORD, RECORD_XML } from './support/customer-record.ts';

describe('readCustomers', () => {
  it('reads a record with the names of the spec', async () => {
    expect(readCustomers(await answer(`<CUSTOMERS>${RECORD_XML}</CUSTOMERS>`))).toEqual([RECORD]);
  });

  it('reads a bank account and masks a number that the service forgot to mask', async () => {
    const bank = '<AC1 type="ACH"><ACH><CSTN>A B</CSTN><ACN>02100002100000001</ACN><ACTYP>CHECKING</ACTYP></ACH></AC1>';
    const [record] = readCustomers(await answer(`<CUSTOMERS><CST><CSTC>A1</CSTC>${bank}</CST></CUSTOMERS>`)) ?? [];
    expect(record?.payment).toEqual({
      kind: 'bank',
      accountCustomerName: 'A B',
      accountNum: '*************0001',
      accountType: 'CHECKING',
    });
    const short = '<CUSTOMERS><CST><AC1><ACH><ACN>12345678</ACN></ACH></AC1></CST></CUSTOMERS>';
    expect(readCustomers(await answer(short))?.[0]?.payment).toMatchObject({ accountNum: '****5678' });
    expect(record).toMatchObject({ customerCode: 'A1', firstName: '', recurring: { amount: '' } });
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
  ])('of %s', async (_what, payload, count) => {
    expect(readCustomers(await answer(payload))?.length).toBe(count);
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
  ])('of %s', async (_what, payload, csv) => {
    expect(readCsv(await answer(payload))).toBe(csv);
  });
});

async function answer(payload: string) {
  const xml = answerOf('GetCustomerCodeDetail', success(payload));
  const reading = await readAnswer('getCustomerCodeDetail', Buffer.from(xml));
  if (reading.kind !== 'read') throw new Error(reading.why);
  return reading.answer;
}
