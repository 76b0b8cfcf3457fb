import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  compileDateForm,
  compileExpiryForm,
  type DateForm,
  LANGUAGES,
  monthNames,
} from '../../../src/csv/profile/date-form.ts';
import { cellOrCodes } from './support/make-cell.ts';

/** Reads a date: as the layout wants it, or the detail of the fault. */
function readDate(form: DateForm, text: string): string {
  const found = compileDateForm(form)!(text);
  return typeof found === 'string' ? found : found.detail!;
}

function readExpiry(form: DateForm, text: string): string {
  const found = compileExpiryForm(form)!(text);
  return typeof found === 'string' ? found : found.detail!;
}

describe('a date', () => {
  it.each([
    ['MM/DD/YYYY', '06/15/2026', '06/15/2026'],
    ['DD.MM.YYYY', '15.06.2026', '06/15/2026'],
    ['YYYY-MM-DD', '2026-06-15', '06/15/2026'],
    ['YYYYMMDD', '20260615', '06/15/2026'],
    ['M/D/YYYY', '6/5/2026', '06/05/2026'],
    ['M/D/YYYY', '06/05/2026', '06/05/2026'],
    ['M/D/YYYY', '12/15/2026', '12/15/2026'],
    ['DD/MM/YY', '15/06/26', '06/15/2026'],
    ['DD/MM/YY', '15/06/99', '06/15/2099'],
    ['D. M. YYYY', '1. 6. 2026', '06/01/2026'],
    ['DD.MM.YYYY', '29.02.2024', '02/29/2024'],
    ['DD.MM.YYYY', '29.02.2000', '02/29/2000'],
    ['MM/DD/YYYY', '01/01/1900', '01/01/1900'],
  ])('%s reads %s as %s', (format, text, expected) => {
    expect(readDate({ format }, text)).toBe(expected);
  });

  it.each([
    ['DD.MM.YYYY', '31.02.2026'],
    ['DD.MM.YYYY', '29.02.2026'],
    ['DD.MM.YYYY', '29.02.1900'],
    ['DD.MM.YYYY', '00.01.2026'],
    ['DD.MM.YYYY', '01.00.2026'],
    ['MM/DD/YYYY', '15/06/2026'],
  ])('%s finds that %s does not exist', (format, text) => {
    expect(readDate({ format }, text)).toBe(`there is no such day, read as ${format}`);
  });

  it.each([
    ['DD.MM.YYYY', '1.6.2026'],
    ['DD.MM.YYYY', '2026-06-01'],
    ['DD.MM.YYYY', '15.06.26'],
    ['DD.MM.YYYY', '15/06/2026'],
    ['DD.MM.YYYY', '15.06.2026 '],
    ['DD.MM.YYYY', '15.06.2026 10:00'],
    ['DD.MM.YYYY', '15.06.2026\n'],
    ['DD.MM.YYYY', 'x15.06.2026'],
    ['DD.MM.YYYY', '15.06.1899'],
    ['DD.MM.YYYY', '15.06.2100'],
    ['DD.MM.YYYY', '15.06.0026'],
    ['DD.MM.YYYY', '46188'],
    ['M/D/YYYY', '006/5/2026'],
    ['M/D/YYYY', '/5/2026'],
    ['YYYY-MM-DD', '\u0662\u0660\u0662\u0666-06-15'],
  ])('%s does not read %j', (format, text) => {
    expect(readDate({ format }, text)).toBe(`written otherwise than ${format}`);
  });

  it('loses what follows a blank only where the profile drops it', () => {
    const form: DateForm = { format: 'YYYY-MM-DD', time: 'drop' };
    expect(readDate(form, '2026-06-15 23:59:59 +0000')).toBe('06/15/2026');
    expect(readDate(form, '2026-06-15\u202f11:00 PM')).toBe('06/15/2026');
    expect(readDate(form, '2026-06-15')).toBe('06/15/2026');
    expect(readDate(form, '2026-06-15T00:00')).toBe('written otherwise than YYYY-MM-DD');
    expect(readDate({ format: 'D MMM YY', language: 'en', time: 'drop' }, '1 Jun 26 12:00')).toBe('06/01/2026');
    expect(readDate({ format: 'D MMM YY', language: 'en', time: 'drop' }, '1 Jun 2026')).toMatch('otherwise');
  });

  it('reads each cell for itself', () => {
    const read = compileDateForm({ format: 'MM/DD/YYYY' })!;
    const texts = ['06/15/2026', '06/15/2026', '15/06/2026', '15/06/2026', '', '06/15/2026', '06/16/2026'];
    expect(texts.map((text) => typeof read(text))).toEqual([
      'string',
      'string',
      'object',
      'object',
      'object',
      'string',
      'string',
    ]);
    expect(read('06/17/2026')).toBe('06/17/2026');
  });
});

describe('an expiry', () => {
  it.each([
    ['MM/YY', '12/35', '12/35'],
    ['MMYY', '1235', '12/35'],
    ['YYMM', '3512', '12/35'],
    ['MM/YYYY', '12/2035', '12/35'],
    ['YYYY-MM', '2035-12', '12/35'],
    ['M/YY', '1/35', '01/35'],
    ['MMYY', '2711', 'there is no such month, read as MMYY'],
    ['MM/YY', '00/27', 'there is no such month, read as MM/YY'],
    ['MMYY', '127', 'written otherwise than MMYY'],
    ['MM/YY', '1227', 'written otherwise than MM/YY'],
    ['MM/YY', '12/2027', 'written otherwise than MM/YY'],
    ['MM/YYYY', '12/1935', 'written otherwise than MM/YYYY'],
    ['MM/YYYY', '12/2127', 'written otherwise than MM/YYYY'],
  ])('%s reads %s as %s', (format, text, expected) => {
    expect(readExpiry({ format }, text)).toBe(expected);
  });

  it.each([
    ['1', '2035', '01/35'],
    ['01', '35', '01/35'],
    ['12', '2035', '12/35'],
    ['13', '2035', 'FORMAT_DIFFERS'],
    ['0', '2035', 'FORMAT_DIFFERS'],
    ['001', '2035', 'FORMAT_DIFFERS'],
    ['12', '1935', 'FORMAT_DIFFERS'],
    ['12', '5', 'FORMAT_DIFFERS'],
    ['Dec', '', 'FORMAT_DIFFERS CELL_EMPTY'],
  ])('of two columns is made of %j and %j: %s', (m, y, expected) => {
    expect(cellOrCodes('expiry', { month: 'm', year: 'y' }, { m, y })).toBe(expected);
  });
});

describe('months by name', () => {
  it('of a spreadsheet are damage, unless the form has them', () => {
    expect(cellOrCodes('expiry', { from: 'a', format: 'MM/YY' }, { a: 'Dec-27' })).toBe('SPREADSHEET_DAMAGE');
    expect(cellOrCodes('expiry', { from: 'a', format: 'MMM-YY', language: 'en' }, { a: 'Dec-27' })).toBe('12/27');
    expect(cellOrCodes('expiry', { from: 'a', format: 'MMM-YY', language: 'en' }, { a: '12/27' })).toBe(
      'FORMAT_DIFFERS',
    );
    expect(cellOrCodes('date', { from: 'a', format: 'DD/MM/YYYY' }, { a: '15-Dec' })).toBe('SPREADSHEET_DAMAGE');
    expect(cellOrCodes('date', { from: 'a', format: 'D-MMM-YY', language: 'de' }, { a: '5-M\u00e4r-26' })).toBe(
      '03/05/2026',
    );
  });

  const twelve = Array.from({ length: 12 }, (_, index) => index + 1);

  it.each(LANGUAGES)(
    'in %s are those of all twelve months, in the spelling of Unicode, with and without a point',
    (language) => {
      const shorts = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' });
      for (const month of twelve) {
        const bare = shorts.format(new Date(Date.UTC(2026, month - 1, 1))).replace('.', '');
        for (const name of [bare, `${bare}.`, bare.toUpperCase(), bare.toLowerCase()]) {
          const made = `${String(month).padStart(2, '0')}/05/2026`;
          expect(readDate({ format: 'D MMM YYYY', language }, `5 ${name} 2026`)).toBe(made);
          expect(readDate({ format: 'DDMMMYY', language }, `05${name}26`)).toBe(made);
          expect(readDate({ format: 'DD.MMM.YYYY', language }, `05.${name}.2026`)).toBe(made);
        }
      }
    },
  );

  it.each(LANGUAGES)('in %s have several spellings, each of one month', (language) => {
    const names = monthNames(language);
    expect(new Set(names.values())).toEqual(new Set(twelve));
    for (const [name, month] of names) {
      expect(readExpiry({ format: 'MMM-YY', language }, `${name}-27`)).toBe(`${String(month).padStart(2, '0')}/27`);
      expect(name).toBe(name.normalize('NFC').toLowerCase());
    }
  });

  it('mean the same month in every language that has them', () => {
    for (const [language, other] of LANGUAGES.flatMap((one) => LANGUAGES.map((two) => [one, two] as const))) {
      for (const [name, month] of monthNames(language)) {
        expect(monthNames(other).get(name) ?? month).toBe(month);
      }
    }
  });

  it.each<[DateForm['language'], string]>([
    ['en', 'Mai'],
    ['en', 'June'],
    ['en', 'Dez'],
    ['de', 'Oct'],
    ['de', 'Dezember'],
    ['fr', 'jui'],
    ['es', 'jan'],
    ['en', 'Dec..'],
    ['en', '12'],
    ['en', 'constructor'],
  ])('in %s are not %s', (language, name) => {
    expect(readExpiry({ format: 'MMM-YY', language }, `${name}-27`)).toBe('written otherwise than MMM-YY');
  });
});

describe('a form', () => {
  it.each([
    'MM/DD',
    'MM/YYYY',
    'MM/MM/YYYY',
    'DD/MM/YYYY/YY',
    'MDYYYY',
    'M/DYYYY',
    'YYYYMD',
    'D1MM/YYYY',
    'DDD/MM/YYYY',
    'DD/MMMM/YYYY',
    'DD/MM/YYY',
    'dd/mm/yyyy',
    'DD MMMx YYYY',
    'DD MMM YYYY',
    '',
  ])('of a date cannot be %j', (format) => {
    expect(compileDateForm({ format })).toBeUndefined();
  });

  it.each(['MM', 'YY', 'MM/DD/YY', 'MYY', 'YYYYM', 'MMM-YY'])('of an expiry cannot be %j', (format) => {
    expect(compileExpiryForm({ format })).toBeUndefined();
  });

  it('takes other characters as they stand', () => {
    expect(readDate({ format: '[D]+M*YYYY' }, '[5]+6*2026')).toBe('06/05/2026');
    expect(readDate({ format: 'DD(MM)YYYY' }, '05(06)2026')).toBe('06/05/2026');
    expect(readDate({ format: 'D de MMM de YYYY', language: 'es' }, '5 de ene de 2026')).toBe('01/05/2026');
  });
});

const FORMATS = ['/', '.', '-', ' ', ''].flatMap((mark) =>
  ['DD-MM-YYYY', 'MM-DD-YYYY', 'YYYY-MM-DD', 'DD-MM-YY', 'MM-DD-YY', 'YY-MM-DD', 'D-M-YYYY', 'M-D-YYYY', 'YYYY-M-D']
    .filter((order) => mark !== '' || !/\bM\b/.test(order))
    .map((order) => order.replaceAll('-', mark)),
);
const days = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10).split('-') as [string, string, string]);

function write([year, month, day]: readonly [string, string, string], format: string): string {
  const numbers: { [letters: string]: string } = {
    YYYY: year,
    YY: year.slice(2),
    MM: month,
    DD: day,
    M: String(Number(month)),
    D: String(Number(day)),
  };
  return format.replace(/Y+|M+|D+/g, (letters) => numbers[letters]!);
}

/** Where the digits and marks of a form stand, whatever they mean. */
function shapeOf(format: string): string {
  return format.replace(/YYYY|YY|MM?|DD?/g, (letters) => (letters === 'YYYY' ? '0000' : '00'));
}

describe('any date', () => {
  it('reads back exactly from the form in which it was written', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...FORMATS), (day, format) => {
        expect(readDate({ format }, write(day, format))).toBe(write(day, 'MM/DD/YYYY'));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is never read as another from a form with other marks or lengths', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...FORMATS), fc.constantFrom(...FORMATS), (day, format, other) => {
        const found = compileDateForm({ format: other })!(write(day, format));
        if (typeof found !== 'string' || found === write(day, 'MM/DD/YYYY')) return;
        expect(shapeOf(other)).toBe(shapeOf(format));
        // With marks and a year of four digits, only day and month can have changed places.
        if (/YYYY.*\W|\W.*YYYY/.test(format)) expect(found).toBe(write(day, 'DD/MM/YYYY'));
      }),
      { numRuns: 5_000 },
    );
  });
});
