import { describe, expect, it } from 'vitest';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { openLog } from '../../../src/kernel/log.ts';
import {
  BAD_LOGIN_BATCH_PAYLOAD,
  BATCH_TEXTS,
  batchPayload,
  batchResult,
  batchSubmission,
  FAILED_BATCH_PAYLOAD,
} from '../../../src/sandbox/handlers/batches.ts';
import { createCustomer } from '../../../src/sandbox/handlers/customers.ts';
import type { HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { ACCOUNT, makeCall, makeContext } from '../support/make-context.ts';
import { toBase64 } from '../support/soap-request.ts';
import { cardRow, MAGIC_CARD } from '../../support/payment-rows.ts';

const BANK_ROW = '1001,Ada,Byron,CHECKING,02100002100000000000000001,5.00,Gift';
const CARD_ROW = '06/15/2026,1001,Ada Byron,5.00,VISA,4222222222222220,1230';

describe('batchSubmission', () => {
  it('books the rows and answers with the batch id', async () => {
    const { context } = await makeContext();
    expect(await submit(context, 'ach-charge', BANK_ROW)).toEqual({
      payload: batchPayload(BATCH_TEXTS.running, '1000001'),
    });
    expect(context.books.rows()).toMatchObject([
      {
        at: '2026-06-15T10:00:00.000Z',
        account: 'TEST88',
        operation: 'processACHEFTChargeBatch',
        batchId: '1000001',
        position: 1,
        outcome: 'accepted_pending',
      },
    ]);
    expect(context.books.findBatch('TEST88', '1000001')?.readyAt.toISOString()).toBe('2026-06-15T10:00:01.000Z');
  });

  it.each(['', 'garbage', toBase64(BANK_ROW), '\u0000\u0001'])('takes any file: %j', async (file) => {
    const { context } = await makeContext();
    expect(await submit(context, 'card', file)).toEqual({ payload: batchPayload(BATCH_TEXTS.running, '1000001') });
    expect(context.books.rows().every(({ outcome }) => outcome === 'format_error')).toBe(true);
  });

  it.each([
    ['card', CARD_ROW, true, ['approved', 'duplicate']],
    ['card', CARD_ROW, false, ['approved', 'approved']],
    ['ach-charge', BANK_ROW, true, ['accepted_pending', 'duplicate']],
    ['ach-charge', BANK_ROW, false, ['accepted_pending', 'duplicate']],
    ['ach-refund', BANK_ROW.replace('5.00', '-5.00'), true, ['accepted_pending', 'duplicate']],
  ] as const)('%s rows sent again, cardDuplicates %s', async (kind, row, cardDuplicates, outcomes) => {
    const { context } = await makeContext({ cardDuplicates });
    await submit(context, kind, row);
    await submit(context, kind, row);
    expect(context.books.rows().map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('keeps charges, refunds and cards of one invoice apart, and so the accounts', async () => {
    const { context } = await makeContext();
    await submit(context, 'ach-charge', '1001,A1,5.00,');
    await submit(context, 'card', '1001,A1,5.00,');
    await submit(context, 'ach-refund', '1001,A1,-5.00,');
    await submit(context, 'ach-charge', '1001,A1,5.00,', { ...ACCOUNT, agentCode: 'OTHER' });
    expect(context.books.rows().map(({ charged }) => charged)).toEqual([true, true, true, true]);
  });

  it('refuses the code of a record that pays another way, and no other', async () => {
    const { context } = await makeContext();
    const card = { creditCardNum: '4222222222222220', creditCardExpiry: '12/30' };
    await createCustomer('card').answer(makeCall('createCreditCardCustomerCode', card), context);
    const rows = '1001,A10000001,5.00,\n1002,A10000009,5.00,';
    await submit(context, 'ach-charge', rows);
    await submit(context, 'card', rows);
    const messages = context.books.rows().map(({ message }) => message);
    expect(messages).toEqual(['REJECT: 3', 'Received', 'OK: 678594:', 'OK: 678594:']);
  });

  it('judges a stored card by its number', async () => {
    const { context } = await makeContext();
    const card = { creditCardNum: '4111111111111111', creditCardExpiry: '12/30' };
    await createCustomer('card').answer(makeCall('createCreditCardCustomerCode', card), context);
    await submit(context, 'card', '1001,A10000001,1.00,\n1002,A10000001,5.00,\n1003,A10000009,5.00,');
    const messages = context.books.rows().map(({ message }) => message);
    expect(messages).toEqual(['OK: 678594:', 'REJECT: 15', 'OK: 678594:']);
    expect(JSON.stringify(context.books.rows())).not.toContain('4111111111111111');
  });

  it('takes as many rows as are allowed and not one more', async () => {
    const { context } = await makeContext({ maxRows: 2 });
    expect(await submit(context, 'ach-charge', 'a\n\nb\n')).not.toHaveProperty('error');
    expect(await submit(context, 'ach-charge', 'a\nb\nc')).toEqual({
      payload: FAILED_BATCH_PAYLOAD,
      error: 'Bad request. A batch may have 2 rows at most (--max-rows).',
    });
    expect(context.books.rows()).toHaveLength(2);
  });

  it('lets the address of the payer and the server decide about the amount that asks for it', async () => {
    const { context } = await makeContext();
    const row = cardRow(1, { card: MAGIC_CARD, amount: '192.00' });
    await submit(context, 'card', row, ACCOUNT, '100');
    await submit(context, 'card', row, { ...ACCOUNT, server: 'UK' }, '');
    await submit(context, 'card', row, ACCOUNT, '10.1.2.3');
    expect(context.books.rows().map(({ message }) => message)).toEqual(['REJECT: 5', 'REJECT: 15', 'OK: 678594:']);
  });

  it('logs ids and counts, and nothing of a row', async () => {
    const lines: string[] = [];
    const { context } = await makeContext({
      log: openLog({ destination: { write: (line: string) => lines.push(line) } }),
    });
    await submit(context, 'ach-charge', BANK_ROW);
    const { time: _, ...line } = JSON.parse(lines.join(''));
    expect(line).toEqual({
      level: 'info',
      batchId: '1000001',
      account: 'TEST88',
      operation: 'processACHEFTChargeBatch',
      rows: 1,
      msg: 'batch taken',
    });
  });
});

const OPERATION = {
  card: 'processCreditCardBatch',
  'ach-charge': 'processACHEFTChargeBatch',
  'ach-refund': 'processACHEFTRefundBatch',
} as const;

function submit(
  context: HandlerContext,
  kind: FolderOperation,
  file: string,
  account = ACCOUNT,
  customerIPAddress = '',
) {
  const call = makeCall(OPERATION[kind], { batchFile: toBase64(file), customerIPAddress }, account);
  return batchSubmission(kind).answer(call, context);
}

describe('batchResult', () => {
  it('is running until its time, then done with the file', async () => {
    const { context, clock } = await makeContext();
    await submitCards(context, 'a,b');
    clock.advance(999);
    expect(await ask(context, '1000001')).toEqual({ payload: batchPayload(BATCH_TEXTS.running, '1000001') });
    clock.advance(1);
    const file = `<BATCHPROCESSRESULTFILE>${toBase64('a,b,Wrong Format\r\n')}</BATCHPROCESSRESULTFILE>`;
    const done = { payload: batchPayload(BATCH_TEXTS.done, '1000001', file) };
    expect(await ask(context, '1000001')).toEqual(done);
    expect(await ask(context, ' 1000001\n')).toEqual(done);
  });

  it('is done with an empty file when nothing was sent', async () => {
    const { context, clock } = await makeContext();
    await submitCards(context, '');
    clock.advance(1000);
    expect(await ask(context, '1000001')).toEqual({
      payload: batchPayload(BATCH_TEXTS.done, '1000001', '<BATCHPROCESSRESULTFILE />'),
    });
  });

  it.each(['1000002', '', 'x', '01000001', '1000001.0'])('does not know the batch %j', async (batchId) => {
    const { context, clock } = await makeContext();
    await submitCards(context, 'a,b');
    clock.advance(1000);
    expect(await ask(context, batchId)).toEqual({ payload: batchPayload(BATCH_TEXTS.unknown, batchId) });
  });

  it('does not know the batches of another account', async () => {
    const { context, clock } = await makeContext();
    await submitCards(context, 'a,b');
    clock.advance(1000);
    const other = makeCall('getBatchProcessResultFile', { batchId: '1000001' }, { ...ACCOUNT, agentCode: 'OTHER' });
    expect(await batchResult.answer(other, context)).toEqual({ payload: batchPayload(BATCH_TEXTS.unknown, '1000001') });
  });
});

function submitCards(context: HandlerContext, file: string) {
  return batchSubmission('card').answer(makeCall('processCreditCardBatch', { batchFile: toBase64(file) }), context);
}

function ask(context: HandlerContext, batchId: string) {
  return batchResult.answer(makeCall('getBatchProcessResultFile', { batchId }), context);
}

describe('batchPayload', () => {
  it('carries no padding', () => {
    expect(batchPayload(BATCH_TEXTS.running, '1000001')).toBe(
      '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT>Batch Processing, Please Wait ....</AUTHORIZATIONRESULT>' +
        '<BATCHID>1000001</BATCHID></BATCHPROCESSRESULT>',
    );
  });

  it('adds what comes after the batch id', () => {
    expect(batchPayload(BATCH_TEXTS.done, '7', '<X />')).toMatch(/<BATCHID>7<\/BATCHID><X \/><\/BATCHPROCESSRESULT>$/);
  });

  it('escapes a batch id that a client made up', () => {
    expect(batchPayload(BATCH_TEXTS.unknown, '<x>')).toContain('<BATCHID>&lt;x&gt;</BATCHID>');
  });
});

describe('the payloads without a batch', () => {
  it('name none', () => {
    expect(FAILED_BATCH_PAYLOAD).toBe('<BATCHPROCESSRESULT><AUTHORIZATIONRESULT /></BATCHPROCESSRESULT>');
    expect(BAD_LOGIN_BATCH_PAYLOAD).toBe(
      '<BATCHPROCESSRESULT><AUTHORIZATIONRESULT>REJECT: 1</AUTHORIZATIONRESULT><BATCHID /></BATCHPROCESSRESULT>',
    );
  });
});
