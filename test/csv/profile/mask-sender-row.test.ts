import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { senderMasker } from '../../../src/csv/profile/mask-sender-row.ts';
import { exampleProfile } from './support/example-files.ts';

const SAGE = exampleProfile('sage-eft');
const TITLES = SAGE.head.titles as readonly string[];

const digits = (min: number, max = min) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });

describe('senderMasker', () => {
  it('shows at most four digits of an account number, wherever it stands and however it is cut', () => {
    const mask = senderMasker(SAGE, TITLES);
    const row = fc.record({ institution: digits(3), transit: digits(5), account: digits(5, 12), at: fc.nat(2) });
    fc.assert(
      fc.property(row, fc.boolean(), ({ institution, transit, account, at }, isValid) => {
        const number = `0${institution}${transit}${account}`;
        const copy = [number, `${institution}-${transit}-${account}`, `acct ${account} at ${transit}`][at]!;
        const cells = [
          'BYR01',
          'Byron',
          '5001',
          '2026-06-15',
          '1,020.00',
          '',
          'Chequing',
          institution,
          transit,
          account,
          '',
        ];
        const made = ['5001', '', 'Byron', 'CHECKING', number, '1020.00', ''];
        for (const place of [0, 10]) {
          const shown = mask(cells.toSpliced(place, 1, copy), { made, isValid });
          for (const cell of shown) {
            for (const run of cell.match(/\d{5,}/g) ?? []) expect(number).not.toContain(run);
          }
        }
      }),
    );
  });

  it('leaves what was sent as it stands, dates and amounts', () => {
    const mask = senderMasker(SAGE, TITLES);
    const cells = [
      'C-1',
      'Byron',
      '20260615001',
      '2026-06-15',
      '1,020.00',
      '',
      'Chequing',
      '004',
      '10202',
      '1234567',
      'Dues',
    ];
    const made = ['20260615001', '', 'Byron', 'CHECKING', '0004102021234567', '1020.00', 'Dues'];
    expect(mask(cells, { made, isValid: true })).toEqual(
      cells.map((cell, place) => ({ 7: '***', 8: '*****', 9: '*****67' })[place] ?? cell),
    );
  });

  it('leaves amounts above a million with marks, and dates without', () => {
    const profile = exampleProfile('excel-de', ['format: DD.MM.YYYY', 'format: YYYYMMDD']);
    const cells = [
      '20260615',
      'R-7',
      '',
      'Byron',
      '',
      '',
      '',
      '1.234.567,00 €',
      'Visa',
      '="4222222222222220"',
      '12/35',
    ];
    const made = ['06/15/2026', 'R-7', '', 'Byron', '', '', '', '', '1234567.00', 'VISA', '4222222222222220', '12/35'];
    const shown = senderMasker(profile, profile.head.titles as string[])(cells, { made, isValid: true });
    expect([shown[0], shown[7]]).toEqual([cells[0], cells[7]]);
    expect(shown[9]).not.toMatch(/\d{5}/);
    const late = [`20260615 ${cells[9]}`, ...cells.slice(1)];
    expect(senderMasker(profile, profile.head.titles as string[])(late, { made, isValid: true })[0]).not.toMatch(
      /\d{9}/,
    );
  });

  it('hides every long number of a row that was not sent', () => {
    const mask = senderMasker(SAGE, TITLES);
    const cells = ['4222222222222220', 'Byron', '4222222222222220', '', '1020.00', '', '', '', '', '', ''];
    const shown = mask(cells, { made: ['', '', 'Byron', '', '', '1020.00', ''], isValid: false });
    expect(shown.join()).not.toMatch(/\d{5}/);
    expect(shown[4]).toBe('1020.00');
  });
});
