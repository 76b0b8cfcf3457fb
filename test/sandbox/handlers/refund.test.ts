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
import { useSandboxes } from '../support/sandbox-world.ts';

const world = useSandboxes();

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await world.start({ now: NOW });
});
const CARD_REFUND = 'ProcessCreditCardRefundWithTransactionId';
const BANK_REFUND = 'ProcessACHEFTRefundWithTransactionId';
const FREE_CARD = '4222222222222220';
const AMOUNT_CARD = '4111111111111111';
const OTHER_CARD = '5555555555554444';

describe('refund of a card', () => {
  it('has an id of its own and is in the books', async () => {
    const transactionId = await chargeCard(FREE_CARD);
    expect(await call(CARD_REFUND, { transactionId: `${transactionId}\n`, total: '-5' })).toBe(
      goldenSuccess(CARD_REFUND, cardResult('OK: 678594:', 'A6000002')),
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
    expect(await call(CARD_REFUND, { transactionId: 'invalidref', total: '-5.00' })).toBe(
      goldenSuccess(CARD_REFUND, cardResult('REJECT: 39', '')),
    );
  });

  it('refuses parts that come to more than the charge, and counts only what was paid back', async () => {
    const transactionId = await chargeCard(OTHER_CARD);
    const messages = [];
    for (const total of ['-3.00', '-2.01', '-2.00', '-0.01']) {
      messages.push(await said(CARD_REFUND, { transactionId, total }));
    }
    expect(messages).toEqual(['OK: 678594:', 'REJECT: 15', 'OK: 678594:', 'REJECT: 15']);
  });

  it('counts refunds that arrive together', async () => {
    const transactionId = await chargeCard(OTHER_CARD);
    const asked = Array.from({ length: 4 }, () => said(CARD_REFUND, { transactionId, total: '-5.00' }));
    expect((await Promise.all(asked)).sort()).toEqual(['OK: 678594:', ...Array(3).fill('REJECT: 15')]);
  });

  it('may exceed the charge of the free card, and of any where that is switched on', async () => {
    const free = await chargeCard(FREE_CARD);
    expect(await said(CARD_REFUND, { transactionId: free, total: '-50.00' })).toBe('OK: 678594:');
    sandbox = await world.start({ refundsMayExceed: true });
    const other = await chargeCard(OTHER_CARD);
    expect(await said(CARD_REFUND, { transactionId: other, total: '-50.00' })).toBe('OK: 678594:');
  });

  it('is never granted for the card that answers by amount', async () => {
    const transactionId = await chargeCard(AMOUNT_CARD, '1.00');
    expect(await said(CARD_REFUND, { transactionId, total: '-1.00' })).toBe('REJECT: 15');
  });

  it.each(['5.00', '0', 'five', ''])('refuses the total %j', async (total) => {
    const transactionId = await chargeCard(FREE_CARD);
    expect(await said(CARD_REFUND, { transactionId, total })).toBe('REJECT: 5');
  });

  it('knows neither declined charges nor refunds, nor those of a bank or of another account', async () => {
    const accounts = ['TEST88', 'OTHER'].map((agentCode) => ({ agentCode, password: 'TEST88' }));
    sandbox = await world.start({ accounts });
    const approved = await chargeCard(FREE_CARD);
    const declined = await chargeCard(AMOUNT_CARD, '5.00');
    const bank = await chargeBank();
    const answer = await call(CARD_REFUND, { transactionId: approved, total: '-1' });
    const refunded = valueOf(answer, 'TRANSACTIONID').trim();
    for (const transactionId of [declined, bank, refunded, '']) {
      expect(await said(CARD_REFUND, { transactionId, total: '-1.00' })).toBe('REJECT: 39');
    }
    const fields = { transactionId: approved, total: '-1.00' };
    const login = { agentCode: 'OTHER', password: 'TEST88' };
    expect(await said(CARD_REFUND, fields, { login })).toBe('REJECT: 39');
  });
});

describe('refund of a bank charge', () => {
  it('is received, up to what was charged', async () => {
    const transactionId = await chargeBank();
    expect(await call(BANK_REFUND, { transactionId, total: '-5.00' })).toBe(
      goldenSuccess(BANK_REFUND, bankResult('OK: 555555:', 'A6000002')),
    );
    expect(await call(BANK_REFUND, { transactionId, total: '-0.01' })).toBe(
      goldenSuccess(BANK_REFUND, bankResult('REJECT: 15', '')),
    );
  });

  it('of an unknown id is refused', async () => {
    expect(await call(BANK_REFUND, { transactionId: 'A6000001', total: '-5.00' })).toBe(
      goldenSuccess(BANK_REFUND, bankResult('REJECT: 39', '')),
    );
  });
});

describe('refund of a bank charge that went through the bank', () => {
  const DAY_MS = 24 * 60 * 60 * 1000;

  it.each([
    ['1.00', 0, 'OK: 555555:', 'REJECT: 3'],
    ['1.00', 7, 'OK: 555555:', 'OK: 555555:'],
    ['3.00', 0, 'OK: 555555:', 'REJECT: 3'],
    ['3.00', 5, 'OK: 555555:', 'OK: 555555:'],
    ['3.00', 14, 'REJECT: 3', 'REJECT: 3'],
    ['5.00', 0, 'OK: 555555:', 'REJECT: 3'],
    ['5.00', 7, 'REJECT: 3', 'REJECT: 3'],
  ])('of %s after %d days: %j, and where it must have settled %j', async (total, days, message, strictMessage) => {
    for (const [refundsNeedSettlement, expected] of [
      [false, message],
      [true, strictMessage],
    ] as const) {
      // A Thursday; the bank answers on the next Monday.
      sandbox = await world.start({ now: NOW, refundsNeedSettlement });
      const transactionId = await chargeBank(total);
      sandbox.clock.advance(days * DAY_MS);
      expect(await said(BANK_REFUND, { transactionId, total: '-1.00' })).toBe(expected);
    }
  });
});

describe('any refund', () => {
  it.each([CARD_REFUND, BANK_REFUND])('%s needs an id and a total, and a login', async (element) => {
    expect(await call(element, { total: '-5.00' })).toBe(goldenNullFailure(element));
    expect(await call(element, { transactionId: 'A6000001' })).toBe(goldenNullFailure(element));
    expect(await call(element, { transactionId: '', total: '' }, { login: {} })).toBe(
      goldenSuccess(element, bankResult('REJECT: 1', '')),
    );
    expect(sandbox.books()).toEqual([]);
  });

  it('knows its charge after a restart, and what of it was paid back', async () => {
    const dataDir = await world.folder();
    sandbox = await world.start({ dataDir });
    const transactionId = await chargeCard(OTHER_CARD);
    await said(CARD_REFUND, { transactionId, total: '-3.00' });
    await sandbox.close();
    sandbox = await world.start({ dataDir });
    expect(await said(CARD_REFUND, { transactionId, total: '-3.00' })).toBe('REJECT: 15');
    expect(await said(CARD_REFUND, { transactionId, total: '-2.00' })).toBe('OK: 678594:');
    expect(sandbox.books().map((row) => row.transactionId)).toEqual(['A6000001', 'A6000002', 'A6000003', 'A6000004']);
  });
});

async function chargeCard(creditCardNum: string, total = '5.00'): Promise<string> {
  const answer = await call('ProcessCreditCard', { creditCardNum, total, invoiceNum: 'INV-1' });
  return valueOf(answer, 'TRANSACTIONID').trim();
}

async function chargeBank(total = '5.00'): Promise<string> {
  const answer = await call('ProcessACHEFT', { accountNum: BANK_NUMBER, total });
  return valueOf(answer, 'TRANSACTIONID').trim();
}

function call(...[element, fields, options]: CallArguments): Promise<string> {
  return callSandbox(sandbox, element, fields, options);
}

function said(...[element, fields, options]: CallArguments): Promise<string> {
  return messageOf(sandbox, element, fields, options);
}
