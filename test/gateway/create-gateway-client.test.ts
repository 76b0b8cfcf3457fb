import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  createGatewayClient,
  type GatewayClient,
  type GatewayClientSettings,
} from '../../src/gateway/create-gateway-client.ts';
import { ALL_OPERATIONS, SECRETS, settingsFor } from './support/call.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import type { OperationName } from '../../schemas/operations.ts';
import type { ParametersOf } from '../../schemas/parameters.ts';
import type { ClientAnswer, CustomerRecord, PaymentResult } from '../../src/gateway/answers.ts';
import { serviceAddress } from '../../src/gateway/service-address.ts';

const SETTINGS: GatewayClientSettings = { server: 'NA', agentCode: 'TEST88', password: 'TEST88' };

describe('createGatewayClient', () => {
  it('has the 20 operations of the spec and nothing else', () => {
    const client = createGatewayClient(SETTINGS);
    expect(Object.keys(client)).toEqual(ALL_OPERATIONS);
    expect(ALL_OPERATIONS).toHaveLength(20);
  });

  it.each<[string, Partial<Record<keyof GatewayClientSettings, unknown>>]>([
    ['another server', { server: 'EU' }],
    ['another server at an address of its own', { server: 'uk', baseUrl: 'https://gateway.example' }],
    ['no server', { server: undefined }],
    ['an inherited name as server', { server: 'toString' }],
    ['no agent code', { agentCode: '' }],
    ['no password', { password: '' }],
    ['plain http', { baseUrl: 'http://gateway.example' }],
    ['a time-out of nothing', { timeouts: { connectMs: 0 } }],
    ['a limit of answers of nothing', { maxAnswerBytes: 0 }],
    ['a time-out beyond the timer', { timeouts: { answerMs: 2 ** 31 } }],
  ])('refuses %s', (_what, change) => {
    const settings = { ...SETTINGS, ...change } as GatewayClientSettings;
    expect(() => createGatewayClient(settings)).toThrow(expect.objectContaining({ code: 'GATEWAY_SETUP' }));
  });

  it('takes every setting', () => {
    const timeouts = { connectMs: 1000, answerMs: 2000 };
    const limits = { timeouts, maxAnswerBytes: 1_000_000 };
    const more = { currency: 'GBP', baseUrl: 'http://127.0.0.1:8899', ...limits, transcript: () => {} } as const;
    expect(() => createGatewayClient({ ...SETTINGS, server: 'UK', ...more })).not.toThrow();
  });

  it('does not compile with wrong calls', () => {
    expect(wrongCalls).toBeTypeOf('function');
  });
});

/** Never called; the compiler must reject each marked line. */
async function wrongCalls(client: GatewayClient): Promise<void> {
  await client.deleteCustomerCode({ customerCode: 'A1', customerIPAddress: undefined });
  await client.processCreditCardWithCustomerCode({ customerCode: 'A1', total: '5' }, { currency: 'USD', mop: 'VISA' });
  await client.getCustomerListByCreationTimeXML({ customerCode: '', fromDate: new Date(0), toDate: 'x' });
  // @ts-expect-error a required parameter is missing
  await client.processCreditCardWithCustomerCode({ customerCode: 'A1' });
  // @ts-expect-error a required parameter is undefined
  await client.deleteCustomerCode({ customerCode: undefined });
  // @ts-expect-error a parameter is misspelled
  await client.deleteCustomerCode({ customerCode: 'A1', customerIpAddress: '' });
  // @ts-expect-error a parameter of another operation
  await client.deleteCustomerCode({ customerCode: 'A1', total: '5.00' });
  // @ts-expect-error an amount is decimal text, never a float
  await client.processCreditCardWithCustomerCode({ customerCode: 'A1', total: 5 });
  // @ts-expect-error a batch file is bytes
  await client.processACHEFTChargeBatch({ batchFile: 'text' });
  // @ts-expect-error a value outside the closed set
  await client.processACHEFT({ accountNum: '1', accountType: 'SAVINGS', total: '5' });
  // @ts-expect-error a currency that the service does not list
  await client.deleteCustomerCode({ customerCode: 'A1' }, { currency: 'JPY' });
  // @ts-expect-error an operation that does not exist
  await client.processCreditcard({});
  const answer = await client.getCustomerCodeDetail({ customerCode: 'A1' });
  if (answer.kind === 'approved') answer.result.customer.payment satisfies object | null;
  // @ts-expect-error a result exists only when the call was approved or accepted
  void answer.result;
  const charge = await client.processACHEFT({ accountNum: '1', accountType: 'SAVING', total: '5' });
  if (charge.kind === 'accepted') charge.result.transactionId satisfies string | null;
}

describe('createGateway', () => {
  it('takes the addresses of the servers without a base URL', () => {
    for (const server of ['NA', 'UK'] as const) {
      expect(() => createGateway({ server, agentCode: 'a', password: 'b' })).not.toThrow();
    }
  });

  it.each([
    ['an empty agent code', { agentCode: '' }],
    ['an empty password', { password: '' }],
    ['a connect time-out of 0', { connectTimeoutMs: 0 }],
    ['an answer time-out that is not a number', { answerTimeoutMs: Number.NaN }],
    ['an answer time-out that timers cannot hold', { answerTimeoutMs: 2 ** 31 }],
    ['a limit of answers of 0', { maxAnswerBytes: 0 }],
    ['a limit of answers that is no whole number', { maxAnswerBytes: 1.5 }],
    ['a limit of answers that no string can hold', { maxAnswerBytes: 2 ** 30 }],
    ['plain http to another machine', { baseUrl: 'http://www.iatspayments.com' }],
  ])('refuses %s, without the settings in the error', (_what, wrong) => {
    const error = thrownBy(() => createGateway(settingsFor('https://127.0.0.1', wrong)));
    expect(error).toMatchObject({ name: 'PipelineError', code: 'GATEWAY_SETUP' });
    for (const secret of SECRETS) expect(inspect(error, { depth: Infinity })).not.toContain(secret);
  });

  it('shows no setting when the client itself is printed', () => {
    const shown = inspect(createGateway(settingsFor('https://127.0.0.1')), { depth: Infinity, showHidden: true });
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/**
 * What the compiler promises for each operation. The table follows the service's specification and imports no table of
 * schemas/, so that a mistake there shows here. Mostly tsc checks this file; little of it runs.
 */

type Payer = 'firstName' | 'lastName' | 'address' | 'city' | 'state' | 'zipCode';
type Items = 'item1' | 'item2' | 'item3' | 'item4' | 'item5' | 'item6';
type Extras = 'title' | 'phone' | 'phone2' | 'fax' | 'email' | 'country' | Items;
type Contact = 'phone' | 'fax' | 'alternatePhone' | 'email' | 'comment';
type Schedule = 'recurring' | 'amount' | 'beginDate' | 'endDate' | 'scheduleType' | 'scheduleDate';
type Stored = Payer | 'companyName' | Contact | Schedule;
type RecordExtras = 'title' | 'country' | Items;
type Bank = 'accountCustomerName' | 'accountNum' | 'accountType';
type Card = 'creditCardCustomerName' | 'creditCardNum' | 'creditCardExpiry';
type Ip = 'customerIPAddress';
type Invoice = Ip | 'invoiceNum';

type Row<Required, Optional, Result> = { required: Required; optional: Optional; result: Result };
type Range = 'customerCode' | 'fromDate' | 'toDate';
type Code = { customerCode: string };
type Batch = { batchId: string };

type Spec = {
  createACHEFTCustomerCode: Row<Payer, Exclude<Stored, Payer> | Bank | Ip | 'customerCode' | RecordExtras, Code>;
  createCreditCardCustomerCode: Row<Ip | Stored | Card, 'customerCode' | 'mop' | RecordExtras, Code>;
  updateACHEFTCustomerCode: Row<'customerCode', Ip | Stored | Bank | 'updateAccountNum' | RecordExtras, Code>;
  updateCreditCardCustomerCode: Row<
    'customerCode',
    Ip | Stored | Card | 'mop' | 'updateCreditCardNum' | RecordExtras,
    Code
  >;
  deleteCustomerCode: Row<'customerCode', Ip, Code>;
  getCustomerCodeDetail: Row<'customerCode', Ip, { customer: CustomerRecord }>;
  getCustomerListByCreationTimeCSV: Row<Range, Ip, { csv: string }>;
  getCustomerListByCreationTimeXML: Row<Range, Ip, { customers: CustomerRecord[] }>;
  processCreditCard: Row<
    'creditCardNum' | 'creditCardExpiry' | 'cvv2' | 'mop' | Payer | 'total',
    Invoice | 'comment' | Extras,
    PaymentResult
  >;
  processCreditCardWithCustomerCode: Row<'customerCode' | 'total', Invoice | 'cvv2' | 'comment' | Items, PaymentResult>;
  createCustomerCodeAndProcessCreditCard: Row<
    'ccNum' | 'ccExp' | Payer | 'total',
    Invoice | 'cvv2' | 'comment' | Extras,
    PaymentResult
  >;
  processCreditCardRefundWithTransactionId: Row<'transactionId' | 'total', Ip | 'comment', PaymentResult>;
  processACHEFT: Row<'accountNum' | 'accountType' | 'total', Invoice | Payer | 'comment' | Extras, PaymentResult>;
  processACHEFTWithCustomerCode: Row<'customerCode' | 'total', Invoice | 'comment' | Items, PaymentResult>;
  createCustomerCodeAndProcessACHEFT: Row<
    Payer | 'accountNum' | 'accountType' | 'total',
    Invoice | 'comment' | Extras,
    PaymentResult
  >;
  processACHEFTRefundWithTransactionId: Row<'transactionId' | 'total', Ip | 'comment', PaymentResult>;
  processCreditCardBatch: Row<'batchFile', Ip, Batch>;
  processACHEFTChargeBatch: Row<'batchFile', Ip, Batch>;
  processACHEFTRefundBatch: Row<'batchFile', Ip, Batch>;
  getBatchProcessResultFile: Row<'batchId', Ip, { batchId: string; file: Buffer | null }>;
};

/** Fields of the spec that are not text. */
type NotText = {
  recurring: boolean;
  updateAccountNum: boolean;
  updateCreditCardNum: boolean;
  beginDate: Date | string;
  endDate: Date | string;
  fromDate: Date | string;
  toDate: Date | string;
  scheduleType: 'Weekly' | 'Monthly' | 'Quarterly' | 'Annually' | '';
  accountType: 'CHECKING' | 'SAVING';
  mop: 'VISA' | 'MC' | 'AMX' | 'DSC' | 'MAESTR' | 'MAESTRO' | 'VISA DEBIT' | 'MC DEBIT';
  batchFile: Uint8Array;
};
type ValueOf<Name> = Name extends keyof NotText ? NotText[Name] : string;

type SpecParameters<O extends keyof Spec> = {
  [Name in Spec[O]['required'] & string]: ValueOf<Name>;
} & { [Name in Spec[O]['optional'] & string]?: ValueOf<Name> | undefined };

/** Assignable both ways and with the same members, because an extra optional member does not prevent assignment. */
type Equal<One, Other> = [One, keyof One] extends [Other, keyof Other]
  ? [Other, keyof Other] extends [One, keyof One]
    ? true
    : false
  : false;

/** The operations whose parameters or results differ from the spec's; none. */
type Differing = {
  [O in OperationName]: [
    Equal<ParametersOf<O>, SpecParameters<O>>,
    Equal<Extract<ClientAnswer<O>, { kind: 'approved' }>['result'], Spec[O]['result']>,
    Equal<Extract<ClientAnswer<O>, { kind: 'accepted' }>['result'], Spec[O]['result']>,
    Equal<Parameters<GatewayClient[O]>[0], ParametersOf<O>>,
    Equal<Awaited<ReturnType<GatewayClient[O]>>, ClientAnswer<O>>,
  ] extends [true, true, true, true, true]
    ? never
    : O;
}[OperationName];

describe('the types of the client', () => {
  it('are those of the spec, operation by operation', () => {
    expectTypeOf<keyof Spec>().toEqualTypeOf<OperationName>();
    expectTypeOf<Differing>().toEqualTypeOf<never>();
    // Tests the comparison itself: one that finds everything equal would fail here.
    expectTypeOf<Equal<ParametersOf<'deleteCustomerCode'>, { customerCode: string }>>().toEqualTypeOf<false>();
    expectTypeOf<Equal<{ a: string }, { a?: string }>>().toEqualTypeOf<false>();
    expectTypeOf<Equal<{ a: string } & { b?: 1 }, { a: string; b?: 1 }>>().toEqualTypeOf<true>();
  });

  it('tell every kind of answer apart', () => {
    expectTypeOf<ClientAnswer<OperationName>['kind']>().toEqualTypeOf<
      'approved' | 'accepted' | 'declined' | 'failed' | 'restricted' | 'invalid' | 'not_sent' | 'unknown'
    >();
  });

  it('know two servers, and nobody gets past them at run time', () => {
    expectTypeOf<GatewayClientSettings['server']>().toEqualTypeOf<'NA' | 'UK'>();
    const login = { agentCode: 'TEST88', password: 'TEST88' };
    // @ts-expect-error a server that the service does not have
    expect(() => createGatewayClient({ server: 'EU', ...login })).toThrow('neither NA nor UK');
    // @ts-expect-error no server at all
    expect(() => createGatewayClient(login)).toThrow('neither NA nor UK');
    // @ts-expect-error any string
    expect(() => createGatewayClient({ server: login.agentCode, ...login })).toThrow('neither NA nor UK');
  });
});

describe('serviceAddress', () => {
  it.each([
    ['NA', undefined, 'https://www.iatspayments.com/NetGate/ProcessLinkv2.asmx'],
    ['UK', undefined, 'https://www.uk.iatspayments.com/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'https://gateway.example:8443', 'https://gateway.example:8443/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'https://gateway.example/behind/', 'https://gateway.example/behind/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'http://127.0.0.1:8899', 'http://127.0.0.1:8899/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'http://127.9.9.9', 'http://127.9.9.9/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'http://localhost:8899/', 'http://localhost:8899/NetGate/ProcessLinkv2.asmx'],
    ['NA', 'http://[::1]:8899', 'http://[::1]:8899/NetGate/ProcessLinkv2.asmx'],
  ] as const)('of %s at %s is %s', (server, baseUrl, address) => {
    expect(serviceAddress(server, baseUrl).href).toBe(address);
  });

  it('of customers is CustomerLink on either server', () => {
    expect(serviceAddress('NA', undefined, 'CustomerLink').href).toBe(
      'https://www.iatspayments.com/NetGate/CustomerLinkv2.asmx',
    );
    expect(serviceAddress('UK', 'http://127.0.0.1:8899/x/', 'CustomerLink').href).toBe(
      'http://127.0.0.1:8899/x/NetGate/CustomerLinkv2.asmx',
    );
  });

  it.each([
    'http://www.iatspayments.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1@evil.example',
    'https://user:pw-canary@gateway.example',
    'https://gateway.example/?x=1',
    'https://gateway.example/#x',
    'ftp://127.0.0.1',
    'not a URL',
    '',
  ])('refuses %s without repeating it', (baseUrl) => {
    expect(() => serviceAddress('NA', baseUrl)).toThrow(expect.objectContaining({ code: 'GATEWAY_SETUP' }));
    expect(() => serviceAddress('NA', baseUrl)).not.toThrow(/canary|evil|example/);
  });
});
