import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ACCOUNT, kill, rowsOf, startChild } from './support/kill-sandbox.ts';
import { callSandbox, CUSTOMER_PATH, valueOf } from './support/process-call.ts';
import { fetchResult, submitBatch } from './support/soap-request.ts';
import { useSandboxes } from './support/sandbox-world.ts';

const world = useSandboxes();

/** kill.soak.test.ts kills more often. */
describe('a sandbox killed with SIGKILL', () => {
  it('has booked every batch whose id it gave away, and answers for it after a restart', async () => {
    const dataDir = await world.folder();
    const { url, child } = await startChild(dataDir);
    const batchId = await submitBatch(url, 'ProcessACHEFTChargeBatch', rowsOf('A', 2));
    await kill(child);
    const sandbox = await world.start({ dataDir });
    expect(sandbox.books().map((row) => ({ batchId: row.batchId, invoice: row.invoice }))).toEqual([
      { batchId, invoice: 'A-0' },
      { batchId, invoice: 'A-1' },
    ]);
    sandbox.clock.advance(60_000);
    expect(await fetchResult(sandbox.url, batchId)).toBe(
      'A-0,Ada,Byron,CHECKING,0*********************0001,5.00,Gift,Received\r\n' +
        'A-1,Ada,Byron,CHECKING,0*********************0001,5.00,Gift,Received\r\n',
    );
    const again = await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', rowsOf('A', 2));
    expect(Number(again)).toBe(Number(batchId) + 1);
    expect(sandbox.books().map(({ outcome }) => outcome)).toEqual([
      'accepted_pending',
      'accepted_pending',
      'duplicate',
      'duplicate',
    ]);
    expect(await readFile(join(dataDir, 'books.jsonl'), 'utf8')).not.toContain(ACCOUNT);
  });

  it('has kept every charge and record that it answered for, and no number in the clear', async () => {
    const dataDir = await world.folder();
    const { url, child } = await startChild(dataDir);
    const card = { ccNum: '4222222222222220', ccExp: '12/49', total: '5.00' };
    const charged = await callSandbox({ url }, 'CreateCustomerCodeAndProcessCreditCard', card);
    const bank = { accountNum: ACCOUNT, customerCode: 'TM1001' };
    await callSandbox({ url }, 'CreateACHEFTCustomerCode', bank, { path: CUSTOMER_PATH });
    const city = { customerCode: 'TM1001', city: 'Troy' };
    await callSandbox({ url }, 'UpdateACHEFTCustomerCode', city, { path: CUSTOMER_PATH });
    const gone = { customerCode: 'A10000001' };
    await callSandbox({ url }, 'DeleteCustomerCode', gone, { path: CUSTOMER_PATH });
    await kill(child);
    const sandbox = await world.start({ dataDir });
    const detail = await callSandbox(sandbox, 'GetCustomerCodeDetail', bank, { path: CUSTOMER_PATH });
    expect(valueOf(detail, 'CTY')).toBe('Troy');
    expect(valueOf(detail, 'ACN')).toBe('0*********************0001');
    const byCode = (customerCode: string) => ({ customerCode, total: '5.00' });
    const paid = await callSandbox(sandbox, 'ProcessACHEFTWithCustomerCode', byCode('TM1001'));
    expect(valueOf(paid, 'TRANSACTIONID')).toBe('A6000002\n');
    const refused = await callSandbox(sandbox, 'ProcessCreditCardWithCustomerCode', byCode('A10000001'));
    expect(valueOf(refused, 'AUTHORIZATIONRESULT')).toBe(' REJECT: 3\n');
    const next = await callSandbox(sandbox, 'CreateCustomerCodeAndProcessCreditCard', card);
    expect(valueOf(next, 'CUSTOMERCODE')).toBe('A10000002');
    const transactionId = valueOf(charged, 'TRANSACTIONID');
    const refund = await callSandbox(sandbox, 'ProcessCreditCardRefundWithTransactionId', {
      transactionId,
      total: '-5',
    });
    expect(valueOf(refund, 'AUTHORIZATIONRESULT')).toBe(' OK: 678594:\n');
    const file = await readFile(join(dataDir, 'books.jsonl'), 'utf8');
    expect(file).toContain('"lastFour":"2220"');
    for (const number of [ACCOUNT, card.ccNum]) expect(file).not.toContain(number);
  });
});
