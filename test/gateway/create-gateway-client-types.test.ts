import { describe, expect, expectTypeOf, it } from 'vitest';
import type { OperationName } from '../../schemas/operations.ts';
import type { ParametersOf } from '../../schemas/parameters.ts';
import type { ClientAnswer, CustomerRecord, PaymentResult } from '../../src/gateway/client-answers.ts';
import {
  createGatewayClient,
  type GatewayClient,
  type GatewayClientSettings,
} from '../../src/gateway/create-gateway-client.ts';

/**
 * What the compiler promises for each operation. The table follows the service's specification and imports no table of
 * schemas/, so that a mistake there shows here. Mostly tsc checks this file; little of it runs.
 */

type Payer = 'firstName' | 'lastName' | 'address' | 'city' | 'state' | 'zipCode';
type Items = 'item1' | 'item2' | 'item3' | 'item4' | 'item5' | 'item6';
type Extras = 'title' | 'phone' | 'phone2' | 'fax' | 'email' | 'country' | Items;
type Contact = 'phone' | 'fax' | 'alternatePhone' | 'email' | 'comment';
type Schedule = 'recurring' | 'amount' | 'beginDate' | 'endDate' | 'scheduleType' | 'scheduleDate';
type Record = Payer | 'companyName' | Contact | Schedule;
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
  createACHEFTCustomerCode: Row<Payer, Exclude<Record, Payer> | Bank | Ip | 'customerCode' | RecordExtras, Code>;
  createCreditCardCustomerCode: Row<Ip | Record | Card, 'customerCode' | 'mop' | RecordExtras, Code>;
  updateACHEFTCustomerCode: Row<'customerCode', Ip | Record | Bank | 'updateAccountNum' | RecordExtras, Code>;
  updateCreditCardCustomerCode: Row<
    'customerCode',
    Ip | Record | Card | 'mop' | 'updateCreditCardNum' | RecordExtras,
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
  mop: 'VISA' | 'MC' | 'AMX' | 'DSC' | 'MAESTR' | 'MAESTRO';
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
