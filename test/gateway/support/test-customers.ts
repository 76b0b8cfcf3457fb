import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CustomerRecord } from '../../../src/gateway/answers.ts';
import { createGatewayClient, type GatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { maskNumber } from '../../../src/sandbox/batch/mask-number.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type AnyParameters, arbitraryParameters } from './arbitrary-parameters.ts';
import { tryProperty } from '../../support/random.ts';

/**
 * A record is read back unchanged through the client, the sandbox's reader, sealed books and writer, and the client's
 * reader, in a detail and in a list, after its creation and after an update of every field. Three things change. White
 * space around values is dropped: by the service for codes and payments, by the client for all. Days come back in UTC
 * without fractions, numbers masked.
 */

const NOW = '2026-06-15T10:00:00Z';

const CARDS = ['4222222222222220', '4111111111111111', '5454545454545454', '371449635398431'];

const CASES = [
  ['createCreditCardCustomerCode', paymentOfCard],
  ['createACHEFTCustomerCode', paymentOfBank],
] as const;

/** @param runs records of each kind to try */
export function testCustomers(runs: number): void {
  describe('a customer record', { timeout: 300_000 }, () => {
    let sandbox: Sandbox;
    let client: GatewayClient;
    beforeAll(async () => {
      // Any dates come, with any amount or none.
      sandbox = await startSandbox({ now: NOW, allow: ['schedule-complete', 'schedule-order'] });
      const login = { agentCode: 'TEST88', password: 'TEST88' };
      client = createGatewayClient({ server: 'NA', ...login, baseUrl: sandbox.url }, { clock: handClock(NOW) });
    });
    afterAll(() => sandbox.close());

    it.each(CASES)('of %s is read back as it was stored', async (operation, paymentOf) => {
      const card = fc.record({ creditCardNum: fc.constantFrom(...CARDS), creditCardExpiry: fc.constant('12/30') });
      const parameters = fc
        .tuple(arbitraryParameters(operation, 'NA'), card)
        .map(([all, good]): AnyParameters => (operation === 'createACHEFTCustomerCode' ? all : { ...all, ...good }));
      const property = fc.asyncProperty(parameters, async (given) => {
        const created = await client[operation](given as never);
        const customerCode = created.kind === 'approved' ? created.result.customerCode : '';
        expect(customerCode, JSON.stringify(created)).toBe(trimmed(given.customerCode) || customerCode);
        const detail = await client.getCustomerCodeDetail({ customerCode });
        expect(detail).toEqual({
          kind: 'approved',
          result: { customer: { ...recordOf(given, customerCode), payment: paymentOf(given) } },
        });
        expect((await client.deleteCustomerCode({ customerCode })).kind).toBe('approved');
      });
      await tryProperty(property, runs);
    });

    it.each([
      ['card', { creditCardCustomerName: 'New', creditCardNum: CARDS[1], creditCardExpiry: '01/31', mop: 'MC' }],
      ['bank', { accountCustomerName: 'New', accountNum: '123456789', accountType: 'SAVING' }],
    ] as const)('of a %s is read back as it was changed, alone and in a list', async (kind, payment) => {
      const isCard = kind === 'card';
      const first = { creditCardNum: CARDS[0], creditCardExpiry: '12/30', accountNum: '1234', accountType: 'CHECKING' };
      const { creditCardNum, creditCardExpiry, ...bank } = first;
      const created = isCard
        ? await client.createCreditCardCustomerCode({
            ...CHANGES,
            ...EMPTY,
            creditCardCustomerName: '',
            creditCardNum,
            creditCardExpiry,
          } as never)
        : await client.createACHEFTCustomerCode({ ...EMPTY, ...bank } as never);
      const customerCode = created.kind === 'approved' ? created.result.customerCode : created.kind;
      const given = { customerCode, ...CHANGES, ...payment };
      const changed = isCard
        ? await client.updateCreditCardCustomerCode({ ...given, updateCreditCardNum: true })
        : await client.updateACHEFTCustomerCode({ ...given, updateAccountNum: true });
      expect(changed).toMatchObject({ kind: 'approved' });
      const paid = isCard ? paymentOfCard(given) : paymentOfBank(given);
      const customer = { ...recordOf(given, customerCode), payment: paid };
      expect(await client.getCustomerCodeDetail({ customerCode })).toMatchObject({ result: { customer } });
      const range = { customerCode, fromDate: '2026-06-15T00:00:00Z', toDate: '2026-06-16T00:00:00Z' };
      expect(await client.getCustomerListByCreationTimeXML(range)).toMatchObject({ result: { customers: [customer] } });
    });
  });
}

/** The fields that come back, by their names in a call. */
const FIELDS = [
  ['firstName', 'lastName', 'companyName', 'address', 'city', 'state', 'country', 'zipCode', 'phone'],
  ['alternatePhone', 'fax', 'email', 'comment', 'title', 'item1', 'item2', 'item3', 'item4', 'item5', 'item6'],
].flat();

/** Every field of a record with a text of its own; digits that are no card number come back, too. */
const CHANGES: AnyParameters = {
  ...Object.fromEntries(FIELDS.map((field) => [field, `${field} new`])),
  phone: '1234567890123',
  recurring: true,
  amount: '7.00',
  beginDate: '2026-07-01T00:00:00Z',
  endDate: '2031-06-30T00:00:00Z',
  scheduleType: 'Weekly',
  scheduleDate: '3',
};

/** What a creation requires, with nothing in it. */
const EMPTY: AnyParameters = {
  ...Object.fromEntries(FIELDS.map((field) => [field, ''])),
  customerIPAddress: '',
  recurring: false,
  amount: '',
  scheduleType: '',
  scheduleDate: '',
};

function recordOf(given: AnyParameters, customerCode: string) {
  return {
    customerCode,
    ...Object.fromEntries(FIELDS.map((field) => [field, trimmed(given[field])])),
    recurring: {
      active: String(given.recurring === true),
      amount: trimmed(given.amount),
      beginDate: dayOf(given.beginDate),
      endDate: dayOf(given.endDate),
      scheduleType: trimmed(given.scheduleType),
      scheduleDate: trimmed(given.scheduleDate),
    },
  };
}

function paymentOfCard(given: AnyParameters): CustomerRecord['payment'] {
  return {
    kind: 'card',
    creditCardCustomerName: trimmed(given.creditCardCustomerName),
    mop: trimmed(given.mop),
    creditCardNum: maskNumber(trimmed(given.creditCardNum)),
    creditCardExpiry: trimmed(given.creditCardExpiry),
  };
}

function paymentOfBank(given: AnyParameters): CustomerRecord['payment'] {
  return {
    kind: 'bank',
    accountCustomerName: trimmed(given.accountCustomerName),
    accountNum: maskNumber(trimmed(given.accountNum)),
    accountType: trimmed(given.accountType),
  };
}

function trimmed(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** Returns the day as it is read back; an omitted one is sent as now. */
function dayOf(value: unknown): string {
  return new Date((value as string | Date | undefined) ?? NOW).toISOString().slice(0, 19);
}
