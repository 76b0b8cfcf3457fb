import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileDateForm } from '../../../src/csv/profile/date-form.ts';
import { fittingDateForms, fittingExpiryForms, fittingNumberForms } from '../../../src/csv/profile/fitting-forms.ts';
import { compileNumberForm, type NumberForm } from '../../../src/csv/profile/number-form.ts';
import { LARGEST_TOTAL_CENTS } from '../../../src/kernel/money.ts';

/** Describes forms of numbers: marks, then what is loose about them. */
function described(cells: readonly string[]): string[] {
  return fittingNumberForms(cells).map(({ unit, decimal, group, places, whole, symbol, negative, digits }) =>
    unit === 'cents'
      ? `cents ${digits}`
      : [
          decimal,
          group,
          ...(places === 2 ? [] : [places]),
          ...(whole === 'allow' ? ['whole'] : []),
          symbol,
          ...negative,
        ]
          .filter((part) => part !== undefined)
          .join(' '),
  );
}

describe('fittingNumberForms', () => {
  it.each<[string[], string[]]>([
    [['1,200.00', '25.00'], ['. ,']],
    [['1.200,00', '25,00 '], [', .']],
    [['25.00'], ['. none', '. ,', '. space', '. apostrophe']],
    [['1.234'], [', . whole', 'none . whole']],
    [['25.5', '25.00', '1,000.00'], ['. , 1..2']],
    [['25', '1,000.00'], ['. , whole']],
    [['-25.00', "1'000.00"], ['. apostrophe minus']],
    [['(25.00)', '1,000.00-'], ['. , trailing-minus parentheses']],
    [['$1,200.00', '25.00'], ['. , $']],
    [['25,00 EUR', '1\u00a0000,00 EUR'], [', space EUR']],
    [['1,200.00', '1.200,00'], []],
    [['$25.00', '\u20ac1,000.00'], []],
    [['1,200.00', ''], []],
    [['1,200.00', '1.2E+03'], []],
    [['25.005'], [', . whole', 'none . whole']],
    [[], []],
  ])('for %j are %j', (cells, expected) => {
    expect(described(cells)).toEqual(expected);
  });

  it('leaves it open whether digits alone are cents', () => {
    expect(described(['0000002500', '0000012000'])).toContain('cents 10');
    expect(described(['0000002500', '0000012000'])).toContain('none none whole');
    expect(described(['2500', '12000'])).not.toContain('cents 4');
  });

  it('has every pair of marks in which all amounts can be read, and none else', () => {
    const cells = fc.array(fc.constantFrom('25.00', '1,200.00', '1.200', '-3.5', '25,00', '7', '1 000,00', '(1.00)'), {
      minLength: 1,
      maxLength: 4,
    });
    const negative: NumberForm['negative'] = ['minus', 'trailing-minus', 'parentheses', 'unicode-minus'];
    fc.assert(
      fc.property(cells, (given) => {
        const found = new Set(described(given).map((form) => form.split(' ').slice(0, 2).join(' ')));
        for (const decimal of ['.', ',', 'none'] as const) {
          for (const group of [',', '.', 'space', 'none'] as const) {
            if (decimal === group && decimal !== 'none') continue;
            const form = { decimal, group, negative, places: '1..2', whole: 'allow', unit: 'money' } as const;
            const read = compileNumberForm(form, { largestCents: LARGEST_TOTAL_CENTS });
            const fitsAll = given.every((cell) => typeof read(cell) === 'number');
            expect(found.has(`${decimal} ${group}`)).toBe(fitsAll);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  it('reads the same amounts from all cells whichever form is taken, unless marks or cents are in doubt', () => {
    const amounts = fc.array(fc.integer({ min: -10_000_000, max: 10_000_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(amounts, (cents) => {
        const cells = cents.map((value) => (value / 100).toFixed(2));
        for (const form of fittingNumberForms(cells)) {
          const read = compileNumberForm(form, { largestCents: LARGEST_TOTAL_CENTS });
          expect(cells.map((cell) => read(cell))).toEqual(cents);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('fittingDateForms', () => {
  it.each<[string[], unknown[]]>([
    [['06/15/2026', '12/01/2026'], [{ format: 'MM/DD/YYYY' }]],
    [
      ['06/11/2026', '12/01/2026'],
      [{ format: 'DD/MM/YYYY' }, { format: 'MM/DD/YYYY' }],
    ],
    [['6/15/2026', '12/1/2026'], [{ format: 'M/D/YYYY' }]],
    [['2026-06-15', '2026-06-16'], [{ format: 'YYYY-MM-DD' }]],
    [['2026-06-15 00:00:00'], [{ format: 'YYYY-MM-DD', time: 'drop' }]],
    [['20260615'], [{ format: 'YYYYMMDD' }]],
    [['01/02/03'], [{ format: 'DD/MM/YY' }, { format: 'MM/DD/YY' }, { format: 'YY/MM/DD' }]],
    [['15. Okt. 2026', '01. M\u00e4rz 2026'], [{ format: 'DD. MMM YYYY', language: 'de' }]],
    [['5-D\u00e9c-26', '15-Ao\u00fbt-26'], [{ format: 'D-MMM-YY', language: 'fr' }]],
    [['Jun 5, 2026', 'Dec 15, 2026'], [{ format: 'MMM D, YYYY', language: 'en' }]],
    [['06/15/2026', '2026-06-15'], []],
    [['06/15/2026', ''], []],
    [['06/31/2026'], []],
    [['46188'], []],
    [[], []],
  ])('for %j are %j', (cells, expected) => {
    expect(fittingDateForms(cells)).toEqual(expected);
  });

  it('reads every cell with every form that it names', () => {
    const cells = fc.array(fc.constantFrom('06/15/2026', '6/5/2026', '05/06/26', '1-Jun-26', '2026-06-15 10:00'), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(cells, (given) => {
        for (const form of fittingDateForms(given)) {
          const read = compileDateForm(form)!;
          for (const cell of given) expect(read(cell)).toMatch(/^\d\d\/\d\d\/\d{4}$/);
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('fittingExpiryForms', () => {
  it.each<[string[], unknown[]]>([
    [['12/35', '01/27'], [{ format: 'MM/YY' }]],
    [
      ['12/11', '01/12'],
      [{ format: 'MM/YY' }, { format: 'YY/MM' }],
    ],
    [['1/35', '12/27'], [{ format: 'M/YY' }]],
    [['3512'], [{ format: 'YYMM' }]],
    [['1112'], [{ format: 'MMYY' }, { format: 'YYMM' }]],
    [['12/2035'], [{ format: 'MM/YYYY' }]],
    [['2035-12'], [{ format: 'YYYY-MM' }]],
    [['Dec-27', 'May-27'], [{ format: 'MMM-YY', language: 'en' }]],
    [
      ['Sep-27'],
      [
        { format: 'MMM-YY', language: 'en' },
        { format: 'MMM-YY', language: 'fr' },
        { format: 'MMM-YY', language: 'de' },
        { format: 'MMM-YY', language: 'es' },
      ],
    ],
    [['13/35'], []],
    [['12/35', '1235'], []],
  ])('for %j are %j', (cells, expected) => {
    expect(fittingExpiryForms(cells)).toEqual(expected);
  });
});
