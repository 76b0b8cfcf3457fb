import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { BANK_RECORD, BANK_XML, CARD_RECORD, CARD_XML } from '../support/customer-fields.ts';
import {
  callSandbox,
  CUSTOMER_PATH,
  goldenNullFailure,
  goldenRecord,
  goldenSuccess,
  NOW,
} from '../support/process-call.ts';
import type { Fields } from '../support/soap-request.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();
const CARD = 'UpdateCreditCardCustomerCode';
const BANK = 'UpdateACHEFTCustomerCode';
const path = CUSTOMER_PATH;
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
    const sandbox = await startWithRecords();
    const answer = await callSandbox(sandbox, CARD, { customerCode: 'A10000001', ...fields }, { path });
    expect(answer).toBe(goldenRecord(CARD, 'OK', 'A10000001'));
    expect(await detail(sandbox, 'A10000001')).toBe(goldenDetail(CARD_XML.replace(OLD, shown)));
  });

  it('replaces texts, also with nothing, and keeps what is absent', async () => {
    const sandbox = await startWithRecords();
    const fields = { customerCode: 'A10000001', companyName: '', city: 'Albany', scheduleType: 'Monthly' };
    await callSandbox(sandbox, CARD, fields, { path });
    const changed = CARD_XML.replace('<CO>Engine Co.</CO>', '<CO />').replace('Troy', 'Albany');
    expect(await detail(sandbox, 'A10000001')).toBe(goldenDetail(changed.replace('Weekly', 'Monthly')));
  });

  it('changes a bank record without looking at the number', async () => {
    const sandbox = await startWithRecords();
    const fields = { customerCode: 'A10000002', accountNum: '999999999', accountType: 'SAVING' };
    expect(await callSandbox(sandbox, BANK, { ...fields, updateAccountNum: 'true' }, { path })).toBe(
      goldenRecord(BANK, 'OK', 'A10000002'),
    );
    const changed = BANK_XML.replace('0*********************0001', '9****9999').replace('CHECKING', 'SAVING');
    expect(await detail(sandbox, 'A10000002')).toBe(goldenDetail(changed));
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
    const sandbox = await startWithRecords();
    const answer = await callSandbox(sandbox, CARD, { customerCode: 'A10000001', city: 'X', ...fields }, { path });
    expect(answer).toBe(goldenRecord(CARD, text, ''));
    expect(await detail(sandbox, 'A10000001')).toBe(goldenDetail(CARD_XML));
  });

  it('changes other things of a card that has expired since', async () => {
    const sandbox = await startWithRecords();
    sandbox.clock.set('2026-06-15T10:00:00Z');
    const fields = { customerCode: 'A10000001', city: 'Albany', creditCardExpiry: '12/20' };
    expect(await callSandbox(sandbox, CARD, fields, { path })).toBe(goldenRecord(CARD, 'OK', 'A10000001'));
  });

  it.each([
    [CARD, '0'],
    [CARD, 'A10000002'],
    [BANK, '-1'],
    [BANK, 'A10000001'],
  ])('%s cannot find %s', async (element, customerCode) => {
    const sandbox = await startWithRecords();
    expect(await callSandbox(sandbox, element, { customerCode, city: 'X' }, { path })).toBe(
      goldenRecord(element, '0Can not find the Customer Code', ''),
    );
  });

  it.each([CARD, BANK])('%s needs a code, then a login', async (element) => {
    const sandbox = await startWithRecords();
    expect(await callSandbox(sandbox, element, { city: 'X' }, { path })).toBe(goldenNullFailure(element));
    expect(await callSandbox(sandbox, element, { customerCode: 'A10000001' }, { path, login: {} })).toBe(
      goldenRecord(element, 'Error : Invalid Username or Password.', ''),
    );
  });
});

async function startWithRecords(): Promise<Sandbox> {
  const sandbox = await world.start({ now: NOW });
  await callSandbox(sandbox, 'CreateCreditCardCustomerCode', CARD_RECORD, { path });
  await callSandbox(sandbox, 'CreateACHEFTCustomerCode', BANK_RECORD, { path });
  return sandbox;
}

function detail(sandbox: Sandbox, customerCode: string): Promise<string> {
  return callSandbox(sandbox, 'GetCustomerCodeDetail', { customerCode }, { path });
}

function goldenDetail(xml: string): string {
  return goldenSuccess('GetCustomerCodeDetail', `<CUSTOMERS>${xml}</CUSTOMERS>`);
}
