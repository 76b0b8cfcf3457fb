import { describe, expect, it } from 'vitest';
import { CARD_RECORD } from '../support/customer-fields.ts';
import { callSandbox, CUSTOMER_PATH, goldenNullFailure, goldenRecord, NOW } from '../support/process-call.ts';
import { STYLES } from '../support/soap-request.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();
const DELETE = 'DeleteCustomerCode';
const DETAIL = 'GetCustomerCodeDetail';
const path = CUSTOMER_PATH;

describe('deleteCustomer', () => {
  it.each(STYLES)('answers %s with a sentence, and the record is gone', async (style) => {
    const sandbox = await world.start({ now: NOW });
    await callSandbox(sandbox, 'CreateCreditCardCustomerCode', CARD_RECORD, { path });
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await callSandbox(sandbox, DELETE, { customerCode: 'A10000001' }, { path, style })).toBe(
        goldenRecord(DELETE, 'OK', '"A10000001" is deleted', style),
      );
    }
    expect(await callSandbox(sandbox, DETAIL, { customerCode: 'A10000001' }, { path })).toBe(
      goldenRecord(DETAIL, "Error : The customer code doesn't exist!", 'A10000001'),
    );
  });

  it('answers the same for a code that never was', async () => {
    const sandbox = await world.start();
    expect(await callSandbox(sandbox, DELETE, { customerCode: '-1' }, { path })).toBe(
      goldenRecord(DELETE, 'OK', '"-1" is deleted'),
    );
  });

  it('needs a code, then a login', async () => {
    const sandbox = await world.start();
    expect(await callSandbox(sandbox, DELETE, {}, { path, login: {} })).toBe(goldenNullFailure(DELETE));
    expect(await callSandbox(sandbox, DELETE, { customerCode: '' }, { path, login: {} })).toBe(
      goldenRecord(DELETE, 'Error : Invalid Username or Password.', ''),
    );
  });
});
