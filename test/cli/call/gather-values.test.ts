import { describe, expect, it } from 'vitest';
import { gatherValues, type Given, readSecrets } from '../../../src/cli/call/gather-values.ts';
import type { Call } from '../../../src/cli/command.ts';
import { CARD } from '../../support/payment-rows.ts';
import { fakeTerminal, pipedInput } from '../support/fake-terminal.ts';
import { takeDown } from '../support/take-down.ts';
import type { OperationName } from '../../../schemas/operations.ts';
import type { Terminal } from '../../../src/cli/call/terminal.ts';

const ENV = { PAYDROP_CREDIT_CARD_NUM: CARD, PAYDROP_CVV2: '123' };

function gather(options: Call['options'], input = '', env: NodeJS.ProcessEnv = ENV, isSandbox = true) {
  return gatherValues('processCreditCard', options, { env, terminal: pipedInput(input) }, isSandbox);
}

describe('gatherValues', () => {
  it('puts options, standard input and environment together', async () => {
    const given = await gather({ stdin: true, json: true, total: '5.00' }, 'city=Troy\ncvv2=999');
    expect(given).toEqual({ total: '5.00', city: 'Troy', cvv2: '999', creditCardNum: CARD });
  });

  it('reads standard input only when it is told to', async () => {
    expect(await gather({ total: '5.00' }, 'city=Troy', {})).toEqual({ total: '5.00' });
  });

  it('keeps an option that stands alone as true, for booleans', async () => {
    const sources = { env: {}, terminal: pipedInput() };
    expect(await gatherValues('createACHEFTCustomerCode', { recurring: true }, sources, true)).toEqual({
      recurring: true,
    });
  });

  it('refuses what is given twice, and an option in the place of a value', async () => {
    await expect(gather({ stdin: true, city: 'Troy' }, 'city=Salem')).rejects.toThrow(
      'Cannot use --city: standard input gives it as well. Give it once.',
    );
    await expect(gather({ firstName: '--lastName' })).rejects.toThrow('Cannot use --firstName: its value is missing.');
  });

  it.each([
    ['without leave', {}, true],
    ['of a live account, leave or not', { allowSecretFlags: true as const }, false],
  ])('refuses secrets as options %s, names the three ways and does not repeat them', async (_what, more, isSandbox) => {
    const error: unknown = await gather({ creditCardNum: CARD, ...more }, '', {}, isSandbox).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'USAGE' });
    for (const way of ['--creditCardNum', 'PAYDROP_CREDIT_CARD_NUM', '--stdin', 'asked at a terminal'])
      expect(String(error)).toContain(way);
    expect(String(error)).not.toContain(CARD);
  });

  it('takes secrets as options of the sandbox with leave, and warns', async () => {
    const options = { creditCardNum: CARD, cvv2: '9173', allowSecretFlags: true } as const;
    const { result, out, err } = await takeDown(() => gather(options, '', {}));
    expect(result).toEqual({ creditCardNum: CARD, cvv2: '9173' });
    expect(out).toBe('');
    expect(err).toMatch(
      /^Warning: process lists and the history of the shell show --creditCardNum \(card number\), --cvv2/,
    );
    expect(err).not.toMatch(new RegExp(`${CARD}|9173`));
  });

  it('asks for optional secrets, but not behind --yes', async () => {
    const operation = 'processCreditCardWithCustomerCode';
    const asked = fakeTerminal(['123']);
    expect(await gatherValues(operation, {}, { env: {}, terminal: asked }, true)).toEqual({ cvv2: '123' });
    const silent = fakeTerminal();
    expect(await gatherValues(operation, { yes: true }, { env: {}, terminal: silent }, true)).toEqual({});
    expect(silent.shown()).toBe('');
  });
});

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
