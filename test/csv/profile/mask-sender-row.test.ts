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

  it('hides every long number of a row that was not sent', () => {
    const mask = senderMasker(SAGE, TITLES);
    const cells = ['4222222222222220', 'Byron', '4222222222222220', '', '1020.00', '', '', '', '', '', ''];
    const shown = mask(cells, { made: ['', '', 'Byron', '', '', '1020.00', ''], isValid: false });
    expect(shown.join()).not.toMatch(/\d{5}/);
    expect(shown[4]).toBe('1020.00');
  });
});
