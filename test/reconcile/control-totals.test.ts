import { describe, expect, it } from 'vitest';
import { checkControlTotals, checkCorrectionTotals, type Figures } from '../../src/reconcile/control-totals.ts';

const SHA = 'a'.repeat(64);

/** Ten rows: two withheld, eight in three batches, one of which was canceled before it was sent. */
const OUTCOMES: Figures['outcomes'] = {
  approved: { rows: 2, cents: 5000 },
  declined: { rows: 1, cents: 300 },
  unknown: { rows: 2, cents: 40 },
  not_sent: { rows: 3, cents: 900 },
  invalid: { rows: 2, cents: 77 },
};
const RIGHT: Figures = {
  control: { rows: 10, totalCents: 6317, sha256: SHA },
  approved: false,
  sha256: SHA,
  physicalLines: 13,
  blankLines: 2,
  headerLines: 1,
  readLines: null,
  records: 10,
  valid: { rows: 8, cents: 6240 },
  invalidRows: 2,
  batches: [
    { rows: 3, cents: 5300 },
    { rows: 2, cents: 40 },
    { rows: 3, cents: 900 },
  ],
  outcomes: OUTCOMES,
  delivered: OUTCOMES,
};

/** Returns the same outcomes by the ledger and by the result file, with some changed. */
function outcomesWith(changed: Figures['outcomes']): Pick<Figures, 'outcomes' | 'delivered'> {
  const outcomes = { ...OUTCOMES, ...changed };
  return { outcomes, delivered: outcomes };
}

describe('checkControlTotals', () => {
  it('says every equation with its figures when all hold', () => {
    expect(checkControlTotals(RIGHT)).toEqual([
      { id: 'H0', holds: true, says: `control file: 10 rows = 10 rows, total 63.17 = 63.17, sha256 ${SHA} = ${SHA}` },
      { id: 'H1', holds: true, says: 'the bytes read are the bytes claimed' },
      { id: 'H2', holds: true, says: '11 lines = 1 header + 10 rows' },
      { id: 'H3', holds: true, says: '10 rows = 8 valid + 2 withheld' },
      { id: 'H4', holds: true, says: 'valid 8 rows 62.40 = batches 8 rows 62.40' },
      { id: 'H5', holds: true, says: 'the bytes of every batch, read again, were its rows' },
      { id: 'H6', holds: true, says: 'every result row is a sent row' },
      {
        id: 'H7',
        holds: true,
        says: 'outcomes 5 rows 53.40 + not sent 3 rows 9.00 = batches 8 rows 62.40; with 2 withheld 10 rows',
      },
      { id: 'H8', holds: true, says: 'the result file, read back, says what the ledger says' },
    ]);
  });

  it.each([
    ['every line is known', {}, true],
    ['a line is missing', { titles: 0 }, false],
    ['a payment is no row', { payment: 9, blank: 3 }, false],
    ['a row was left out without a reason', { skipped: 2, blank: 1 }, false],
  ])('compares the lines of a file that a profile read: %s', (_, changed, holds) => {
    const lines = { payment: 10, titles: 1, above: 0, blank: 2, skipped: 1, ...changed };
    const readLines = { lines, skipped: [{ name: 'Paid', rows: 1 }] };
    const figures = { ...RIGHT, physicalLines: 14, blankLines: 4, headerLines: 0, readLines };
    const [, , total] = checkControlTotals(figures);
    expect(total).toMatchObject({ id: 'H2', holds });
    const { payment, titles, blank } = lines;
    expect(total!.says).toBe(
      [
        `14 lines = ${payment} of payments`,
        ...(titles ? ['1 of titles'] : []),
        `${blank} blank`,
        '1 left out as "Paid"',
      ].join(' + '),
    );
  });

  it('holds for a file of which every row was withheld', () => {
    const figures: Figures = {
      ...RIGHT,
      control: null,
      physicalLines: 10,
      blankLines: 0,
      headerLines: 0,
      valid: { rows: 0, cents: 0 },
      invalidRows: 10,
      batches: [],
      outcomes: { invalid: { rows: 10, cents: 0 } },
      delivered: { invalid: { rows: 10, cents: 55 } },
    };
    expect(failing(figures)).toEqual([]);
  });

  it.each<[string, Partial<Figures>, string]>([
    ['rows of the control file', { control: { rows: 11 } }, 'H0'],
    ['total of the control file', { control: { totalCents: 6318 } }, 'H0'],
    ['total of the control file without withheld rows', { control: { totalCents: 6240 } }, 'H0'],
    ['hash of the control file', { control: { sha256: 'b'.repeat(64) } }, 'H0'],
    ['hash of the file', { sha256: 'b'.repeat(64) }, 'H0'],
    ['a control file that cannot be read', { control: { fault: 'CONTROL_FILE', reason: 'line 1' } }, 'H0'],
    ['a line too many', { physicalLines: 14 }, 'H2'],
    ['a line too few', { physicalLines: 12 }, 'H2'],
    ['a blank line that was none', { blankLines: 1 }, 'H2'],
    ['a header that was none', { headerLines: 0 }, 'H2'],
    ['a withheld row too many', { invalidRows: 3 }, 'H3'],
    ['a withheld row too few', { invalidRows: 1 }, 'H3'],
    ['a cent of the valid rows', { valid: { rows: 8, cents: 6241 }, control: null }, 'H4'],
    ['a cent of an outcome', outcomesWith({ approved: { rows: 2, cents: 5001 } }), 'H7'],
    ['a cent of what was not sent', outcomesWith({ not_sent: { rows: 3, cents: 899 } }), 'H7'],
    ['an outcome that is not there', outcomesWith({ unknown: { rows: 0, cents: 0 } }), 'H7'],
    ['a withheld row that is not there', outcomesWith({ invalid: { rows: 1, cents: 77 } }), 'H7'],
    ['a cent in the result file', { delivered: { ...OUTCOMES, declined: { rows: 1, cents: 301 } } }, 'H8'],
    ['a row in the result file', { delivered: { ...OUTCOMES, declined: { rows: 2, cents: 300 } } }, 'H8'],
    ['a withheld row in the result file', { delivered: { ...OUTCOMES, invalid: { rows: 1, cents: 77 } } }, 'H8'],
    ['an outcome only in the result file', { delivered: { ...OUTCOMES, duplicate: { rows: 1, cents: 0 } } }, 'H8'],
    ['an empty result file', { delivered: {} }, 'H8'],
  ])('makes exactly one line false by %s', (_, changed, id) => {
    expect(failing({ ...RIGHT, ...changed })).toEqual([id]);
  });

  it('finds that outcomes were exchanged between ledger and result file', () => {
    const delivered = { ...OUTCOMES, approved: OUTCOMES.declined!, declined: OUTCOMES.approved! };
    expect(failing({ ...RIGHT, delivered })).toEqual(['H8']);
  });

  it('takes an outcome of no rows for one that is not there', () => {
    expect(failing({ ...RIGHT, delivered: { ...OUTCOMES, duplicate: { rows: 0, cents: 0 } } })).toEqual([]);
  });

  it('compares of withheld rows the number only, because their amounts may not be readable', () => {
    expect(failing({ ...RIGHT, delivered: { ...OUTCOMES, invalid: { rows: 2, cents: 0 } } })).toEqual([]);
  });

  describe('H0', () => {
    it.each<[string, Partial<Figures>, boolean, string]>([
      ['none came', { control: null }, true, 'no control file; completeness was inferred'],
      ['it gives rows only', { control: { rows: 10 } }, true, 'control file: 10 rows = 10 rows'],
      ['it gives a total only', { control: { totalCents: 6317 } }, true, 'control file: total 63.17 = 63.17'],
      ['it differs', { control: { rows: 9 } }, false, 'control file: 9 rows = 10 rows'],
      [
        'it differs and a person approved',
        { control: { rows: 9 }, approved: true },
        true,
        'the control file differs; a person approved the file',
      ],
      [
        'it agrees and a person approved something else',
        { control: { rows: 10 }, approved: true },
        true,
        'control file: 10 rows = 10 rows',
      ],
      [
        'it cannot be read and a person approved',
        { control: { fault: 'CONTROL_FILE', reason: 'line 1' }, approved: true },
        true,
        'the control file differs; a person approved the file',
      ],
      [
        'it cannot be read and nobody approved',
        { control: { fault: 'CONTROL_FILE', reason: 'line 1' } },
        false,
        'the control file cannot be read',
      ],
    ])('when %s', (_, changed, holds, says) => {
      expect(checkControlTotals({ ...RIGHT, ...changed })[0]).toEqual({ id: 'H0', holds, says });
    });
  });
});

function failing(figures: Figures): string[] {
  return checkControlTotals(figures).flatMap(({ id, holds }) => (holds ? [] : [id]));
}

describe('checkCorrectionTotals', () => {
  const changed = { approved: { rows: 1, cents: 20 } };
  const right = { batches: RIGHT.batches, outcomes: OUTCOMES, changed, delivered: changed };

  it('hold when no row and no cent came or went', () => {
    expect(checkCorrectionTotals(right).map(({ id, holds }) => [id, holds])).toEqual([
      ['H7', true],
      ['H8', true],
    ]);
  });

  it.each([
    ['H7', { outcomes: { ...OUTCOMES, approved: { rows: 3, cents: 5000 } } }],
    ['H7', { outcomes: { ...OUTCOMES, unknown: { rows: 2, cents: 41 } } }],
    ['H8', { delivered: {} }],
    ['H8', { delivered: { declined: { rows: 1, cents: 20 } } }],
    ['H8', { delivered: { approved: { rows: 1, cents: 21 } } }],
  ])('%s does not hold with %j', (id, change) => {
    const failed = checkCorrectionTotals({ ...right, ...change }).filter((total) => !total.holds);
    expect(failed.map((total) => total.id)).toEqual([id]);
  });
});
