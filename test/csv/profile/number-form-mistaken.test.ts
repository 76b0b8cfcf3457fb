import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileNumberForm, type NumberForm } from '../../../src/csv/profile/number-form.ts';
import { LARGEST_CENTS } from '../../../src/kernel/money.ts';

const ALL_NEGATIVES: NumberForm['negative'] = ['minus', 'trailing-minus', 'parentheses', 'unicode-minus'];

/** Reads an amount: cents, or the code. */
function read(form: NumberForm, text: string): number | string {
  const found = compileNumberForm(form, { largestCents: LARGEST_CENTS })(text);
  return typeof found === 'number' ? found : found.code;
}

/** How a person or a program would write cents in a form; undefined if the form cannot hold them. */
type Writing = { form: NumberForm; isGrouped: boolean; isWhole: boolean; isShort: boolean; blank: string };

function write(cents: number, { form, isGrouped, isWhole, isShort, blank }: Writing): string {
  const size = Math.abs(cents);
  if (form.unit === 'cents') return String(size).padStart(form.digits!, '0');
  const groups = { ',': ',', '.': '.', space: blank, apostrophe: "'", none: '' };
  const whole = String(Math.floor(size / 100));
  const grouped = isGrouped ? whole.replace(/\d(?=(?:\d{3})+$)/g, `$&${groups[form.group]}`) : whole;
  const decimals = String(size % 100).padStart(2, '0');
  const shown = isShort && form.places !== 2 && decimals.endsWith('0') ? decimals[0]! : decimals;
  const isCut = form.decimal === 'none' || (isWhole && form.whole === 'allow' && size % 100 === 0);
  const text = isCut ? grouped : `${grouped}${form.decimal}${shown}`;
  return cents < 0 ? signed(text, form.negative[0]!) : text;
}

function signed(text: string, name: NumberForm['negative'][number]): string {
  const [before, behind] = { minus: '-|', 'trailing-minus': '|-', parentheses: '(|)', 'unicode-minus': '\u2212|' }[
    name
  ].split('|');
  return `${before}${text}${behind}`;
}

const forms: fc.Arbitrary<NumberForm> = fc
  .record({
    decimal: fc.constantFrom('.', ',', 'none'),
    group: fc.constantFrom(',', '.', 'space', 'apostrophe', 'none'),
    places: fc.constantFrom<NumberForm['places']>(2, '1..2'),
    whole: fc.constantFrom('refuse', 'allow'),
    negative: fc.subarray(ALL_NEGATIVES, { minLength: 1 }),
    unit: fc.constantFrom('money', 'money', 'money', 'cents'),
    digits: fc.integer({ min: 10, max: 12 }),
  } as const)
  .filter(({ decimal, group }) => decimal !== group || group === 'none')
  .map((form) => ({ ...form, whole: form.decimal === 'none' ? 'allow' : form.whole }));

const writings: fc.Arbitrary<Writing> = fc.record({
  form: forms,
  isGrouped: fc.boolean(),
  isWhole: fc.boolean(),
  isShort: fc.boolean(),
  blank: fc.constantFrom(' ', '\u00a0', '\u202f', '\u2009'),
});

/** Amounts of all sizes, often whole or with a zero at the end, which are the ones that can be mistaken. */
const amounts = fc
  .tuple(fc.constantFrom(9, 999, 99_999, 999_999, 9_000_000_000), fc.constantFrom(1, 10, 100, 1000), fc.boolean())
  .chain(([most, step, isNegative]) =>
    fc.integer({ min: 1, max: most }).map((cents) => {
      const stepped = Math.min(cents * step, 9_000_000_000);
      return isNegative ? -stepped : stepped;
    }),
  );

/** Amounts that the form can write. */
function fitted(cents: number, form: NumberForm): number {
  if (form.unit === 'cents') return Math.abs(cents);
  return form.decimal === 'none' ? Math.ceil(cents / 100) * 100 || 100 : cents;
}

const RUNS = { numRuns: 5_000 };

describe('any amount', () => {
  it('reads back exactly from the form in which it was written', () => {
    fc.assert(
      fc.property(amounts, writings, (given, writing) => {
        const cents = fitted(given, writing.form);
        expect(read(writing.form, write(cents, writing))).toBe(cents);
      }),
      RUNS,
    );
  });

  /**
   * The one exception: digits alone are cents to one form and whole units to another. A form takes digits alone only if
   * it says `whole: allow` or `unit: cents`.
   */
  const isDoubtful = (text: string, written: NumberForm, reading: NumberForm) =>
    /^\d+$/.test(text) && (written.unit === 'cents') !== (reading.unit === 'cents');

  it('is never read as another from another form, unless digits alone are cents to one of them', () => {
    fc.assert(
      fc.property(amounts, writings, forms, (given, writing, form) => {
        const cents = fitted(given, writing.form);
        const text = write(cents, writing);
        const found = read(form, text);
        if (isDoubtful(text, writing.form, form)) return;
        expect(typeof found === 'string' || found === cents).toBe(true);
      }),
      RUNS,
    );
  });

  it('of digits alone is cents or whole units, as the form says', () => {
    const strict: NumberForm = {
      unit: 'money',
      decimal: '.',
      group: 'none',
      places: 2,
      whole: 'refuse',
      negative: ['minus'],
    };
    expect(read({ ...strict, unit: 'cents', digits: 10 }, '0000002500')).toBe(2500);
    expect(read({ ...strict, whole: 'allow' }, '0000002500')).toBe(250_000);
    expect(read(strict, '0000002500')).toBe('NUMBER_FORMAT');
  });

  it('is never read as another by a form with two places and without whole numbers', () => {
    fc.assert(
      fc.property(amounts, writings, forms, (given, writing, { decimal, ...form }) => {
        const strict = { ...form, decimal, places: 2, whole: 'refuse', unit: 'money' } as const;
        const cents = fitted(given, writing.form);
        const found = read(strict, write(cents, writing));
        expect(typeof found === 'string' || found === cents).toBe(true);
      }),
      RUNS,
    );
  });

  it('of three decimals is read as thousands only where whole numbers are taken', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 999 }), forms, (whole, mills, form) => {
        for (const mark of ['.', ',']) {
          const text = `${whole}${mark}${String(mills).padStart(3, '0')}`;
          const isThousands = form.unit === 'money' && form.group === mark && form.whole === 'allow';
          expect(typeof read(form, text)).toBe(isThousands ? 'number' : 'string');
        }
      }),
    );
  });

  it('is never made of a text that no form writes', () => {
    const pieces = fc.constantFrom('1', '20', '300', '000', '.', ',', ' ', "'", '-', '(', ')', '\u2212', '$', 'e');
    fc.assert(
      fc.property(fc.string({ unit: pieces, maxLength: 7 }), forms, (text, form) => {
        const found = read({ ...form, symbol: '$' }, text);
        if (typeof found === 'string') return;
        const digits = text.replace(/\D/g, '');
        const places = /[.,](\d{1,2})\D*$/.exec(text)?.[1]?.length ?? (form.unit === 'cents' ? 2 : 0);
        expect(Math.abs(found)).toBe(Number(digits) * 10 ** (2 - places));
        expect(found < 0).toBe(/[-(\u2212]/.test(text) && found !== 0);
      }),
      RUNS,
    );
  });
});
