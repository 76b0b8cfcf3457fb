import { describe, expect, it } from 'vitest';
import type { Account } from '../../../src/config/config.ts';
import { CARD } from '../../support/payment-rows.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';
import { confirmCall, unconfirmed } from '../../../src/cli/call/make-call.ts';

const ACCOUNT = { name: 'main', server: 'NA', currency: 'USD', password: 'hidden' } as Account;
const GIVEN = {
  total: '12345678.90',
  creditCardNum: CARD,
  cvv2: '9173',
  firstName: 'Ada',
  comment: `is ${CARD}`,
  odd: CARD,
};

describe('confirmCall', () => {
  it('says what will happen: operation, account, total and last four, and no more of the secrets', async () => {
    const terminal = fakeTerminal(['yes']);
    await confirmCall(terminal, 'processCreditCard', ACCOUNT, GIVEN);
    const shown = terminal.shown();
    expect(shown).toMatch(
      /^processCreditCard: Charge a card with details supplied\n {2}account +main \(NA, USD, live\)\n/,
    );
    expect(shown).toMatch(/total +12345678\.90\n/);
    expect(shown).toMatch(/creditCardNum +\*{12}2220\n/);
    expect(shown).toMatch(/cvv2 +\*{4}\n/);
    expect(shown).toMatch(/firstName +Ada\n/);
    expect(shown).toContain('Send it? Type yes: ');
    expect(shown).not.toMatch(new RegExp(`${CARD}|9173|hidden`));
  });

  it('shows the path of a batch file, and no currency where there is no total', async () => {
    const terminal = fakeTerminal(['yes']);
    await confirmCall(terminal, 'processCreditCardBatch', ACCOUNT, { batchFile: 'out/monday.csv' });
    expect(terminal.shown()).toMatch(/account +main \(NA, live\)\n +batchFile +out\/monday\.csv\n/);
  });

  it.each([' YES ', 'yes'])('takes %j', async (answer) => {
    await expect(confirmCall(fakeTerminal([answer]), 'deleteCustomerCode', ACCOUNT, {})).resolves.toBeUndefined();
  });

  it.each(['', 'y', 'no', 'yes please'])('does not take %j', async (answer) => {
    await expect(confirmCall(fakeTerminal([answer]), 'deleteCustomerCode', ACCOUNT, {})).rejects.toThrow(
      'Cannot call deleteCustomerCode on the live account "main": the answer was not yes. Nothing was sent.',
    );
  });
});

it('unconfirmed names the way out', () => {
  const error = unconfirmed('processACHEFT', ACCOUNT, 'nobody is there');
  expect(error).toMatchObject({
    code: 'USAGE',
    message: /nobody is there\. Nothing was sent\. Give --yes if it is meant\.$/,
  });
});
