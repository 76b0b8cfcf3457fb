import { describe, expect, it } from 'vitest';
import { BANK_NUMBER } from '../sandbox/support/make-context.ts';
import { useSandboxes } from '../sandbox/support/sandbox-world.ts';
import { achRow, CARD, cardRow, lines, MAGIC_CARD } from '../support/payment-rows.ts';
import {
  callWithPhp,
  countConnections,
  customerCodeOf,
  decodeFile,
  fileOf,
  messagesOf,
  payloadOf,
  type PhpCall,
  phpIsInstalled,
  type PhpStyle,
  phpVerdict,
  transactionIdOf,
} from './support/call-with-php.ts';

const verdict = phpVerdict();

it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

const STYLES: readonly PhpStyle[] = [
  { soapVersion: 1, path: '' },
  { soapVersion: 1, path: 'v2' },
  { soapVersion: 2, path: 'v2' },
  { soapVersion: 2, path: 'v3' },
];

const NOW = '2017-06-15T10:00:00Z';
const OTHER_CARD = '4444444444444448';
const PERSON = {
  customerIPAddress: '',
  firstName: 'Ada',
  lastName: "O'Byron & Söhne <Ltd>",
  address: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
};
const RECORD = {
  ...PERSON,
  customerCode: '',
  companyName: 'Engine Co.',
  phone: '555-555-1234',
  fax: '555-555-4321',
  alternatePhone: '555-555-5555',
  email: 'ada@example.com',
  comment: 'note',
  recurring: false,
  amount: '5',
  // PHP programs pass seconds since 1970, which their client writes as a date-time.
  beginDate: 1_497_571_200,
  endDate: '2027-06-15T00:00:00+00:00',
  scheduleType: 'Annually',
  scheduleDate: '',
};
const CARD_DATA = { creditCardNum: CARD, creditCardExpiry: '12/20', mop: 'VISA' };
const CARD_RECORD = { ...RECORD, creditCardCustomerName: 'Ada Byron', ...CARD_DATA };
const BANK_RECORD = { ...RECORD, accountCustomerName: 'Ada Byron', accountNum: '999999999', accountType: 'Checking' };

/** PHP's client knows only what the WSDL says, and talks to nothing but this sandbox. */
describe.each(phpIsInstalled() ? STYLES : [])('PHP with SOAP 1.$soapVersion at version $path', (style) => {
  const world = useSandboxes();

  async function open() {
    const { url, clock, port } = await world.start({ now: NOW, batchDelayMs: 60_000 });
    return { clock, port, call: (...calls: PhpCall[]) => callWithPhp(url, style, calls) };
  }

  it('charges and refunds, and reads the padding of every value', async () => {
    const { call } = await open();
    const card = { ...PERSON, invoiceNum: '00000001', total: '5', cvv2: '000' };
    const bank = { ...PERSON, invoiceNum: '00000001', total: '5', accountNum: BANK_NUMBER, accountType: 'CHECKING' };
    const given = { ...card, creditCardNum: CARD, creditCardExpiry: '12/17', mop: 'VISA' };
    // `currency` is not in the WSDL, so the client drops it.
    const [paid, declined, taken, newCard, newBank] = await call(
      ['processCreditCard', { ...given, currency: 'USD' }],
      ['processCreditCard', { ...given, creditCardNum: MAGIC_CARD }],
      ['processACHEFT', bank],
      ['createCustomerCodeAndProcessCreditCard', { ...card, ccNum: CARD, ccExp: '12/17' }],
      ['createCustomerCodeAndProcessACHEFT', bank],
    );
    expect(payloadOf(paid, 'PROCESSRESULT')).toEqual(cardResult(' OK: 678594:\n', {}));
    expect(payloadOf(declined, 'PROCESSRESULT')).toEqual(cardResult(' REJECT: 15\n', {}));
    expect(payloadOf(taken, 'PROCESSRESULT')).toEqual(bankResult({}));
    const cardCode = customerCodeOf(newCard);
    const bankCode = customerCodeOf(newBank);
    expect(payloadOf(newCard, 'PROCESSRESULT')).toEqual(cardResult(' OK: 678594:\n', cardCode));
    expect(payloadOf(newBank, 'PROCESSRESULT')).toEqual(bankResult(bankCode));

    const again = await call(
      ['processCreditCardWithCustomerCode', { customerCode: cardCode, total: '5', cvv2: '000' }],
      ['processACHEFTWithCustomerCode', { customerCode: bankCode, total: '5' }],
      ['processCreditCardRefundWithTransactionId', { transactionId: transactionIdOf(paid), total: '-5' }],
      ['processACHEFTRefundWithTransactionId', { transactionId: transactionIdOf(taken), total: '-5' }],
    );
    expect(again.map((answer) => payloadOf(answer, 'PROCESSRESULT'))).toEqual([
      cardResult(' OK: 678594:\n', cardCode),
      bankResult(bankCode),
      cardResult(' OK: 678594:\n', {}),
      bankResult({}),
    ]);
  });

  it('keeps records, and reads their values as they stand', async () => {
    const { call } = await open();
    const [card, bank, short, expired] = await call(
      ['createCreditCardCustomerCode', CARD_RECORD],
      ['createACHEFTCustomerCode', BANK_RECORD],
      ['createCreditCardCustomerCode', { ...CARD_RECORD, creditCardNum: CARD.slice(0, -1) }],
      ['createCreditCardCustomerCode', { ...CARD_RECORD, creditCardExpiry: '01/10' }],
    );
    const [cardCode, bankCode] = [customerCodeOf(card), customerCodeOf(bank)];
    expect(payloadOf(card, 'PROCESSRESULT')).toEqual({ AUTHORIZATIONRESULT: 'OK', CUSTOMERCODE: cardCode });
    expect(payloadOf(bank, 'PROCESSRESULT')).toEqual({ AUTHORIZATIONRESULT: 'OK', CUSTOMERCODE: bankCode });
    expect([short, expired].map((answer) => payloadOf(answer, 'PROCESSRESULT'))).toEqual([
      { AUTHORIZATIONRESULT: '0Error:Invalid credit card number', CUSTOMERCODE: {} },
      { AUTHORIZATIONRESULT: '0Error:Invalid expiry date', CUSTOMERCODE: {} },
    ]);

    const newCard = { creditCardNum: OTHER_CARD, creditCardExpiry: '11/21', updateCreditCardNum: true };
    const weekly = { scheduleType: 'Weekly', scheduleDate: '7', recurring: true };
    const [changed, changedBank, nobody, shown, shownBank, listed, file, gone] = await call(
      ['updateCreditCardCustomerCode', { ...CARD_RECORD, ...newCard, ...weekly, customerCode: cardCode }],
      ['updateACHEFTCustomerCode', { ...BANK_RECORD, customerCode: bankCode, updateAccountNum: false, city: 'Rome' }],
      ['updateACHEFTCustomerCode', { ...BANK_RECORD, customerCode: 0, updateAccountNum: false }],
      ['getCustomerCodeDetail', { customerCode: cardCode }],
      ['getCustomerCodeDetail', { customerCode: bankCode }],
      ['getCustomerListByCreationTimeXML', { customerCode: '', fromDate: '2017-06-15', toDate: 1_497_571_200 }],
      ['getCustomerListByCreationTimeCSV', { customerCode: '', fromDate: '2017-06-15', toDate: 1_497_571_200 }],
      ['deleteCustomerCode', { customerCode: cardCode }],
    );
    expect(payloadOf(changed, 'PROCESSRESULT')).toEqual({ AUTHORIZATIONRESULT: 'OK', CUSTOMERCODE: cardCode });
    expect(payloadOf(changedBank, 'PROCESSRESULT')).toEqual({ AUTHORIZATIONRESULT: 'OK', CUSTOMERCODE: bankCode });
    expect(payloadOf(nobody, 'PROCESSRESULT')).toEqual({
      AUTHORIZATIONRESULT: '0Can not find the Customer Code',
      CUSTOMERCODE: {},
    });
    expect(payloadOf(shown, 'CUSTOMERS')).toMatchObject({
      CST: {
        CSTC: cardCode,
        LN: PERSON.lastName,
        MB: '555-555-5555',
        RCR: { AMT: '5', BD: '2017-06-16T00:00:00', SCHTYP: 'Weekly', SCHD: '7' },
        AC1: { '@attributes': { type: 'CC' }, CC: { MP: 'VISA', CCN: '4***********4448', EXP: '11/21' } },
      },
    });
    expect(payloadOf(shownBank, 'CUSTOMERS')).toMatchObject({
      CST: { CTY: 'Rome', AC1: { '@attributes': { type: 'ACH' }, ACH: { ACN: '9****9999', ACTYP: 'Checking' } } },
    });
    expect(payloadOf(listed, 'CUSTOMERS')['CST']).toHaveLength(2);
    expect(fileOf(file).split('\r\n')).toEqual([
      expect.stringMatching(/^Customer Code,First Name,/),
      expect.stringMatching(new RegExp(`^${cardCode},Ada,`)),
      expect.stringMatching(new RegExp(`^${bankCode},Ada,`)),
      '',
    ]);
    expect(payloadOf(gone, 'PROCESSRESULT')).toEqual({
      AUTHORIZATIONRESULT: 'OK',
      CUSTOMERCODE: `"${cardCode}" is deleted`,
    });

    const [never, missing] = await call(
      ['deleteCustomerCode', { customerCode: -1 }],
      ['getCustomerCodeDetail', { customerCode: cardCode }],
    );
    expect(payloadOf(never, 'PROCESSRESULT')).toEqual({ AUTHORIZATIONRESULT: 'OK', CUSTOMERCODE: '"-1" is deleted' });
    expect(payloadOf(missing, 'PROCESSRESULT')).toEqual({
      AUTHORIZATIONRESULT: "Error : The customer code doesn't exist!",
      CUSTOMERCODE: cardCode,
    });
  });

  it('sends batches, waits, and reads the result of every row', async () => {
    const { call, clock } = await open();
    const charges = lines([achRow(1), achRow(2)]);
    const files = [
      ['processCreditCardBatch', lines([cardRow(1), cardRow(2, { card: MAGIC_CARD })])],
      ['processACHEFTChargeBatch', charges],
      ['processACHEFTRefundBatch', lines([achRow(1, { amount: '-5.00' })])],
      ['processACHEFTChargeBatch', charges],
      // Sent by a program that encodes the file although its client does so already.
      ['processACHEFTChargeBatch', Buffer.from(charges).toString('base64')],
    ] as const;
    // PHP's client encodes the file.
    const submitted = await call(...files.map(([operation, batchFile]): PhpCall => [operation, { batchFile }]));
    const running = submitted.map((answer) => payloadOf(answer, 'BATCHPROCESSRESULT'));
    expect(running).toEqual(
      running.map(() => ({ AUTHORIZATIONRESULT: 'Batch Processing, Please Wait ....', BATCHID: expect.any(String) })),
    );
    const asks = running.map((batch): PhpCall => ['getBatchProcessResultFile', { batchId: String(batch['BATCHID']) }]);
    const early = await call(...asks);
    expect(early).toEqual(submitted);
    clock.advance(60_000);
    const done = (await call(...asks)).map((answer) => payloadOf(answer, 'BATCHPROCESSRESULT'));
    expect(done).toMatchObject(
      running.map(({ BATCHID }) => ({ AUTHORIZATIONRESULT: 'Batch Process Has Been Done', BATCHID })),
    );
    expect(done.map((batch) => messagesOf(decodeFile(batch['BATCHPROCESSRESULTFILE'])))).toEqual([
      ['OK: 678594:', 'REJECT: 15'],
      ['Received', 'Received'],
      ['Received'],
      ['Duplicated', 'Duplicated'],
      ['Wrong Format'],
    ]);
    expect(decodeFile(done[0]?.['BATCHPROCESSRESULTFILE'])).toContain(',VISA,4***********2220,');
  });

  it('reads the reports of a day and of a range', async () => {
    const { call } = await open();
    const card = { ...PERSON, creditCardNum: CARD, creditCardExpiry: '12/17', mop: 'VISA', cvv2: '000' };
    const bank = { ...PERSON, accountNum: '12', accountType: 'CHECKING', total: '5' };
    await call(
      ['processCreditCard', { ...card, invoiceNum: 'I-1', total: '5' }],
      ['processCreditCard', { ...card, invoiceNum: 'I-2', total: '5' }],
      ['processCreditCard', { ...card, invoiceNum: 'I-3', total: '2000.01' }],
      ['processACHEFT', bank],
      ['processACHEFT', bank],
    );
    const day = { date: '2017-06-15T12:00:00+00:00' };
    const range = { fromDate: '2017-06-15T07:00:00+00:00', toDate: '2017-06-16T06:59:59+00:00' };
    const [approved, rejected, returned, dayFile, future, rangeFile, account] = await call(
      ['getCreditCardApprovedSpecificDateXML', day],
      ['getACHEFTRejectSpecificDateXML', day],
      ['getACHEFTReturnSpecificDateXML', day],
      ['getCreditCardRejectSpecificDateCSV', day],
      ['getCreditCardRejectSpecificDateCSV', { date: '2050-01-01T12:00:00+00:00' }],
      ['getCreditCardApprovedDateRangeCSV', { ...range, startIndex: '', endIndex: '' }],
      ['getCreditCardBankReconciliationReportCSV', { ...range, currency: 'USD', summaryOnly: false }],
    );
    expect(payloadOf(approved, 'JOURNALREPORT')['TN']).toMatchObject([
      { TNID: expect.stringMatching(/^A[0-9A-F]{7}$/), INV: 'I-1', RST: 'OK:678594:' },
      { INV: 'I-2', RST: 'OK:678594:' },
    ]);
    expect(payloadOf(rejected, 'JOURNALREPORT')['TN']).toMatchObject([{ RST: 'REJ:40' }, { RST: 'REJ:40' }]);
    expect(returned).toEqual({ status: 'Success', errors: '', payload: 'JOURNALREPORT', values: '' });
    // Days and hours are those of Vancouver.
    expect(fileOf(dayFile)).toMatch(/^Invoice,Date,Agent,Customer Code,.*\r\nI-3,06\/15\/2017 03:00:\d\d,TEST88,/);
    expect(fileOf(future)).toBe('');
    expect(fileOf(rangeFile)).toMatch(/^Transaction ID,Invoice Number,Date Time,/);
    expect(fileOf(account)).toBe('');
  });

  it('gets failures as answers and faults as SoapFault', async () => {
    const { call } = await open();
    const [nothing, stranger, unread, incomplete] = await call(
      ['processCreditCard', { customerIPAddress: '', mop: 'VISA' }],
      ['processCreditCard', { ...PERSON, ...CARD_DATA, password: 'nope', total: '5' }],
      ['createCreditCardCustomerCode', { ...CARD_RECORD, beginDate: 'tomorrow' }],
      ['createCreditCardCustomerCode', { creditCardNum: CARD }],
    );
    expect(nothing).toMatchObject({
      status: 'Failure',
      errors: 'Object reference not set to an instance of an object.',
      payload: 'PROCESSRESULT',
    });
    expect(payloadOf(stranger, 'PROCESSRESULT')).toMatchObject({ AUTHORIZATIONRESULT: ' REJECT: 1\n' });
    expect(unread).toMatchObject({
      fault: expect.stringMatching(style.soapVersion === 1 ? /Client$/ : /Sender$/),
      says: expect.stringContaining('Server was unable to read request.'),
    });
    // The WSDL requires this element, so the client itself refuses.
    expect(incomplete).toMatchObject({ says: expect.stringContaining("object has no 'recurring' property") });
  });

  it('makes all its calls on one connection', async () => {
    const { port } = await open();
    const relay = await countConnections({ port });
    const ask: PhpCall = ['getBatchProcessResultFile', { batchId: '7' }];
    const answers = await callWithPhp(relay.url, style, [ask, ask, ask, ask, ask]);
    relay.close();
    expect(answers.map((answer) => payloadOf(answer, 'BATCHPROCESSRESULT')['BATCHID'])).toEqual(Array(5).fill('7'));
    // One for the WSDL and one for the calls.
    expect(relay.count()).toBe(2);
  });
});

function cardResult(result: string, customerCode: unknown) {
  return {
    AUTHORIZATIONRESULT: result,
    CUSTOMERCODE: customerCode,
    SETTLEMENTBATCHDATE: ' 06/15/2017\n',
    SETTLEMENTDATE: ' 06/16/2017\n',
    TRANSACTIONID: expect.stringMatching(/^A[0-9A-F]{7}\n$/),
  };
}

function bankResult(customerCode: unknown) {
  return {
    AUTHORIZATIONRESULT: ' OK: 555555:\n',
    CUSTOMERCODE: customerCode,
    TRANSACTIONID: expect.stringMatching(/^A[0-9A-F]{7}\n$/),
  };
}
