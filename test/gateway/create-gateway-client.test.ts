import { describe, expect, it } from 'vitest';
import {
  createGatewayClient,
  type GatewayClient,
  type GatewayClientSettings,
} from '../../src/gateway/create-gateway-client.ts';
import { ALL_OPERATIONS } from './support/call.ts';

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
