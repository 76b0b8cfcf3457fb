import { describe, expect, it } from 'vitest';
import { REJECTIONS, saidRejection } from '../../../schemas/rejections.ts';
import { ALL_CODES, testCodes } from '../support/test-codes.ts';
import type { FolderOperation, Server } from '../../../schemas/operations.ts';
import { judgeRow, readRow } from '../../../src/sandbox/batch/process-batch.ts';
import {
  findRejection,
  numberOf,
  judgeCard,
  judgeCardRefund,
  MAGIC_CARDS,
} from '../../../src/sandbox/batch/magic-cards.ts';
import { passesLuhn } from '../../../src/kernel/luhn.ts';
import { maskNumber, shownEnd } from '../../../src/sandbox/batch/mask-number.ts';

const BANK = ['1001', 'Ada', 'Byron', 'CHECKING', '02100002100000000000000001', '5.00', 'Gift'];
const CARD = '06/15/2026,1001,Ada,Byron,1 Some Road,Troy,NY,12180,5.00,VISA,4222222222222220,1230'.split(',');
const CODE = ['1001', 'A10000001', '5.00', 'Gift'];

/** A good row of a layout, one cell of it changed, and the answer. */
const CASES: readonly [FolderOperation, readonly string[], number, string, string][] = [
  ['ach-charge', BANK, 0, '1001', 'Received'],
  ['ach-charge', BANK, 0, '', 'Received'],
  ['ach-charge', BANK, 3, 'Savings', 'Received'],
  ['ach-charge', BANK, 3, 'SAVING', 'Received'],
  ['ach-charge', BANK, 3, 'CHECKINGS', 'Wrong Format'],
  ['ach-charge', BANK, 3, 'GIRO', 'Wrong Format'],
  ['ach-charge', BANK, 3, '', 'Wrong Format'],
  ['ach-charge', BANK, 4, '1234', 'Received'],
  ['ach-charge', BANK, 4, '123', 'REJECT: 40'],
  ['ach-charge', BANK, 4, '123456789012345678901234567', 'REJECT: 40'],
  ['ach-charge', BANK, 4, '0210-0002', 'REJECT: 40'],
  ['ach-charge', BANK, 4, '', 'REJECT: 40'],
  ['ach-charge', BANK, 5, '5000.00', 'Received'],
  ['ach-charge', BANK, 5, '-5.00', 'Wrong Format'],
  ['ach-charge', BANK, 5, '0.00', 'Wrong Format'],
  ['ach-charge', BANK, 5, '$5.00', 'Wrong Format'],
  ['ach-refund', BANK, 5, '-5.00', 'Received'],
  ['ach-refund', BANK, 5, '5.00', 'Wrong Format'],
  ['ach-charge', CODE, 0, '1001', 'Received'],
  ['ach-charge', CODE, 1, 'X1', 'REJECT: 3'],
  ['ach-charge', CODE, 1, '', 'REJECT: 3'],
  ['ach-charge', CODE, 1, 'AX', 'Received'],
  ['ach-refund', CODE, 2, '-5.00', 'Received'],
  ['card', CODE, 0, '1001', 'OK: 678594:'],
  ['card', CODE, 1, 'X1', 'REJECT: 3'],
  ['card', CODE, 2, '2000.01', 'REJECT: 39'],
  ['card', CODE, 2, '-5.00', 'Wrong Format'],
  ['card', CARD, 0, '06/15/2026', 'OK: 678594:'],
  ['card', CARD, 0, '02/29/2024', 'OK: 678594:'],
  ['card', CARD, 0, '02/29/2026', 'Wrong Format'],
  ['card', CARD, 0, '15/06/2026', 'Wrong Format'],
  ['card', CARD, 0, '6/15/2026', 'Wrong Format'],
  ['card', CARD, 0, '2026-06-15', 'Wrong Format'],
  ['card', CARD, 8, '2000.00', 'OK: 678594:'],
  ['card', CARD, 8, '2000.01', 'REJECT: 39'],
  ['card', CARD, 8, '-5.00', 'Wrong Format'],
  ['card', CARD, 8, '', 'Wrong Format'],
  ['card', CARD, 9, 'ANYTHING', 'OK: 678594:'],
  ['card', CARD, 10, '4111111111111111', 'REJECT: 15'],
  ['card', CARD, 10, '4222222222222221', 'REJECT: 40'],
  ['card', CARD, 11, '12/30', 'OK: 678594:'],
  ['card', CARD, 11, '1217', 'OK: 678594:'],
  ['card', CARD, 11, '1330', 'Wrong Format'],
  ['card', CARD, 11, '12-30', 'Wrong Format'],
];

describe('judgeRow', () => {
  it.each(CASES)('%s: %j with cell %i as %j: %s', (kind, good, index, text, message) => {
    expect(judge(kind, good.with(index, text)).message).toBe(message);
  });

  it.each([
    ['ach-charge', CARD],
    ['ach-charge', ['1001', '5.00']],
    ['card', ['1001']],
    ['card', [...CARD, 'more']],
    ['ach-refund', [...BANK, '']],
  ] as const)('%s has no layout like %j', (kind, cells) => {
    expect(judge(kind, cells)).toEqual({ outcome: 'format_error', message: 'Wrong Format' });
  });

  it.each([
    ['card', 'bank', '5.00', 'REJECT: 3'],
    ['card', 'card', '5.00', 'OK: 678594:'],
    ['ach-charge', 'card', '5.00', 'REJECT: 3'],
    ['ach-refund', 'bank', '-5.00', 'Received'],
  ] as const)('%s with the code of a record that pays by %s', (kind, payment, amount, message) => {
    const setting = { kind, server: undefined, ipAddress: '', paymentOf: () => payment };
    expect(judgeRow(readRow(kind, CODE.with(2, amount)), setting).message).toBe(message);
  });

  it.each([
    ['card', '4111111111111111', '5.00', 'REJECT: 15'],
    ['card', '4111111111111111', '3.00', 'OK: 678594:'],
    ['card', '4222222222222220', '5.00', 'OK: 678594:'],
    ['card', '4222222222222221', '5.00', 'REJECT: 40'],
    ['ach-charge', BANK[4], '5.00', 'Received'],
    ['ach-charge', '1', '5.00', 'REJECT: 40'],
    ['card', undefined, '5.00', 'OK: 678594:'],
    ['ach-charge', undefined, '5.00', 'Received'],
  ] as const)('%s by code looks at the stored number %s and the amount %s: %s', (kind, number, amount, message) => {
    const asked: string[] = [];
    const recordOf = (code: string) => {
      asked.push(code);
      return number === undefined ? undefined : { number, method: '', expiry: '' };
    };
    const setting = { kind, server: undefined, ipAddress: '', recordOf };
    expect(judgeRow(readRow(kind, CODE.with(2, amount)), setting).message).toBe(message);
    expect(asked).toEqual([CODE[1]]);
  });

  it('gives each message its outcome', () => {
    expect(judge('ach-charge', BANK).outcome).toBe('accepted_pending');
    expect(judge('card', CARD).outcome).toBe('approved');
    expect(judge('card', CARD.with(10, '4111111111111111')).outcome).toBe('declined');
    expect(judge('ach-charge', BANK.with(4, '1')).outcome).toBe('declined');
  });
});

function judge(kind: FolderOperation, cells: readonly string[]) {
  return judgeRow(readRow(kind, cells), { kind, server: undefined, ipAddress: '' });
}

const ALWAYS = '4222222222222220';
const BY_AMOUNT = '4111111111111111';

describe('judgeCard', () => {
  it.each([
    [ALWAYS, 1, 'OK: 678594:'],
    [ALWAYS, 200_000, 'OK: 678594:'],
    [ALWAYS, 200_001, 'REJECT: 39'],
    [BY_AMOUNT, 100, 'OK: 678594:'],
    [BY_AMOUNT, 200, 'REJECT: 15'],
    [BY_AMOUNT, 300, 'OK: 678594:'],
    [BY_AMOUNT, 400, 'REJECT: 15'],
    [BY_AMOUNT, 500, 'REJECT: 15'],
    [BY_AMOUNT, 600, 'OK: 678594:X'],
    [BY_AMOUNT, 700, 'OK: 678594:y'],
    [BY_AMOUNT, 800, 'OK: 678594:A'],
    [BY_AMOUNT, 900, 'OK: 678594:Z'],
    [BY_AMOUNT, 1000, 'OK: 678594:N'],
    [BY_AMOUNT, 1100, 'REJECT: 15'],
    [BY_AMOUNT, 101, 'REJECT: 15'],
    [BY_AMOUNT, 1500, 'REJECT: 19'],
    [BY_AMOUNT, 1600, 'REJECT: 2'],
    [BY_AMOUNT, 200_001, 'REJECT: 39'],
    ['5555555555554444', 500, 'OK: 678594:'],
    ['9999999999999999', 500, 'REJECT: 40'],
    ['4111111111111112', 100, 'REJECT: 40'],
    ['4111111111111112', 200_001, 'REJECT: 40'],
    ['4111-1111-1111-1111', 100, 'REJECT: 40'],
    ['', 100, 'REJECT: 40'],
    [undefined, 500, 'OK: 678594:'],
    [undefined, 200_001, 'REJECT: 39'],
  ])('card %s, %i cents: %s', (number, amountCents, message) => {
    expect(judgeCard({ number, amountCents, server: undefined, ipAddress: '' })).toBe(message);
  });

  it.each<[number, Server | undefined, string, string]>([
    [19_200, 'NA', '', 'OK: 678594:'],
    [19_200, 'NA', '10.1.2.3', 'OK: 678594:'],
    [19_200, 'NA', '100', 'REJECT: 5'],
    [19_200, undefined, '2001:db8::1', 'REJECT: 5'],
    [19_200, 'UK', '100', 'REJECT: 15'],
    [100, 'NA', '100', 'OK: 678594:'],
  ])('%i cents on %s with the address %j: %s', (amountCents, server, ipAddress, message) => {
    expect(judgeCard({ number: BY_AMOUNT, amountCents, server, ipAddress })).toBe(message);
  });
});

describe('judgeCard with a security code', () => {
  it.each([
    ['1234', 'OK: 678594:Y'],
    ['123', 'REJECT: 19'],
    ['', 'REJECT: 19'],
  ])('%j decides about the amount that asks for it', (securityCode, message) => {
    const charge = { number: BY_AMOUNT, amountCents: 1500, server: undefined, ipAddress: '', securityCode };
    expect(judgeCard(charge)).toBe(message);
  });
});

describe('judgeCardRefund', () => {
  it.each([
    [ALWAYS, true, 'OK: 678594:'],
    [BY_AMOUNT, false, 'REJECT: 15'],
    ['5555555555554444', false, 'OK: 678594:'],
    ['5555555555554444', true, 'REJECT: 15'],
  ])('of %s, too much: %s', (charged, isTooMuch, message) => {
    expect(judgeCardRefund({ isCard: (number) => number === charged, isTooMuch })).toBe(message);
  });
});

describe('MAGIC_CARDS', () => {
  it('holds cards with right check digits, and each amount once', () => {
    for (const { number, amounts } of MAGIC_CARDS) {
      const cents = amounts.flatMap((amount) => amount.cents);
      expect(passesLuhn(number)).toBe(true);
      expect(new Set(cents).size).toBe(cents.length);
    }
  });
});

const MASKS = [
  ['4222222222222220', '4***********2220', '2220'],
  ['02100002100000000000000001', '0*********************0001', '0001'],
  ['12345678', '1***5678', '5678'],
  ['1234567', '*****67', '67'],
  ['1234', '**34', '34'],
  ['123', '***', ''],
  ['', '', ''],
  ['4111-1111-1111-1111', '4**************1111', '1111'],
  ['4.11E+15', '4***E+15', '15'],
  ['no number at all', 'n*********** all', ''],
] as const;

describe('maskNumber', () => {
  it.each(MASKS)('shows %s as %s', (text, mask) => {
    expect(maskNumber(text)).toBe(mask);
    expect(mask).toHaveLength(text.length);
  });
});

describe('shownEnd', () => {
  it.each(MASKS)('of %s, masked %s, is %j', (text, _, end) => {
    expect(shownEnd(text)).toBe(end);
  });
});

/** One of eight; sandbox.soak.test.ts tries them all. */
testCodes(ALL_CODES.filter((_code, index) => index % 8 === 5));

describe('numberOf', () => {
  it('is one of 57, and each has numbers of its own', () => {
    expect(ALL_CODES).toHaveLength(57);
    const numbers = ALL_CODES.flatMap((code) => [numberOf('card', code), numberOf('bank', code)]);
    expect(new Set(numbers).size).toBe(114);
    expect(numberOf('card', 14)).toBe('4000000000000143');
    expect(numberOf('card', 0)).toBe('4000000000000002');
    expect(numberOf('bank', 14)).toBe('88888888400000014');
  });
});

describe('findRejection', () => {
  it.each([
    ['card', '4000000000000135', 500, 'a code that is not listed'],
    ['card', '4000000000000144', 500, 'another check digit'],
    ['card', '4000000000000002', 101_300, 'an amount of no listed code'],
    ['card', '4000000000000002', 101_450, 'an amount with cents'],
    ['card', '4222222222222220', 101_400, 'another card'],
    ['card', '88888888400000014', 500, 'an account instead of a card'],
    ['bank', '4000000000000143', 500, 'a card instead of an account'],
    ['bank', '888888884000000140', 500, 'a longer account'],
    ['card', '', 500, 'no number'],
  ] as const)('leaves %s %s of %s cents alone: %s', (kind, number, cents, _why) => {
    expect(findRejection(kind, number, cents)).toBeUndefined();
  });
});

describe('saidRejection', () => {
  it.each(ALL_CODES)('says what %s means and what to do', (code) => {
    expect(saidRejection(code)).toMatch(/^[A-Z].*; [a-z].*[a-z]$/);
    expect(saidRejection(code)).toContain(REJECTIONS[code]!.message);
  });
});
