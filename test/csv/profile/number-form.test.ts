import { describe, expect, it } from 'vitest';
import { compileNumberForm, type NumberForm } from '../../../src/csv/profile/number-form.ts';
import { LARGEST_CENTS } from '../../../src/kernel/money.ts';

const DEFAULTS: NumberForm = {
  decimal: '.',
  group: 'none',
  places: 2,
  whole: 'refuse',
  negative: ['minus'],
  unit: 'money',
};
const GERMAN: Partial<NumberForm> = { decimal: ',', group: '.' };
const ENGLISH: Partial<NumberForm> = { group: ',' };
const ALL_NEGATIVES: NumberForm['negative'] = ['minus', 'trailing-minus', 'parentheses', 'unicode-minus'];

/** Reads an amount: cents, or the code and the detail. */
function read(form: Partial<NumberForm>, text: string, isUnsigned = false): number | string {
  const found = compileNumberForm({ ...DEFAULTS, ...form }, { largestCents: LARGEST_CENTS, isUnsigned })(text);
  return typeof found === 'number' ? found : [found.code, found.detail].join(' ').trim();
}

/** Reads an amount: cents, or the code. */
function centsOrCode(form: Partial<NumberForm>, text: string, isUnsigned = false): number | string {
  const found = read(form, text, isUnsigned);
  return typeof found === 'number' ? found : found.split(' ')[0]!;
}

describe('marks and places', () => {
  it.each<[Partial<NumberForm>, string, number | string]>([
    [{}, '1200.00', 120_000],
    [{}, '0.05', 5],
    [{}, '0025.00', 2500],
    [{}, '0.00', 0],
    [{}, '-0.00', 0],
    [{}, '1200', 'NUMBER_FORMAT'],
    [{}, '.50', 'NUMBER_FORMAT'],
    [{}, '1200.', 'NUMBER_FORMAT'],
    [{}, '25.005', 'NUMBER_FORMAT'],
    [{}, '25.0', 'NUMBER_FORMAT'],
    [{}, '1,200.00', 'NUMBER_FORMAT'],
    [{}, '\u0662\u0665.\u0660\u0660', 'NUMBER_FORMAT'],
    [{}, '25.00\n', 'NUMBER_FORMAT'],
    [{}, '2 5.00', 'NUMBER_FORMAT'],
    [{}, '+25.00', 'NUMBER_FORMAT'],
    [{}, '25.00 USD', 'NUMBER_FORMAT'],
    [{}, '90000000.00', 9_000_000_000],
    [{}, '90000000.01', 'NUMBER_FORMAT'],
    [{}, `${'9'.repeat(400)}.00`, 'NUMBER_FORMAT'],
    [GERMAN, '1.234,56', 123_456],
    [GERMAN, '234,56', 23_456],
    [GERMAN, '1234,56', 123_456],
    [GERMAN, '1.234.567,89', 123_456_789],
    [GERMAN, '1.000', 'NUMBER_FORMAT'],
    [{ ...GERMAN, whole: 'allow' }, '1.000', 100_000],
    [{ ...GERMAN, whole: 'allow' }, '0.500', 'NUMBER_FORMAT'],
    [{ ...GERMAN, whole: 'allow' }, '1.0', 'NUMBER_FORMAT'],
    [GERMAN, '1.50', 'NUMBER_FORMAT'],
    [GERMAN, '12.34,56', 'NUMBER_FORMAT'],
    [GERMAN, '1,234.56', 'NUMBER_FORMAT'],
    [GERMAN, '1.234,5', 'NUMBER_FORMAT'],
    [GERMAN, '1234.567,00', 'NUMBER_FORMAT'],
    [GERMAN, '.234,56', 'NUMBER_FORMAT'],
    [GERMAN, '1..234,56', 'NUMBER_FORMAT'],
    [GERMAN, '012.345,00', 'NUMBER_FORMAT'],
    [{ ...GERMAN, places: '1..2' }, '1.234,5', 123_450],
    [{ ...GERMAN, places: '1..2' }, '1.234,567', 'NUMBER_FORMAT'],
    [ENGLISH, '1,200.00', 120_000],
    [ENGLISH, '1,20.00', 'NUMBER_FORMAT'],
    [{ ...GERMAN, group: 'space' }, '1 234,50', 123_450],
    [{ ...GERMAN, group: 'space' }, '1\u00a0234,50', 123_450],
    [{ ...GERMAN, group: 'space' }, '1\u202f234\u202f567,50', 123_456_750],
    [{ ...GERMAN, group: 'space' }, '1\u2009234,50', 123_450],
    [{ ...GERMAN, group: 'space' }, '1.234,50', 'NUMBER_FORMAT'],
    [{ group: 'apostrophe' }, "1'234.50", 123_450],
    [{ group: 'apostrophe' }, '1\u2019234.50', 123_450],
    [{ decimal: 'none' }, '25', 'NUMBER_FORMAT'],
    [{ decimal: 'none', whole: 'allow' }, '25', 2500],
    [{ decimal: 'none', whole: 'allow' }, '25.00', 'NUMBER_FORMAT'],
    [{ decimal: undefined }, '25.00', 'NUMBER_FORMAT'],
  ])('by %j read %j as %s', (form, text, expected) => {
    expect(centsOrCode(form, text)).toBe(expected);
  });
});

describe('the currency sign', () => {
  it.each<[string, string, number | string]>([
    ['$', '$25.00', 2500],
    ['$', '25.00 $', 2500],
    ['$', '$\u00a025.00', 2500],
    ['$', '25.00', 2500],
    ['$', '\u20ac25.00', 'NUMBER_FORMAT'],
    ['$', '$  25.00', 'NUMBER_FORMAT'],
    ['$', '$25.00$', 'NUMBER_FORMAT'],
    ['$', '$$25.00', 'NUMBER_FORMAT'],
    ['$', '$', 'NUMBER_FORMAT'],
    ['CHF', 'CHF 25.00', 2500],
    ['CHF', 'chf 25.00', 'NUMBER_FORMAT'],
    ['$', '-$25.00', -2500],
    ['$', '$-25.00', -2500],
    ['$', '-25.00 $', -2500],
    ['$', '25.00- $', -2500],
    ['$', '25.00 $-', -2500],
    ['$', '($25.00)', -2500],
    ['$', '$(25.00)', -2500],
    ['$', '(25.00 $)', -2500],
    ['$', '(25.00) $', -2500],
    ['$', '-$-25.00', 'SIGN_TWICE'],
    ['$', '-$25.00-', 'SIGN_TWICE'],
  ])('%s may stand once, so %j is %s', (symbol, text, expected) => {
    expect(centsOrCode({ symbol, negative: ALL_NEGATIVES }, text)).toBe(expected);
  });
});

describe('signs', () => {
  const TEXTS: { readonly [Name in NumberForm['negative'][number]]: string } = {
    minus: '-25.00',
    'trailing-minus': '25.00-',
    parentheses: '(25.00)',
    'unicode-minus': '\u221225.00',
  };

  it.each(ALL_NEGATIVES)('%s is taken where the profile has it, and nowhere else', (name) => {
    expect(centsOrCode({ negative: [name] }, TEXTS[name])).toBe(-2500);
    const others = ALL_NEGATIVES.filter((other) => other !== name);
    expect(centsOrCode({ negative: others }, TEXTS[name])).toBe('NUMBER_FORMAT');
    expect(centsOrCode({ negative: [name] }, TEXTS[name], true)).toBe('SIGN_TWICE');
  });

  it.each(['(-25.00)', '--25.00', '-25.00-', '(25.00-)', '\u2212(25.00)', '-\u221225.00', '25.00--', '---25.00'])(
    'two of them in %s are one too many',
    (text) => {
      expect(centsOrCode({ negative: ALL_NEGATIVES }, text)).toBe('SIGN_TWICE');
      expect(centsOrCode({}, text)).toBe('SIGN_TWICE');
    },
  );

  it.each(['(25.00', '25.00)', '25.00\u2212', '- 25.00', ')25.00('])('%s has none', (text) => {
    expect(centsOrCode({ negative: ALL_NEGATIVES }, text)).toBe('NUMBER_FORMAT');
  });
});

describe('cents', () => {
  const form = { unit: 'cents', digits: 10 } as const;

  it.each([
    ['0000002500', 2500],
    ['0000000000', 0],
    ['2500', 'NUMBER_FORMAT'],
    ['25.00', 'NUMBER_FORMAT'],
    ['00000002500', 'NUMBER_FORMAT'],
    ['000000250-', 'NUMBER_FORMAT'],
    ['9000000001', 'NUMBER_FORMAT'],
  ])('have a fixed count of digits, so %s is %s', (text, expected) => {
    expect(centsOrCode(form, text)).toBe(expected);
  });

  it('have no sign beside a word', () => {
    expect(centsOrCode(form, '-0000002500', true)).toBe('SIGN_TWICE');
    expect(centsOrCode({ unit: 'cents' }, '2500')).toBe('NUMBER_FORMAT');
  });
});

describe('what is wrong', () => {
  it.each<[Partial<NumberForm>, string, string]>([
    [GERMAN, '1.000', 'it has no decimals, and the profile does not take whole numbers'],
    [{}, '25.005', 'it has 3 decimals, and the profile takes 2'],
    [{}, '25.0', 'it has 1 decimal, and the profile takes 2'],
    [{ places: '1..2' }, '25.005', 'it has 3 decimals, and the profile takes 1 or 2'],
    [{}, '1,200.00', 'it has the mark ",", which the profile does not take'],
    [{}, '1 200.00', 'it has a blank, which the profile does not take'],
    [GERMAN, '12.34,56', 'its marks do not divide thousands and decimals as the profile says'],
    [GERMAN, '1,234.56', 'its marks do not divide thousands and decimals as the profile says'],
    [{}, '\u20ac25.00', 'it has a currency sign or a word, which the profile does not take'],
    [{}, 'n/a', 'it has a currency sign or a word, which the profile does not take'],
    [{}, '?', 'it is not a number'],
    [{}, '(25.00)', 'it has parentheses, which the profile does not take'],
    [{}, '25.00-', 'it has a minus behind it, which the profile does not take'],
    [{}, '(25.00', 'its sign is incomplete, or not one that the profile takes'],
    [{ symbol: '$' }, '25 $', 'it has no decimals, and the profile does not take whole numbers'],
    [{}, '90000000.01', 'it is larger than the service can process'],
    [{ unit: 'cents', digits: 10 }, '25.00', 'it does not have exactly 10 digits and nothing else'],
  ])('by %j with %s is said', (form, text, expected) => {
    expect(read(form, text)).toBe(`NUMBER_FORMAT ${expected}`);
  });

  it('of two signs is said where a word or a column gives one', () => {
    expect(read({}, '-25.00', true)).toBe('SIGN_TWICE a word or the column already gives the sign');
    expect(read({}, '--25.00')).toBe('SIGN_TWICE');
  });
});

it('reads a flood of signs and digits at once', () => {
  for (const flood of ['-', '(', '1', '1,', '1 ', '$']) {
    const text = flood.repeat(16_000);
    expect(typeof read({ ...ENGLISH, symbol: '$' }, text)).toBe('string');
  }
});
