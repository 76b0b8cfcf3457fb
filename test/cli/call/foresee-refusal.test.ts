import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import type { CallOptions } from '../../../src/gateway/call-operation.ts';
import { createGatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Account } from '../../../src/config/config.ts';
import { sampleParameters } from '../../gateway/support/sample-parameters.ts';
import { previewRefusal } from '../../../src/cli/call/make-call.ts';

const ACCOUNT = { server: 'NA', currency: 'USD' } as Account;
const clock = handClock('2026-06-15T09:00:00Z');

function preview(operation: OperationName, more: object = {}, options: CallOptions = {}, account = ACCOUNT) {
  const parameters = { ...sampleParameters(operation), ...more };
  return previewRefusal(operation, account, { parameters, options, clock });
}

describe('previewRefusal', () => {
  it('has nothing against a call that can be made', () => {
    expect(preview('processCreditCard')).toBeUndefined();
    expect(preview('processCreditCardWithCustomerCode', {}, { mop: 'VISA' })).toBeUndefined();
    expect(preview('processACHEFT')).toBeUndefined();
  });

  it.each([
    ['an operation of another server', 'processACHEFT', {}, {}, { server: 'UK', currency: 'GBP' }],
    ['a method of payment of another currency', 'processCreditCard', { mop: 'DSC' }, { currency: 'CAD' }, ACCOUNT],
    ['a method of payment that is missing', 'processCreditCardWithCustomerCode', {}, {}, ACCOUNT],
    ['parameters that break a rule', 'processCreditCard', { total: '0', cvv2: '1' }, {}, ACCOUNT],
    ['parameters that nobody knows', 'getCustomerCodeDetail', { colour: 'red' }, {}, ACCOUNT],
  ] as const)('%s: the very answer that the client gives', async (_what, operation, more, options, account) => {
    const refusal = preview(operation, more, options, account as Account);
    const { server, currency } = account as Account;
    const client = createGatewayClient({
      server,
      currency,
      agentCode: 'A',
      password: 'P',
      baseUrl: 'http://127.0.0.1:1',
    });
    const method = client[operation] as (parameters: object, options: CallOptions) => Promise<unknown>;
    expect(refusal).toBeDefined();
    expect(refusal).toEqual(await method({ ...sampleParameters(operation), ...more }, options));
  });
});
