import { beforeEach, describe, expect, it } from 'vitest';
import {
  BANK_RECORD,
  BANK_XML,
  CARD_RECORD,
  CARD_XML,
  type Fields,
  goldenAnswer,
  STYLES,
} from '../support/soap-request.ts';
import {
  type CallArguments,
  callSandbox,
  CUSTOMER_PATH,
  goldenNullFailure,
  goldenRecord,
  goldenSuccess,
  NOW,
} from '../support/make-context.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';

const world = useSandboxes();

let sandbox: Sandbox;
beforeEach(async () => {
  // An update that asks for a new number and gives none leaves the number as it is.
  sandbox = await world.start({ now: NOW, allow: ['new-card-number'] });
});
const CREATE_CARD = 'CreateCreditCardCustomerCode';
const CREATE_BANK = 'CreateACHEFTCustomerCode';

describe('createCustomer', () => {
  it.each(STYLES)('answers %s with a new code', async (style) => {
    expect(await call(CREATE_CARD, CARD_RECORD, { style })).toBe(goldenRecord(CREATE_CARD, 'OK', 'A10000001', style));
    expect(await call(CREATE_BANK, BANK_RECORD, { style })).toBe(goldenRecord(CREATE_BANK, 'OK', 'A10000002', style));
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
    expect(await call(CREATE_CARD, { ...CARD_RECORD, ...fields })).toBe(goldenRecord(CREATE_CARD, text, ''));
    expect(await call(CREATE_CARD, CARD_RECORD)).toBe(goldenRecord(CREATE_CARD, 'OK', 'A10000001'));
  });

  it('takes the code of the client once', async () => {
    const fields = { ...CARD_RECORD, customerCode: 'TM1001' };
    expect(await call(CREATE_CARD, fields)).toBe(goldenRecord(CREATE_CARD, 'OK', 'TM1001'));
    for (const element of [CREATE_CARD, CREATE_BANK]) {
      expect(await call(element, fields)).toBe(goldenRecord(element, '0Error:Duplicate customer code', ''));
    }
    await call('DeleteCustomerCode', { customerCode: 'TM1001' });
    expect(await call(CREATE_CARD, fields)).toBe(goldenRecord(CREATE_CARD, 'OK', 'TM1001'));
  });

  it('lets two accounts have the same code', async () => {
    const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
    sandbox = await world.start({ now: NOW, accounts });
    for (const agentCode of ['TEST88', 'OTHER']) {
      const login = { agentCode, password: 'TEST88' };
      expect(await call(CREATE_BANK, { customerCode: 'A1' }, { login })).toBe(goldenRecord(CREATE_BANK, 'OK', 'A1'));
    }
  });

  it('stores a bank record with nothing in it', async () => {
    const empty = { accountNum: '', accountType: '', firstName: '' };
    expect(await call(CREATE_BANK, empty)).toBe(goldenRecord(CREATE_BANK, 'OK', 'A10000001'));
  });

  it('needs a card number, then a login', async () => {
    expect(await call(CREATE_CARD, { accountNum: '1' }, { login: {} })).toBe(goldenNullFailure(CREATE_CARD));
    for (const element of [CREATE_CARD, CREATE_BANK]) {
      expect(await call(element, CARD_RECORD, { login: {} })).toBe(
        goldenRecord(element, 'Error : Invalid Username or Password.', ''),
      );
    }
  });

  it('answers an unreadable boolean with a fault', async () => {
    expect(await call(CREATE_CARD, { ...CARD_RECORD, recurring: 'maybe' })).toContain(
      'There is an error in XML document. ---&gt; The string is not a valid Boolean value.</soap:Text>',
    );
  });

  it('stores no bank account in the United Kingdom', async () => {
    sandbox = await world.start({ accounts: [{ agentCode: 'TEST88', password: 'TEST88', server: 'UK' }] });
    expect(await call(CREATE_BANK, BANK_RECORD)).toBe(
      goldenAnswer(
        CREATE_BANK,
        '<STATUS>Failure</STATUS><ERRORS>Service cannot be used on this server.</ERRORS>' +
          '<PROCESSRESULT><AUTHORIZATIONRESULT /></PROCESSRESULT>',
      ),
    );
  });
});

const UPDATE_CARD = 'UpdateCreditCardCustomerCode';
const UPDATE_BANK = 'UpdateACHEFTCustomerCode';
const OLD = '4***********2220</CCN><EXP>12/20';

describe('updateCustomer', () => {
  it.each<[string, Fields, string]>([
    [
      'number and expiry',
      { updateCreditCardNum: 'true', creditCardNum: '4444444444444448', creditCardExpiry: '01/31' },
      '4***********4448</CCN><EXP>01/31',
    ],
    [
      'the expiry alone',
      { updateCreditCardNum: 'false', creditCardNum: '4111', creditCardExpiry: '01/31' },
      '4***********2220</CCN><EXP>01/31',
    ],
    ['nothing without a word', {}, OLD],
    ['nothing of an empty payment', { updateCreditCardNum: '1', creditCardNum: '', creditCardExpiry: '' }, OLD],
  ])('changes %s', async (_, fields, shown) => {
    await startWithRecords();
    const answer = await call(UPDATE_CARD, { customerCode: 'A10000001', ...fields });
    expect(answer).toBe(goldenRecord(UPDATE_CARD, 'OK', 'A10000001'));
    expect(await detail('A10000001')).toBe(goldenDetail(CARD_XML.replace(OLD, shown)));
  });

  it('replaces texts, also with nothing, and keeps what is absent', async () => {
    await startWithRecords();
    const fields = { customerCode: 'A10000001', companyName: '', city: 'Albany', scheduleType: 'Monthly' };
    await call(UPDATE_CARD, fields);
    const changed = CARD_XML.replace('<CO>Engine Co.</CO>', '<CO />').replace('Troy', 'Albany');
    expect(await detail('A10000001')).toBe(goldenDetail(changed.replace('Weekly', 'Monthly')));
  });

  it('changes a bank record without looking at the number', async () => {
    await startWithRecords();
    const fields = { customerCode: 'A10000002', accountNum: '999999999', accountType: 'SAVING' };
    expect(await call(UPDATE_BANK, { ...fields, updateAccountNum: 'true' })).toBe(
      goldenRecord(UPDATE_BANK, 'OK', 'A10000002'),
    );
    const changed = BANK_XML.replace('0*********************0001', '9****9999').replace('CHECKING', 'SAVING');
    expect(await detail('A10000002')).toBe(goldenDetail(changed));
  });

  it.each<[string, Fields, string]>([
    [
      'a wrong number',
      { updateCreditCardNum: 'true', creditCardNum: '4111', creditCardExpiry: '01/10' },
      '0Error:Invalid credit card number',
    ],
    ['an old expiry', { updateCreditCardNum: 'true', creditCardExpiry: '01/10' }, '0Error:Invalid expiry date'],
    ['an old expiry without a number', { creditCardExpiry: '01/10' }, '0Error:Invalid expiry date'],
  ])('refuses %s and changes nothing', async (_, fields, text) => {
    await startWithRecords();
    const answer = await call(UPDATE_CARD, { customerCode: 'A10000001', city: 'X', ...fields });
    expect(answer).toBe(goldenRecord(UPDATE_CARD, text, ''));
    expect(await detail('A10000001')).toBe(goldenDetail(CARD_XML));
  });

  it('changes other things of a card that has expired since', async () => {
    await startWithRecords();
    sandbox.clock.set('2026-06-15T10:00:00Z');
    const fields = { customerCode: 'A10000001', city: 'Albany', creditCardExpiry: '12/20' };
    expect(await call(UPDATE_CARD, fields)).toBe(goldenRecord(UPDATE_CARD, 'OK', 'A10000001'));
  });

  it.each([
    [UPDATE_CARD, '0'],
    [UPDATE_CARD, 'A10000002'],
    [UPDATE_BANK, '-1'],
    [UPDATE_BANK, 'A10000001'],
  ])('%s cannot find %s', async (element, customerCode) => {
    await startWithRecords();
    expect(await call(element, { customerCode, city: 'X' })).toBe(
      goldenRecord(element, '0Can not find the Customer Code', ''),
    );
  });

  it.each([UPDATE_CARD, UPDATE_BANK])('%s needs a code, then a login', async (element) => {
    await startWithRecords();
    expect(await call(element, { city: 'X' })).toBe(goldenNullFailure(element));
    expect(await call(element, { customerCode: 'A10000001' }, { login: {} })).toBe(
      goldenRecord(element, 'Error : Invalid Username or Password.', ''),
    );
  });
});

async function startWithRecords(): Promise<void> {
  await call('CreateCreditCardCustomerCode', CARD_RECORD);
  await call('CreateACHEFTCustomerCode', BANK_RECORD);
}

function detail(customerCode: string): Promise<string> {
  return call('GetCustomerCodeDetail', { customerCode });
}

function goldenDetail(xml: string): string {
  return goldenSuccess('GetCustomerCodeDetail', `<CUSTOMERS>${xml}</CUSTOMERS>`);
}

function call(...[element, fields, options]: CallArguments): Promise<string> {
  return callSandbox(sandbox, element, fields, { path: CUSTOMER_PATH, ...options });
}
