import { describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import type { Given } from '../../../src/cli/call/read-input.ts';
import type { Terminal } from '../../../src/cli/call/terminal.ts';
import { CARD } from '../../support/payment-rows.ts';
import { fakeTerminal, pipedInput } from '../support/fake-terminal.ts';
import { readSecrets } from '../../../src/cli/call/gather-values.ts';

type Around = { given?: Given; env?: NodeJS.ProcessEnv; terminal?: Terminal; required?: boolean };

function read(operation: OperationName, around: Around = {}) {
  const { given = {}, env = {}, terminal = pipedInput(), required = false } = around;
  return readSecrets(operation, given, { env, terminal, required });
}

describe('readSecrets', () => {
  it('takes those of the environment that the operation has', async () => {
    const env = { PAYDROP_CREDIT_CARD_NUM: CARD, PAYDROP_CVV2: '123', PAYDROP_ACCOUNT_NUM: '0210', cvv2: '999' };
    expect(await read('processCreditCard', { env })).toEqual({ creditCardNum: CARD, cvv2: '123' });
    expect(await read('getCustomerCodeDetail', { env })).toEqual({});
  });

  it('does not look for one that was given', async () => {
    const env = { PAYDROP_CREDIT_CARD_NUM: CARD, PAYDROP_CVV2: '123' };
    const terminal = fakeTerminal();
    expect(await read('processCreditCard', { given: { creditCardNum: 'x' }, env, terminal })).toEqual({ cvv2: '123' });
    expect(terminal.shown()).toBe('');
  });

  it('asks for what the environment does not have, and hides the answer', async () => {
    const terminal = fakeTerminal([CARD]);
    const env = { PAYDROP_CVV2: '123' };
    expect(await read('processCreditCard', { env, terminal })).toEqual({ creditCardNum: CARD, cvv2: '123' });
    expect(terminal.shown()).toBe('creditCardNum: Card number (not shown): \n');
  });

  it('lets Enter leave out what is optional', async () => {
    const terminal = fakeTerminal(['']);
    expect(await read('processCreditCardWithCustomerCode', { terminal })).toEqual({});
    expect(terminal.shown()).toContain('Enter leaves it out');
  });

  it('asks for required ones only on request', async () => {
    const terminal = fakeTerminal([CARD]);
    expect(await read('createCustomerCodeAndProcessCreditCard', { terminal, required: true })).toEqual({ ccNum: CARD });
    expect(terminal.shown()).not.toContain('cvv2');
  });

  it('leaves out what nobody is there to answer', async () => {
    expect(await read('processCreditCard')).toEqual({});
  });
});
