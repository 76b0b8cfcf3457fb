import { describe, expect, it } from 'vitest';
import { gatherValues } from '../../../src/cli/call/gather-values.ts';
import type { Call } from '../../../src/cli/command.ts';
import { CARD } from '../../support/payment-rows.ts';
import { fakeTerminal, pipedInput } from '../support/fake-terminal.ts';
import { takeDown } from '../support/take-down.ts';

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
