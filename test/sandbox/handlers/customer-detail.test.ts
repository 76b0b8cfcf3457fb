import { describe, expect, it } from 'vitest';
import { BANK_RECORD, BANK_XML, CARD_RECORD, CARD_XML } from '../support/customer-fields.ts';
import {
  callSandbox,
  CUSTOMER_PATH,
  goldenNullFailure,
  goldenRecord,
  goldenSuccess,
  NOW,
} from '../support/process-call.ts';
import { STYLES } from '../support/soap-request.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();
const DETAIL = 'GetCustomerCodeDetail';
const path = CUSTOMER_PATH;

describe('customerDetail', () => {
  it.each(STYLES)('shows %s the records, numbers masked', async (style) => {
    const sandbox = await world.start({ now: NOW });
    await callSandbox(sandbox, 'CreateCreditCardCustomerCode', CARD_RECORD, { path });
    await callSandbox(sandbox, 'CreateACHEFTCustomerCode', BANK_RECORD, { path });
    for (const [customerCode, xml] of [
      ['A10000001', CARD_XML],
      ['A10000002', BANK_XML],
    ] as const) {
      expect(await callSandbox(sandbox, DETAIL, { customerCode }, { path, style })).toBe(
        goldenSuccess(DETAIL, `<CUSTOMERS>${xml}</CUSTOMERS>`, style),
      );
    }
  });

  it('shows the full name too when it is asked by the names of version 1', async () => {
    const sandbox = await world.start({ now: NOW });
    await callSandbox(sandbox, 'CreateCreditCardCustomerCode', CARD_RECORD, { path });
    const answer = await callSandbox(sandbox, `${DETAIL}V1`, { customerCode: 'A10000001' }, { path });
    const xml = CARD_XML.replace('</CSTC>', '</CSTC><FLN>Ada Byron</FLN>');
    expect(answer).toBe(goldenSuccess(`${DETAIL}V1`, `<CUSTOMERS>${xml}</CUSTOMERS>`));
  });

  it('does not know codes that never were, nor those of another account', async () => {
    const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
    const sandbox = await world.start({ now: NOW, accounts });
    await callSandbox(sandbox, 'CreateCreditCardCustomerCode', CARD_RECORD, { path });
    const login = { agentCode: 'OTHER', password: 'TEST88' };
    expect(await callSandbox(sandbox, DETAIL, { customerCode: 'A10000001' }, { path, login })).toBe(
      goldenRecord(DETAIL, "Error : The customer code doesn't exist!", 'A10000001'),
    );
  });

  it('needs a code, then a login', async () => {
    const sandbox = await world.start();
    expect(await callSandbox(sandbox, DETAIL, {}, { path, login: {} })).toBe(goldenNullFailure(DETAIL));
    expect(await callSandbox(sandbox, DETAIL, { customerCode: '' }, { path, login: {} })).toBe(
      goldenRecord(DETAIL, 'Error : Invalid Username or Password.', ''),
    );
  });
});
