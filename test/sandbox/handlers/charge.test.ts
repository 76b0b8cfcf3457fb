import { beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import {
  BANK_NUMBER,
  bankResult,
  type CallArguments,
  callSandbox,
  cardResult,
  goldenNullFailure,
  goldenSuccess,
  messageOf,
  NOW,
  valueOf,
} from '../support/make-context.ts';
import { type Fields, goldenAnswer, STYLES } from '../support/soap-request.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await world.start({ now: NOW });
});
const GOOD_CARD = '4222222222222220';
const AMOUNT_CARD = '4111111111111111';
const PAYER: Fields = { firstName: 'Ada', lastName: 'Byron', address: '1 Some Road', city: 'Troy', state: 'NY' };
const CARD: Fields = {
  ...PAYER,
  invoiceNum: 'INV-1',
  creditCardNum: GOOD_CARD,
  creditCardExpiry: '12/30',
  total: '5.00',
};
const NEW_CARD: Fields = { ...PAYER, ccNum: GOOD_CARD, ccExp: '12/30', total: '5.00' };
const BANK: Fields = { ...PAYER, accountNum: BANK_NUMBER, accountType: 'CHECKING', total: '5.00' };

describe('charge of a card', () => {
  it.each(STYLES)('answers %s byte by byte', async (style) => {
    expect(await call('ProcessCreditCard', CARD, { style })).toBe(
      goldenSuccess('ProcessCreditCard', cardResult('OK: 678594:', 'A6000001'), style),
    );
  });

  it.each([
    [GOOD_CARD, '5,00', 'OK: 678594:'],
    [AMOUNT_CARD, '5.00', 'REJECT: 15'],
    ['', '5.00', 'REJECT: 40'],
    [GOOD_CARD, 'five', 'REJECT: 5'],
  ])('says to %s with %s: %s', async (creditCardNum, total, message) => {
    expect(await call('ProcessCreditCard', { creditCardNum, total })).toBe(
      goldenSuccess('ProcessCreditCard', cardResult(message, 'A6000001')),
    );
    expect(sandbox.books()).toMatchObject([{ message, charged: message.startsWith('OK') }]);
  });

  it('lets the security code and the address of the payer decide where they do', async () => {
    const coded = { ...CARD, creditCardNum: AMOUNT_CARD, total: '15', cvv2: '1234' };
    expect(await said('ProcessCreditCard', coded)).toBe('OK: 678594:Y');
    const addressed = { ...CARD, creditCardNum: AMOUNT_CARD, total: '192', customerIPAddress: '100' };
    expect(await said('ProcessCreditCard', addressed)).toBe('REJECT: 5');
  });

  it('is never a duplicate, has growing ids, and is in the books', async () => {
    const answers = [];
    for (let turn = 0; turn < 11; turn += 1) answers.push(await call('ProcessCreditCard', CARD));
    const ids = answers.map((answer) => valueOf(answer, 'TRANSACTIONID').trim());
    expect(ids.slice(8)).toEqual(['A6000009', 'A600000A', 'A600000B']);
    expect(sandbox.books()[10]).toMatchObject({
      account: 'TEST88',
      operation: 'processCreditCard',
      batchId: '',
      position: 1,
      invoice: 'INV-1',
      customerCode: '',
      amountCents: 500,
      lastFour: '2220',
      outcome: 'approved',
      message: 'OK: 678594:',
      charged: true,
      transactionId: 'A600000B',
    });
  });

  it.each([{ ...CARD, creditCardNum: undefined }, { ...CARD, total: undefined }, { mop: 'VISA' }])(
    'stumbles over what is missing, before the login: %#',
    async (fields) => {
      const present = Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== undefined)) as Fields;
      expect(await call('ProcessCreditCard', present, { login: {} })).toBe(goldenNullFailure('ProcessCreditCard'));
      expect(sandbox.books()).toEqual([]);
    },
  );

  it('refuses a wrong login before it looks at the card', async () => {
    const wrong = { ...CARD, creditCardNum: '9999999999999999' };
    expect(await call('ProcessCreditCard', wrong, { login: { agentCode: 'TEST88' } })).toBe(
      goldenSuccess('ProcessCreditCard', bankResult('REJECT: 1', '')),
    );
    expect(sandbox.books()).toEqual([]);
  });
});

describe('charge of a card that creates a record', () => {
  it('answers with a code that can be charged at once', async () => {
    expect(await call('CreateCustomerCodeAndProcessCreditCard', NEW_CARD)).toBe(
      goldenSuccess('CreateCustomerCodeAndProcessCreditCard', cardResult('OK: 678594:', 'A6000001', 'A10000001')),
    );
    const byCode = { customerCode: 'A10000001', total: '6.00', invoiceNum: 'INV-2' };
    expect(await call('ProcessCreditCardWithCustomerCode', byCode)).toBe(
      goldenSuccess('ProcessCreditCardWithCustomerCode', cardResult('OK: 678594:', 'A6000002', 'A10000001')),
    );
    expect(sandbox.books()).toMatchObject([
      { operation: 'createCustomerCodeAndProcessCreditCard', customerCode: 'A10000001', lastFour: '2220' },
      { operation: 'processCreditCardWithCustomerCode', customerCode: 'A10000001', lastFour: '2220' },
    ]);
  });

  it('creates none when the charge is declined, and uses up no code', async () => {
    const declined = { ...NEW_CARD, ccNum: AMOUNT_CARD };
    expect(await call('CreateCustomerCodeAndProcessCreditCard', declined)).toBe(
      goldenSuccess('CreateCustomerCodeAndProcessCreditCard', cardResult('REJECT: 15', 'A6000001')),
    );
    expect(await said('ProcessCreditCardWithCustomerCode', { customerCode: 'A10000001', total: '1' })).toBe(
      'REJECT: 3',
    );
    const next = await call('CreateCustomerCodeAndProcessCreditCard', NEW_CARD);
    expect(valueOf(next, 'CUSTOMERCODE')).toBe('A10000001');
  });

  it('answers the stored card by amount', async () => {
    await call('CreateCustomerCodeAndProcessCreditCard', {
      ...NEW_CARD,
      ccNum: AMOUNT_CARD,
      total: '1',
    });
    const byCode = { customerCode: 'A10000001', total: '16.00' };
    expect(await said('ProcessCreditCardWithCustomerCode', byCode)).toBe('REJECT: 2');
  });
});

describe('charge of a bank account', () => {
  it('is received, with a record where one is wanted', async () => {
    expect(await call('ProcessACHEFT', BANK)).toBe(
      goldenSuccess('ProcessACHEFT', bankResult('OK: 555555:', 'A6000001')),
    );
    expect(await call('CreateCustomerCodeAndProcessACHEFT', BANK)).toBe(
      goldenSuccess('CreateCustomerCodeAndProcessACHEFT', bankResult('OK: 555555:', 'A6000002', 'A10000001')),
    );
    const byCode = { customerCode: 'A10000001', total: '5.00' };
    expect(await call('ProcessACHEFTWithCustomerCode', byCode)).toBe(
      goldenSuccess('ProcessACHEFTWithCustomerCode', bankResult('OK: 555555:', 'A6000003', 'A10000001')),
    );
    expect(sandbox.books().map(({ outcome, lastFour }) => [outcome, lastFour])).toEqual(
      Array.from({ length: 3 }, () => ['accepted_pending', '0001']),
    );
  });

  it.each([
    ['ProcessACHEFT', { ...BANK, accountNum: '12-3456' }, 'REJECT: 40'],
    ['ProcessACHEFT', { ...BANK, total: '-5.00' }, 'REJECT: 5'],
    ['CreateCustomerCodeAndProcessACHEFT', { ...BANK, accountNum: '' }, 'REJECT: 40'],
    ['ProcessACHEFTWithCustomerCode', { customerCode: 'A10000001', total: '5.00' }, 'REJECT: 3'],
  ])('%s is refused without an id: %#', async (element, fields, message) => {
    expect(await call(element, fields)).toBe(goldenSuccess(element, bankResult(message, '')));
    expect(sandbox.books()).toMatchObject([{ outcome: 'declined', message, charged: false }]);
  });

  it.each(['ProcessACHEFT', 'CreateCustomerCodeAndProcessACHEFT', 'ProcessACHEFTWithCustomerCode'])(
    '%s stumbles over a missing total',
    async (element) => {
      const fields = { customerCode: 'A1', accountNum: BANK_NUMBER };
      expect(await call(element, fields)).toBe(goldenNullFailure(element));
    },
  );

  it('is not served in the United Kingdom', async () => {
    sandbox = await world.start({ accounts: [{ agentCode: 'TEST88', password: 'TEST88', server: 'UK' }] });
    expect(await call('ProcessACHEFT', BANK)).toBe(
      goldenAnswer(
        'ProcessACHEFT',
        '<STATUS>Failure</STATUS><ERRORS>Service cannot be used on this server.</ERRORS>' +
          '<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>',
      ),
    );
  });
});

describe('charge by customer code', () => {
  it('knows neither codes of the other kind nor those of another account', async () => {
    const login = { agentCode: 'OTHER', password: 'OTHER' };
    const accounts = [
      { agentCode: 'TEST88', password: 'TEST88' },
      { agentCode: 'OTHER', password: 'OTHER' },
    ];
    sandbox = await world.start({ now: NOW, accounts });
    await call('CreateCustomerCodeAndProcessCreditCard', NEW_CARD);
    await call('CreateCustomerCodeAndProcessACHEFT', BANK);
    const card = { customerCode: 'A10000001', total: '5.00' };
    const bank = { customerCode: 'A10000002', total: '5.00' };
    expect(await call('ProcessCreditCardWithCustomerCode', bank)).toBe(
      goldenSuccess('ProcessCreditCardWithCustomerCode', cardResult('REJECT: 3', '')),
    );
    expect(await said('ProcessACHEFTWithCustomerCode', card)).toBe('REJECT: 3');
    expect(await said('ProcessCreditCardWithCustomerCode', card, { login })).toBe('REJECT: 3');
    expect(await said('ProcessCreditCardWithCustomerCode', card)).toBe('OK: 678594:');
  });
});

function call(...[element, fields, options]: CallArguments): Promise<string> {
  return callSandbox(sandbox, element, fields, options);
}

function said(...[element, fields, options]: CallArguments): Promise<string> {
  return messageOf(sandbox, element, fields, options);
}
