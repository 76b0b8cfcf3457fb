import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CARD } from '../support/payment-rows.ts';
import { passesLuhn } from '../../src/kernel/luhn.ts';
import {
  endsAlike,
  hideCards,
  holdsCardNumber,
  lastFour,
  maskName,
  maskNumber,
  maskText,
  maskReason,
} from '../../src/kernel/mask.ts';

const DIGITS = Array.from({ length: 10 }, (_, digit) => String(digit));
const someDigits = (minLength: number, maxLength: number) =>
  fc.string({ minLength, maxLength, unit: fc.constantFrom(...DIGITS) });
const someText = fc.string({ maxLength: 60, unit: fc.constantFrom(...DIGITS, ' ', '.', '-', ',', 'x', '*', '€') });

describe('maskNumber', () => {
  it.each([
    ['4222222222222220', '************2220'],
    ['02100002100000000000000001', '**********************0001'],
    ['4222 2222 2222 2220', '***************2220'],
    ['4222-2222-2222-22-20', '***************22*20'],
    ['12345678', '****5678'],
    ['1234567', '*****67'],
    ['12345', '***45'],
    ['1234', '****'],
    ['1', '*'],
    ['', ''],
    ['4.11E+15', '******15'],
    ['4222222222222220 ', '************2220*'],
    ['no digits', '*********'],
    ['４２２２２２２２２２２２２２２０', '****************'],
  ])('makes %j %j', (text, masked) => {
    expect(maskNumber(text)).toBe(masked);
  });

  it('keeps the length, and shows the end that lastFour keeps and nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(someDigits(0, 30), someText), (text) => {
        const masked = maskNumber(text);
        const digits = text.replace(/\D/g, '');
        expect(masked).toHaveLength(text.length);
        expect(masked.replaceAll('*', '')).toBe(digits.length < 5 ? '' : lastFour(digits));
      }),
    );
  });
});

describe('lastFour', () => {
  it.each([
    ['4222222222222220', '2220'],
    ['02100002100000000000000001', '0001'],
    ['12345678', '5678'],
    ['1234567', '67'],
    ['1234', '34'],
    ['123', ''],
    ['', ''],
  ])('keeps of %j %j', (digits, kept) => {
    expect(lastFour(digits)).toBe(kept);
  });

  it('never keeps more than half of a number', () => {
    fc.assert(
      fc.property(someDigits(0, 30), (digits) => {
        expect(lastFour(digits).length).toBeLessThanOrEqual(digits.length / 2);
        expect(digits.endsWith(lastFour(digits))).toBe(true);
      }),
    );
  });
});

describe('endsAlike', () => {
  it.each([
    ['4***********2220', '2220', true],
    ['0*********************0001', '0001', true],
    ["'4***********2220", '2220', true],
    ["'4***********2220'", '2220', true],
    [' 5***5454 ', '5454', true],
    ['4222222222222220', '2220', true],
    ['4***********2221', '2220', false],
    ['4***********222', '2220', false],
    ['****20', '2220', false],
    ['****', '2220', false],
    ['', '2220', false],
    ['n/a', '2220', false],
    ['1*3456', '56', true],
    ['1*3457', '56', false],
    ['****56', '56', true],
    ['*****', '56', true],
    ['1****', '56', false],
    ['', '56', false],
    ['n/a', '56', false],
    ['4***********2220', '', false],
    ['****', '', false],
  ])('says of %j and %j: %s', (masked, digits, expected) => {
    expect(endsAlike(masked, digits)).toBe(expected);
  });

  it('knows every number again behind the mask of the service', () => {
    fc.assert(
      fc.property(someDigits(5, 26), (digits) => {
        const masked = `${digits.slice(0, 1)}${'*'.repeat(digits.length - 5)}${digits.slice(-4)}`;
        expect(endsAlike(masked, lastFour(digits))).toBe(true);
      }),
    );
  });

  it('knows every number again behind our own mask', () => {
    fc.assert(
      fc.property(someDigits(4, 26), (digits) => {
        expect(endsAlike(maskNumber(digits), lastFour(digits))).toBe(true);
      }),
    );
  });
});

describe('maskText', () => {
  it.each([
    ['card 4222222222222220 of Ada', 'card ************2220 of Ada'],
    ['card 4222 2222 2222 2220.', 'card **** **** **** 2220.'],
    ['4222-2222.2222 2220', '****-****.**** 2220'],
    ['4222222222222220,02100002100000000000000001', '************2220,**********************0001'],
    ['1234567', '*****67'],
    ['123456', '123456'],
    ['123 456', '123 456'],
    ['123  4567', '123  4567'],
    ['4222/2222/2222/2220', '****/****/****/2220'],
    ['cards_4222__2222__2222__2220.csv', 'cards_****__****__****__2220.csv'],
    ['3782_822463_10005', '****_******_*0005'],
    ['4222\u00a02222\u00a02222\u00a02220', '****\u00a0****\u00a0****\u00a02220'],
    ['4/2/2/2/2/2/2/2/2/2/2/2/2/2/2/0', '*/*/*/*/*/*/*/*/*/*/*/*/2/2/2/0'],
    ['\uff14\uff12\uff12\uff12\uff12\uff12\uff12\uff10', '****2220'],
    ['(4222)2222-2222(2220)', '(****)****-****(2220)'],
    ['42222222 - 22222220', '******** - ****2220'],
    ['422222...2222222220', '******...******2220'],
    ['4222/2222/2222/2221', '****/****/****/2221'],
    ['4,222,222,222,222,220', '*,***,***,***,**2,220'],
    ['21\u2019000\u2019021\u2019987', '**\u2019***\u2019**1\u2019987'],
    ['a total of 1,234,567.00', 'a total of 1,234,567.00'],
    ['06/15/2026 12:30, 25.00', '06/15/2026 12:30, 25.00'],
    ['export_20261120_0930.csv', 'export_****1120_0930.csv'],
    ['INV/4222/25', 'INV/4222/25'],
    ['monday-2026-06-15.csv', 'monday-****-06-15.csv'],
    ['June dues', 'June dues'],
    ['', ''],
  ])('makes %j %j', (text, masked) => {
    expect(maskText(text)).toBe(masked);
  });

  it('keeps length and all that is no digit, and leaves no run of seven digits', () => {
    fc.assert(
      fc.property(someText, (text) => {
        const masked = maskText(text);
        expect(masked).toHaveLength(text.length);
        expect(masked.replace(/[\d*]/g, '#')).toBe(text.replace(/[\d*]/g, '#'));
        expect(masked).not.toMatch(/\d(?:[ .-]?\d){6}/);
        expect(maskText(masked)).toBe(masked);
      }),
    );
  });
});

describe('hideCards', () => {
  it.each([
    ['a card number', 'day 4532015112830366.', 'day ************0366.'],
    ['one of an American Express card', '3782 822463 10005', '**** ****** *0005'],
    ['one with the same sign between its groups', 'x 4532.0151.1283.0366 y', 'x ****.****.****.0366 y'],
    ['one beside letters', 'nr4532015112830366', 'nr************0366'],
  ])('masks %s', (_what, text, shown) => {
    expect(hideCards(text)).toBe(shown);
  });

  it.each([
    ['an id of the service', 'batch 1000002, id 218036527618'],
    ['a number without a valid check digit', '4532015112830367'],
    ['columns of figures', '4532  0151  1283  0366'],
    ['a time', '2026-11-29T10:17:13.000Z'],
    ['a hash with a card number in it', `4532015112830366${'ab'.repeat(24)}`],
    ['a number of the next line', '4532\n0151\n1283\n0366'],
  ])('leaves %s', (_what, text) => {
    expect(hideCards(text)).toBe(text);
  });
});

describe('maskName', () => {
  it.each([
    'payments_20261124.csv',
    'payments_2026-11-24.csv',
    'payments 24.11.2026.csv',
    '11-24-2026.csv',
    '24112026.csv',
    'payments-20261124-093000.csv',
    'payments-2026-11-24 09-30.csv',
    'payments.20261124.12.csv',
    'monday.csv',
  ])('leaves %j as it is', (name) => {
    expect(maskName(name)).toBe(name);
  });

  it.each([
    ['4222222222222220.csv', '************2220.csv'],
    ['20261124-4222222222222220.csv', '********-************2220.csv'],
    ['20261124_4222222222222220.csv', '20261124_************2220.csv'],
    ['20261124 4222 2222 2222 2220', '******** **** **** **** 2220'],
    ['4222222222222220-20261124.csv', '****************-****1124.csv'],
    ['420261124.csv', '*****1124.csv'],
    ['202611240.csv', '*****1240.csv'],
    ['20261324.csv', '****1324.csv'],
    ['20261124-123456.csv', '20261124-123456.csv'],
    ['20261124-993456.csv', '********-**3456.csv'],
    ['2026-11.24.csv', '****-11.24.csv'],
    ['19991124.csv', '****1124.csv'],
    ['account 12345678', 'account ****5678'],
  ])('makes %j %j', (name, masked) => {
    expect(maskName(name)).toBe(masked);
  });

  it('hides every card number, whatever stands beside it', () => {
    const card = fc.constantFrom('4222222222222220', '4222 2222 2222 2220', '5555-5555-5555-4444', '378282246310005');
    const beside = fc.oneof(fc.constantFrom('20261124', '2026-11-24', '24.11.2026', '093000', ''), someText);
    const gap = fc.constantFrom('', ' ', '-', '.', '_');
    fc.assert(
      fc.property(beside, gap, card, gap, beside, (before, one, number, other, after) => {
        const masked = maskName([before, one, number, other, after].join(''));
        expect(masked).not.toContain(number);
        expect(holdsCardNumber(masked)).toBe(false);
        expect(maskName(masked)).toBe(masked);
      }),
    );
  });
});

describe('holdsCardNumber', () => {
  it.each([
    '4222222222222220',
    '4111111111111111',
    'card 4222222222222220, thanks',
    'x4222222222222220x',
    '4222 2222 2222 2220',
    '4222-2222-2222-2220',
    '4222-2222 2222-2220',
    '4 2 2 2 2 2 2 2 2 2 2 2 2 2 2 0',
    'in 2026 4222 2222 2222 2220 06 28',
    '4222222222222220 0628',
    '4222  2222  2222  2220',
    '4222.2222.2222.2220',
    '4,222,222,222,222,220',
    '4222 / 2222 / 2222 / 2220',
    '4222\u00a02222\u200c2222_2220',
    '3782_822463_10005',
    '(4222)2222-2222(2220)',
    '42222222/22222220',
    '422222...2222222220',
    'on 2026/4222/2222/2222/2220',
    '4.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0',
    '\uff14\uff12\uff12\uff12\uff12\uff12\uff12\uff12\uff12\uff12\uff12\uff12\uff12\uff12\uff12\uff10',
    '\u0664222\u0662222222222220',
    '4222222222222',
    ...['34', '37', '4', '50', '51', '55', '56', '59', '22', '27', '6', '65'].flatMap((prefix) =>
      [13, 16, 19].map((length) => cardOf(prefix, length)),
    ),
  ])('finds one in %j', (text) => {
    expect(holdsCardNumber(text)).toBe(true);
  });

  it.each([
    '',
    'June dues',
    '4222222222222221',
    '4222    2222    2222    2220',
    '4222.2222.2222.2221',
    '06/15/2026 12:30, 4222.00 and 22.22',
    '42222222222222200',
    '02100002100000000000000001',
    '0000000000000000',
    '1700000000000',
    ...['1', '20', '21', '28', '29', '30', '33', '35', '36', '38', '7', '8', '9', '0'].map((prefix) =>
      cardOf(prefix, 16),
    ),
    ...[12, 20].map((length) => cardOf('4', length)),
  ])('finds none in %j', (text) => {
    expect(holdsCardNumber(text)).toBe(false);
  });

  it('finds none in a text that maskText has masked', () => {
    fc.assert(
      fc.property(someText, (text) => {
        expect(holdsCardNumber(maskText(text))).toBe(false);
      }),
    );
    expect(holdsCardNumber(maskText('card 4222 2222 2222 2220'))).toBe(false);
  });
});

/** Returns a number with this prefix and length, and a correct check digit. */
function cardOf(prefix: string, length: number): string {
  const digits = prefix.padEnd(length - 1, '2');
  const check = DIGITS.find((digit) => passesLuhn(digits + digit));
  return digits + (check ?? '');
}

it.each([
  ['the sender recalls it', 'the sender recalls it'],
  ['sent twice on 2026-06-15', 'sent twice on 2026-06-15'],
  [`card ${CARD} is stolen`, 'card ************2220 is stolen'],
  ['card 4222 2222 2222 2220', 'card **** **** **** 2220'],
])('maskReason of %j is %j', (words, kept) => {
  expect(maskReason(words)).toBe(kept);
});
