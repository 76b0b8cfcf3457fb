import { describe, expect, it } from 'vitest';
import { BANK_RECORD, CARD_RECORD } from '../support/customer-fields.ts';
import { callSandbox, CUSTOMER_PATH, goldenNullFailure, goldenRecord, NOW } from '../support/process-call.ts';
import { type Fields, goldenAnswer, STYLES } from '../support/soap-request.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();
const CARD = 'CreateCreditCardCustomerCode';
const BANK = 'CreateACHEFTCustomerCode';
const path = CUSTOMER_PATH;

describe('createCustomer', () => {
  it.each(STYLES)('answers %s with a new code', async (style) => {
    const sandbox = await world.start({ now: NOW });
    expect(await callSandbox(sandbox, CARD, CARD_RECORD, { style, path })).toBe(
      goldenRecord(CARD, 'OK', 'A10000001', style),
    );
    expect(await callSandbox(sandbox, BANK, BANK_RECORD, { style, path })).toBe(
      goldenRecord(BANK, 'OK', 'A10000002', style),
    );
  });

  it.each<[string, Fields, string]>([
    ['15 digits', { creditCardNum: '422222222222222' }, '0Error:Invalid credit card number'],
    [
      'four digits and an old expiry',
      { creditCardNum: '4111', creditCardExpiry: '01/10' },
      '0Error:Invalid credit card number',
    ],
    ['an old expiry', { creditCardExpiry: '01/10' }, '0Error:Invalid expiry date'],
    ['an expiry of another form', { creditCardExpiry: '1220' }, '0Error:Invalid expiry date'],
    ['no expiry', { creditCardExpiry: '' }, '0Error:Invalid expiry date'],
  ])('refuses %s and stores nothing', async (_, fields, text) => {
    const sandbox = await world.start({ now: NOW });
    expect(await callSandbox(sandbox, CARD, { ...CARD_RECORD, ...fields }, { path })).toBe(
      goldenRecord(CARD, text, ''),
    );
    expect(await callSandbox(sandbox, CARD, CARD_RECORD, { path })).toBe(goldenRecord(CARD, 'OK', 'A10000001'));
  });

  it('takes the code of the client once', async () => {
    const sandbox = await world.start({ now: NOW });
    const fields = { ...CARD_RECORD, customerCode: 'TM1001' };
    expect(await callSandbox(sandbox, CARD, fields, { path })).toBe(goldenRecord(CARD, 'OK', 'TM1001'));
    for (const element of [CARD, BANK]) {
      expect(await callSandbox(sandbox, element, fields, { path })).toBe(
        goldenRecord(element, '0Error:Duplicate customer code', ''),
      );
    }
    await callSandbox(sandbox, 'DeleteCustomerCode', { customerCode: 'TM1001' }, { path });
    expect(await callSandbox(sandbox, CARD, fields, { path })).toBe(goldenRecord(CARD, 'OK', 'TM1001'));
  });

  it('lets two accounts have the same code', async () => {
    const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
    const sandbox = await world.start({ now: NOW, accounts });
    for (const agentCode of ['TEST88', 'OTHER']) {
      const login = { agentCode, password: 'TEST88' };
      expect(await callSandbox(sandbox, BANK, { customerCode: 'A1' }, { path, login })).toBe(
        goldenRecord(BANK, 'OK', 'A1'),
      );
    }
  });

  it('stores a bank record with nothing in it', async () => {
    const sandbox = await world.start({ now: NOW });
    const empty = { accountNum: '', accountType: '', firstName: '' };
    expect(await callSandbox(sandbox, BANK, empty, { path })).toBe(goldenRecord(BANK, 'OK', 'A10000001'));
  });

  it('needs a card number, then a login', async () => {
    const sandbox = await world.start({ now: NOW });
    expect(await callSandbox(sandbox, CARD, { accountNum: '1' }, { path, login: {} })).toBe(goldenNullFailure(CARD));
    for (const element of [CARD, BANK]) {
      expect(await callSandbox(sandbox, element, CARD_RECORD, { path, login: {} })).toBe(
        goldenRecord(element, 'Error : Invalid Username or Password.', ''),
      );
    }
  });

  it('answers an unreadable boolean with a fault', async () => {
    const sandbox = await world.start({ now: NOW });
    expect(await callSandbox(sandbox, CARD, { ...CARD_RECORD, recurring: 'maybe' }, { path })).toContain(
      'There is an error in XML document. ---&gt; The string is not a valid Boolean value.</soap:Text>',
    );
  });

  it('stores no bank account in the United Kingdom', async () => {
    const sandbox = await world.start({ accounts: [{ agentCode: 'TEST88', password: 'TEST88', server: 'UK' }] });
    expect(await callSandbox(sandbox, BANK, BANK_RECORD, { path })).toBe(
      goldenAnswer(
        BANK,
        '<STATUS>Failure</STATUS><ERRORS>Service cannot be used on this server.</ERRORS>' +
          '<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>',
      ),
    );
  });
});
