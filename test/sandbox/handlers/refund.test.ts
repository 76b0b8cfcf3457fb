import { describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { BANK_NUMBER, callSandbox, goldenNullFailure, goldenSuccess, NOW, valueOf } from '../support/process-call.ts';
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();
const CARD_REFUND = 'ProcessCreditCardRefundWithTransactionId';
const BANK_REFUND = 'ProcessACHEFTRefundWithTransactionId';
const FREE_CARD = '4222222222222220';
const AMOUNT_CARD = '4111111111111111';
const OTHER_CARD = '5555555555554444';
const DATES = '<SETTLEMENTBATCHDATE> 06/15/2017\n</SETTLEMENTBATCHDATE><SETTLEMENTDATE> 06/16/2017\n</SETTLEMENTDATE>';

describe('refund of a card', () => {
  it('has an id of its own and is in the books', async () => {
    const sandbox = await world.start({ now: NOW });
    const transactionId = await chargeCard(sandbox, FREE_CARD);
    expect(await callSandbox(sandbox, CARD_REFUND, { transactionId: `${transactionId}\n`, total: '-5' })).toBe(
      goldenSuccess(CARD_REFUND, cardResult('OK: 678594:', '<TRANSACTIONID>A6000002\n</TRANSACTIONID>')),
    );
    expect(sandbox.books()[1]).toMatchObject({
      operation: 'processCreditCardRefundWithTransactionId',
      invoice: 'INV-1',
      amountCents: -500,
      lastFour: '2220',
      outcome: 'approved',
      transactionId: 'A6000002',
    });
  });

  it('of an unknown id is not booked under an id', async () => {
    const sandbox = await world.start({ now: NOW });
    expect(await callSandbox(sandbox, CARD_REFUND, { transactionId: 'invalidref', total: '-5.00' })).toBe(
      goldenSuccess(CARD_REFUND, cardResult('REJECT: 39', '<TRANSACTIONID />')),
    );
  });

  it('refuses parts that come to more than the charge, and counts only what was paid back', async () => {
    const sandbox = await world.start({ now: NOW });
    const transactionId = await chargeCard(sandbox, OTHER_CARD);
    const messages = [];
    for (const total of ['-3.00', '-2.01', '-2.00', '-0.01']) {
      messages.push(await messageOf(sandbox, CARD_REFUND, { transactionId, total }));
    }
    expect(messages).toEqual([' OK: 678594:\n', ' REJECT: 15\n', ' OK: 678594:\n', ' REJECT: 15\n']);
  });

  it('counts refunds that arrive together', async () => {
    const sandbox = await world.start({ now: NOW });
    const transactionId = await chargeCard(sandbox, OTHER_CARD);
    const asked = Array.from({ length: 4 }, () => messageOf(sandbox, CARD_REFUND, { transactionId, total: '-5.00' }));
    expect((await Promise.all(asked)).sort()).toEqual([' OK: 678594:\n', ...Array(3).fill(' REJECT: 15\n')]);
  });

  it('may exceed the charge of the free card, and of any where that is switched on', async () => {
    const strict = await world.start();
    const free = await chargeCard(strict, FREE_CARD);
    expect(await messageOf(strict, CARD_REFUND, { transactionId: free, total: '-50.00' })).toBe(' OK: 678594:\n');
    const lax = await world.start({ refundsMayExceed: true });
    const other = await chargeCard(lax, OTHER_CARD);
    expect(await messageOf(lax, CARD_REFUND, { transactionId: other, total: '-50.00' })).toBe(' OK: 678594:\n');
  });

  it('is never granted for the card that answers by amount', async () => {
    const sandbox = await world.start();
    const transactionId = await chargeCard(sandbox, AMOUNT_CARD, '1.00');
    expect(await messageOf(sandbox, CARD_REFUND, { transactionId, total: '-1.00' })).toBe(' REJECT: 15\n');
  });

  it.each(['5.00', '0', 'five', ''])('refuses the total %j', async (total) => {
    const sandbox = await world.start();
    const transactionId = await chargeCard(sandbox, FREE_CARD);
    expect(await messageOf(sandbox, CARD_REFUND, { transactionId, total })).toBe(' REJECT: 5\n');
  });

  it('knows neither declined charges nor refunds, nor those of a bank or of another account', async () => {
    const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
    const sandbox = await world.start({ accounts });
    const approved = await chargeCard(sandbox, FREE_CARD);
    const declined = await chargeCard(sandbox, AMOUNT_CARD, '5.00');
    const bank = await chargeBank(sandbox);
    const answer = await callSandbox(sandbox, CARD_REFUND, { transactionId: approved, total: '-1' });
    const refunded = valueOf(answer, 'TRANSACTIONID').trim();
    for (const transactionId of [declined, bank, refunded, '']) {
      expect(await messageOf(sandbox, CARD_REFUND, { transactionId, total: '-1.00' })).toBe(' REJECT: 39\n');
    }
    const fields = { transactionId: approved, total: '-1.00' };
    const foreign = await callSandbox(sandbox, CARD_REFUND, fields, {
      login: { agentCode: 'OTHER', password: 'TEST88' },
    });
    expect(valueOf(foreign, 'AUTHORIZATIONRESULT')).toBe(' REJECT: 39\n');
  });
});

describe('refund of a bank charge', () => {
  it('is received, up to what was charged', async () => {
    const sandbox = await world.start({ now: NOW });
    const transactionId = await chargeBank(sandbox);
    expect(await callSandbox(sandbox, BANK_REFUND, { transactionId, total: '-5.00' })).toBe(
      goldenSuccess(BANK_REFUND, bankResult('OK: 555555:', '<TRANSACTIONID>A6000002\n</TRANSACTIONID>')),
    );
    expect(await callSandbox(sandbox, BANK_REFUND, { transactionId, total: '-0.01' })).toBe(
      goldenSuccess(BANK_REFUND, bankResult('REJECT: 15', '<TRANSACTIONID />')),
    );
  });

  it('of an unknown id is refused', async () => {
    const sandbox = await world.start({ now: NOW });
    expect(await callSandbox(sandbox, BANK_REFUND, { transactionId: 'A6000001', total: '-5.00' })).toBe(
      goldenSuccess(BANK_REFUND, bankResult('REJECT: 39', '<TRANSACTIONID />')),
    );
  });
});

describe('refund of a bank charge that went through the bank', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;

  it.each([
    ['1.00', 0, ' OK: 555555:\n', ' REJECT: 3\n'],
    ['1.00', 7, ' OK: 555555:\n', ' OK: 555555:\n'],
    ['3.00', 0, ' OK: 555555:\n', ' REJECT: 3\n'],
    ['3.00', 5, ' OK: 555555:\n', ' OK: 555555:\n'],
    ['3.00', 14, ' REJECT: 3\n', ' REJECT: 3\n'],
    ['5.00', 0, ' OK: 555555:\n', ' REJECT: 3\n'],
    ['5.00', 7, ' REJECT: 3\n', ' REJECT: 3\n'],
  ])('of %s after %d days: %j, and where it must have settled %j', async (total, days, message, strictMessage) => {
    for (const [refundsNeedSettlement, expected] of [
      [false, message],
      [true, strictMessage],
    ] as const) {
      // A Thursday; the bank answers on the next Monday.
      const sandbox = await world.start({ now: NOW, refundsNeedSettlement });
      const transactionId = await chargeBank(sandbox, total);
      sandbox.clock.advance(days * DAY_MS);
      expect(await messageOf(sandbox, BANK_REFUND, { transactionId, total: '-1.00' })).toBe(expected);
    }
  });
});

describe('any refund', () => {
  it.each([CARD_REFUND, BANK_REFUND])('%s needs an id and a total, and a login', async (element) => {
    const sandbox = await world.start();
    expect(await callSandbox(sandbox, element, { total: '-5.00' })).toBe(goldenNullFailure(element));
    expect(await callSandbox(sandbox, element, { transactionId: 'A6000001' })).toBe(goldenNullFailure(element));
    expect(await callSandbox(sandbox, element, { transactionId: '', total: '' }, { login: {} })).toBe(
      goldenSuccess(element, bankResult('REJECT: 1', '<TRANSACTIONID />')),
    );
    expect(sandbox.books()).toEqual([]);
  });

  it('knows its charge after a restart, and what of it was paid back', async () => {
    const dataDir = await world.folder();
    const before = await world.start({ dataDir });
    const transactionId = await chargeCard(before, OTHER_CARD);
    await messageOf(before, CARD_REFUND, { transactionId, total: '-3.00' });
    await before.close();
    const after = await world.start({ dataDir });
    expect(await messageOf(after, CARD_REFUND, { transactionId, total: '-3.00' })).toBe(' REJECT: 15\n');
    expect(await messageOf(after, CARD_REFUND, { transactionId, total: '-2.00' })).toBe(' OK: 678594:\n');
    expect(after.books().map((row) => row.transactionId)).toEqual(['A6000001', 'A6000002', 'A6000003', 'A6000004']);
  });
});

async function chargeCard(sandbox: Sandbox, creditCardNum: string, total = '5.00'): Promise<string> {
  const answer = await callSandbox(sandbox, 'ProcessCreditCard', { creditCardNum, total, invoiceNum: 'INV-1' });
  return valueOf(answer, 'TRANSACTIONID').trim();
}

async function chargeBank(sandbox: Sandbox, total = '5.00'): Promise<string> {
  const answer = await callSandbox(sandbox, 'ProcessACHEFT', { accountNum: BANK_NUMBER, total });
  return valueOf(answer, 'TRANSACTIONID').trim();
}

async function messageOf(sandbox: Sandbox, element: string, fields: Record<string, string>): Promise<string> {
  return valueOf(await callSandbox(sandbox, element, fields), 'AUTHORIZATIONRESULT');
}

function cardResult(message: string, id: string): string {
  return bankResult(message, DATES + id);
}

function bankResult(message: string, rest: string): string {
  return `<PROCESSRESULT><AUTHORIZATIONRESULT> ${message}\n</AUTHORIZATIONRESULT><CUSTOMERCODE />${rest}</PROCESSRESULT>`;
}
