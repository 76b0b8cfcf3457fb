import { describe, expect, it } from 'vitest';
import { type OperationName, OPERATIONS, type Server } from '../../schemas/operations.ts';
import { parametersOf } from '../../schemas/parameters.ts';
import { type ReportName, type ReportParametersOf, reportParametersOf } from '../../schemas/reports.ts';
import { sampleParameters } from '../gateway/support/call.ts';

const ALL = Object.keys(OPERATIONS) as OperationName[];

const assumed = (message: string, setting: string) =>
  `${message} (our assumption; the setting serviceLimits.${setting} changes it)`;

describe('parametersOf', () => {
  it.each(ALL)('takes all parameters of %s and asks for each required one', (operation) => {
    const sample = sampleParameters(operation);
    expect(faultsOf(operation, sample)).toEqual([]);
    const required: readonly string[] = OPERATIONS[operation].required;
    expect(faultsOf(operation, {})).toEqual(expect.arrayContaining(required.map((name) => `${name} is required`)));
    const onlyRequired = Object.fromEntries(required.map((name) => [name, sample[name]]));
    expect(faultsOf(operation, onlyRequired)).toEqual([]);
  });

  it.each<[OperationName, Record<string, unknown>, string[]]>([
    ['processCreditCard', { total: '-5.00' }, ['total must be a positive decimal number']],
    ['processCreditCard', { total: '0.00' }, ['total must be a positive decimal number']],
    ['processCreditCard', { total: '1,5' }, ['total must be a positive decimal number']],
    ['processCreditCard', { total: 5 }, ['total must be text']],
    [
      'processCreditCard',
      { total: '12345678901.00' },
      [assumed('total must have at most 10 digits before the point', 'amountDigits')],
    ],
    ['processCreditCard', { total: '5' }, []],
    ['processCreditCardRefundWithTransactionId', { total: '5.00' }, ['total must be a negative decimal number']],
    ['processCreditCardRefundWithTransactionId', { total: '-0' }, ['total must be a negative decimal number']],
    ['processACHEFTRefundWithTransactionId', { total: '-5' }, []],
    ['processACHEFTRefundWithTransactionId', { transactionId: ' ' }, ['transactionId must not be empty']],
    ['processCreditCard', { creditCardExpiry: '13/30' }, ['creditCardExpiry must be MM/YY']],
    ['processCreditCard', { creditCardExpiry: '1230' }, ['creditCardExpiry must be MM/YY']],
    [
      'processCreditCard',
      { creditCardNum: '4222 2222 2222 2220' },
      [assumed('creditCardNum must be 4 to 19 digits', 'lengths.creditCardNum')],
    ],
    ['processCreditCard', { cvv2: '12' }, [assumed('cvv2 must be 3 to 4 digits', 'lengths.cvv2')]],
    ['processCreditCard', { cvv2: '' }, [assumed('cvv2 must be 3 to 4 digits', 'lengths.cvv2')]],
    ['processCreditCardWithCustomerCode', { cvv2: '' }, []],
    ['processCreditCardWithCustomerCode', { customerCode: '' }, ['customerCode must not be empty']],
    ['getCustomerListByCreationTimeXML', { customerCode: '' }, []],
    ...['visa', 'MAESTR', 'MAESTRO', 'AMX DEBIT', 'AMEX', ''].map(
      (mop): [OperationName, Record<string, unknown>, string[]] => [
        'processCreditCard',
        { mop },
        ['mop must be one of VISA, MC, AMX, DSC, VISA DEBIT, MC DEBIT'],
      ],
    ),
    ['processCreditCard', { mop: undefined }, ['mop is required']],
    ['createCreditCardCustomerCode', { mop: '' }, []],
    ['processCreditCard', { customerIPAddress: '300.1.1.1' }, ['customerIPAddress must be an IP address or empty']],
    [
      'processCreditCard',
      { firstName: 'x'.repeat(101) },
      [assumed('firstName must be at most 100 characters', 'lengths.firstName')],
    ],
    ['processCreditCard', { firstName: 'a\u0000' }, ['firstName must not hold control characters']],
    ['processCreditCard', { firstName: 'a\ud800' }, ['firstName must not hold control characters']],
    ['processCreditCard', { fistName: 'Ada' }, ['(other) Unrecognized']],
    ['processACHEFT', { accountNum: '021-000' }, [assumed('accountNum must be 4 to 26 digits', 'lengths.accountNum')]],
    ['processACHEFT', { accountType: 'checking' }, ['accountType must be one of CHECKING, SAVING']],
    [
      'processACHEFTChargeBatch',
      { batchFile: new Uint8Array() },
      ['batchFile must be the bytes of a file that is not empty'],
    ],
    ['processACHEFTChargeBatch', { batchFile: 'text' }, ['batchFile must be the bytes of a file that is not empty']],
    ...['2026-06-15', '2026-06-15T10:00:00', '2026-02-30T10:00:00Z', '2026-06-15T10:00Z', new Date(Number.NaN), 5].map(
      (fromDate): [OperationName, Record<string, unknown>, string[]] => [
        'getCustomerListByCreationTimeCSV',
        { fromDate },
        ['fromDate must be a date-time of ISO 8601 with an offset'],
      ],
    ),
    ['createACHEFTCustomerCode', { recurring: 'TRUE' }, ['recurring must be true or false']],
  ])('%s with %j: %j', (operation, change, faults) => {
    expect(faultsOf(operation, { ...sampleParameters(operation), ...change })).toEqual(faults);
  });

  it.each([
    ['Monthly', '1', true],
    ['Monthly', '31', true],
    ['Monthly', '32', false],
    ['Monthly', '0', false],
    ['Monthly', '', false],
    ['Monthly', undefined, false],
    ['Weekly', '1', true],
    ['Weekly', '7', true],
    ['Weekly', '8', false],
    ['Quarterly', '', true],
    ['Quarterly', undefined, true],
    ['Quarterly', '1', false],
    ['Annually', '', true],
    ['Annually', '12', false],
    [undefined, undefined, true],
    [undefined, '3', false],
  ])('takes the schedule %s on %s: %s', (scheduleType, scheduleDate, isTaken) => {
    const parameters = {
      ...sampleParameters('updateACHEFTCustomerCode'),
      recurring: false,
      scheduleType,
      scheduleDate,
    };
    const fault = 'scheduleDate must be 1 to 31 for Monthly, 1 to 7 for Weekly and empty for all others';
    expect(faultsOf('updateACHEFTCustomerCode', parameters)).toEqual(isTaken ? [] : [fault]);
  });

  it('wants what a recurring payment and a new number need', () => {
    const parameters = { customerCode: 'A1', recurring: true, updateCreditCardNum: true };
    expect(faultsOf('updateCreditCardCustomerCode', parameters)).toEqual([
      'amount must be more than 0 when recurring is true',
      'beginDate must be given when recurring is true',
      'endDate must be given when recurring is true',
      'scheduleType must be given when recurring is true',
      'creditCardNum must be given when updateCreditCardNum is true',
    ]);
    expect(faultsOf('updateACHEFTCustomerCode', { customerCode: 'A1', updateAccountNum: true })).toEqual([
      'accountNum must be given when updateAccountNum is true',
    ]);
  });

  it('names faults of fields and between fields at once', () => {
    const faults = faultsOf('createACHEFTCustomerCode', {
      ...sampleParameters('createACHEFTCustomerCode'),
      firstName: 5,
      scheduleType: 'Weekly',
      scheduleDate: '9',
    });
    expect(faults).toEqual([
      'firstName must be text',
      'scheduleDate must be 1 to 31 for Monthly, 1 to 7 for Weekly and empty for all others',
    ]);
  });

  it('has the methods of payment of the server', () => {
    const parameters = { ...sampleParameters('processCreditCard'), mop: 'MAESTR' };
    expect(faultsOf('processCreditCard', parameters, 'UK')).toEqual([]);
    expect(faultsOf('processCreditCard', { ...parameters, mop: 'DSC' }, 'UK')).toEqual([
      'mop must be one of VISA, MC, AMX, MAESTR, MAESTRO, VISA DEBIT',
    ]);
  });

  it.each([
    ['UK', 'MAESTRO', 'MAESTR'],
    ['UK', 'VISA DEBIT', 'VISA'],
    ['NA', 'VISA DEBIT', 'VISA'],
    ['NA', 'MC DEBIT', 'MC'],
  ] as const)('on %s writes %s as the spec spells it, %s', (server, mop, sent) => {
    const parameters = { customerCode: 'A1', mop };
    expect(parametersOf('updateCreditCardCustomerCode', server).parse(parameters)).toMatchObject({ mop: sent });
    expect(faultsOf('processCreditCard', {}, 'UK')).toContain('mop is required');
  });

  it.each([
    ['10.0.0.1', '10.0.0.1'],
    ['', ''],
    ['2001:db8::1', ''],
    ['::ffff:10.0.0.1', ''],
  ])('writes the address %s as "%s"', (customerIPAddress, written) => {
    expect(parametersOf('deleteCustomerCode', 'NA').parse({ customerCode: 'A1', customerIPAddress })).toEqual({
      customerCode: 'A1',
      customerIPAddress: written,
    });
  });

  it('writes dates, booleans and files as the wire has them', () => {
    const dates = { fromDate: new Date('2026-06-15T00:00:00Z'), toDate: '2026-06-16T00:00:00+02:00' };
    expect(parametersOf('getCustomerListByCreationTimeCSV', 'NA').parse({ customerCode: '', ...dates })).toEqual({
      customerCode: '',
      fromDate: '2026-06-15T00:00:00.000Z',
      toDate: '2026-06-16T00:00:00+02:00',
    });
    expect(parametersOf('processCreditCardBatch', 'NA').parse({ batchFile: Buffer.from('ABC') })).toEqual({
      batchFile: 'QUJD',
    });
    expect(parametersOf('updateACHEFTCustomerCode', 'NA').parse({ customerCode: 'A', recurring: false })).toEqual({
      customerCode: 'A',
      recurring: 'false',
    });
  });
});

function faultsOf(operation: OperationName, parameters: unknown, server: Server = 'NA'): string[] {
  const parsed = parametersOf(operation, server).safeParse(parameters);
  return (parsed.error?.issues ?? []).map((issue) => {
    return issue.code === 'unrecognized_keys' ? '(other) Unrecognized' : `${issue.path.join('.')} ${issue.message}`;
  });
}

const DAY: ReportName = 'getCreditCardApprovedSpecificDateXML';
const RANGE: ReportName = 'getCreditCardApprovedDateRangeCSV';
const BALANCE: ReportName = 'getCreditCardBankReconciliationReportCSV';
const FROM = '2026-06-15T00:00:00-07:00';
const TO = '2026-06-15T23:59:59-07:00';

describe('reportParametersOf', () => {
  it.each<[string, ReportName, object, object]>([
    ['a day', DAY, { date: FROM }, { date: FROM, customerIPAddress: '' }],
    [
      'a Date and an address',
      DAY,
      { date: new Date('2026-06-15T10:00:00Z'), customerIPAddress: '10.0.0.1' },
      { date: '2026-06-15T10:00:00.000Z', customerIPAddress: '10.0.0.1' },
    ],
    [
      'an address that the service mishandles',
      DAY,
      { date: FROM, customerIPAddress: '::1' },
      { date: FROM, customerIPAddress: '' },
    ],
    [
      'a range without a part',
      RANGE,
      { fromDate: FROM, toDate: TO, startIndex: undefined },
      { fromDate: FROM, toDate: TO, startIndex: '', endIndex: '', customerIPAddress: '' },
    ],
    [
      'a part of a moment',
      RANGE,
      { fromDate: FROM, toDate: FROM, startIndex: 0, endIndex: 0 },
      { fromDate: FROM, toDate: FROM, startIndex: '0', endIndex: '0', customerIPAddress: '' },
    ],
    [
      'a reconciliation',
      BALANCE,
      { fromDate: FROM, toDate: TO, currency: 'CAD' },
      { fromDate: FROM, toDate: TO, currency: 'CAD', summaryOnly: 'false', customerIPAddress: '' },
    ],
    [
      'a summary',
      BALANCE,
      { fromDate: FROM, toDate: TO, currency: 'GBP', summaryOnly: true },
      { fromDate: FROM, toDate: TO, currency: 'GBP', summaryOnly: 'true', customerIPAddress: '' },
    ],
  ])('takes %s', (_what, report, parameters, values) => {
    expect(reportParametersOf(report).parse(parameters)).toEqual(values);
  });

  it.each<[string, ReportName, unknown, string]>([
    ['nothing', DAY, undefined, 'must be an object with the parameters of the report'],
    ['no date', DAY, {}, 'is required'],
    [
      'a date without an offset',
      DAY,
      { date: '2026-06-15T00:00:00' },
      'must be a date-time of ISO 8601 with an offset',
    ],
    ['an invalid Date', DAY, { date: new Date(Number.NaN) }, 'must be a date-time of ISO 8601 with an offset'],
    [
      'an element of another report',
      DAY,
      { date: FROM, startIndex: 0 },
      'must be an object with the parameters of the report',
    ],
    ['no address', DAY, { date: FROM, customerIPAddress: 'x' }, 'must be an IP address or empty'],
    ['a range that ends before', RANGE, { fromDate: TO, toDate: FROM }, 'must not be before fromDate'],
    [
      'a range that ends before in other words',
      RANGE,
      { fromDate: '2026-06-15T00:00:00-07:00', toDate: '2026-06-15T06:59:59Z' },
      'must not be before fromDate',
    ],
    ['a half line', RANGE, { fromDate: FROM, toDate: TO, startIndex: 0.5 }, 'must be a whole number'],
    ['a line as text', RANGE, { fromDate: FROM, toDate: TO, startIndex: '0' }, 'must be a whole number'],
    ['a line below the first', RANGE, { fromDate: FROM, toDate: TO, endIndex: -1 }, 'must be 0 or more'],
    [
      'a part that ends before',
      RANGE,
      { fromDate: FROM, toDate: TO, startIndex: 2, endIndex: 1 },
      'must not be before startIndex',
    ],
    ['no currency', BALANCE, { fromDate: FROM, toDate: TO }, 'must be one of USD, CAD, GBP, EUR'],
    [
      'no boolean',
      BALANCE,
      { fromDate: FROM, toDate: TO, currency: 'USD', summaryOnly: 'true' },
      'must be true or false',
    ],
  ])('refuses %s', (_what, report, parameters, message) => {
    const { error } = reportParametersOf(report).safeParse(parameters);
    expect(error?.issues.map((issue) => issue.message)).toEqual([message]);
  });

  it('names each parameter with its type', () => {
    const range: ReportParametersOf<typeof RANGE> = { fromDate: FROM, toDate: new Date(0), startIndex: undefined };
    // @ts-expect-error a range has an end
    const open: ReportParametersOf<'getACHEFTRejectDateRangeCSV'> = { fromDate: FROM };
    // @ts-expect-error a day is not a range
    const day: ReportParametersOf<'getACHEFTRejectSpecificDateCSV'> = { date: FROM, toDate: TO };
    expect([range, open, day]).toHaveLength(3);
  });
});
