import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readSample } from '../../../src/actions/profile/read-sample.ts';
import {
  type FittingSample,
  mustAgree,
  readTyped,
  type SamplePlace,
} from '../../../src/actions/profile/compare-sample.ts';
import { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import { parseProfile } from '../../../src/csv/profile/profile-text.ts';
import { PROFILE_TEXT } from '../../ledger/support/put-version.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { formatCents } from '../../../src/kernel/money.ts';

const ACCOUNT = AccountConfig.parse({ server: 'NA', country: 'US', currency: 'USD', agentCode: 'a', password: 'b' });
const FOLDER = FolderConfig.parse({ path: 'drop/card', account: 'main', operation: 'card', profile: 'dues' });
const PLACE = {
  folder: { ...FOLDER, id: 'drop/card', routingCheck: false },
  account: { ...ACCOUNT, name: 'main' },
} as unknown as SamplePlace;

function read(...rows: string[]) {
  const parsed = parseProfile(PROFILE_TEXT);
  if (!('profile' in parsed)) throw new Error('the profile has faults');
  const text = ['Number,Customer,Memo,Due', ...rows].map((row) => `${row}\n`).join('');
  return readSample(parsed.profile, Buffer.from(text), PLACE);
}

describe('readSample', () => {
  it('has number, total and amounts of the payments, and shows cell by cell what is sent', async () => {
    const found = await read('R-1,C001,June,25.00', 'R-2,C002,,30.50');
    expect(found).toMatchObject({ fits: true, rows: 2, cents: 5_550, amounts: [2_500, 3_050], skipped: [] });
    const { listing } = found as Extract<typeof found, { fits: true }>;
    expect(listing!.rows).toContainEqual(['2', 'Due', '25.00', 'Amount 25.00']);
  });

  it('counts a payment that would be withheld, because the accounting system counts it too', async () => {
    expect(await read('R-1,C001,June,25.00', 'R-2,C 2,,30.50')).toMatchObject({ fits: true, rows: 2, cents: 5_550 });
  });

  it.each([
    [
      'a cell that the profile cannot read',
      ['R-1,C001,June,"1,000.00"'],
      'Line 2: an amount is not written as the profile says',
    ],
    ['a column too many', ['R-1,C001,June,25.00,x'], 'Line 2: the row has the wrong number of columns'],
    ['no payment', [], 'the file has no row that could be sent'],
  ])('does not fit with %s', async (_, rows, says) => {
    const found = await read(...rows);
    expect(found).toEqual({ fits: false, says: expect.arrayContaining([expect.stringContaining(says)]) });
  });
});

const SAMPLE: FittingSample = {
  fits: true,
  rows: 3,
  cents: 135_500,
  amounts: [2_500, 13_000, 120_000],
  skipped: [{ name: 'Payment', rows: 2, cents: -6_000 }],
};

function refusal(rows: number, cents: number, sample = SAMPLE): string {
  try {
    mustAgree('confirm dues version 1', { rows, cents }, sample);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(PipelineError);
    expect((error as PipelineError).code).toBe('SAMPLE_DIFFERS');
    return (error as PipelineError).message;
  }
}

describe('readTyped', () => {
  it.each([
    ['24', '1355.00', { rows: 24, cents: 135_500 }],
    ['0', '0', { rows: 0, cents: 0 }],
    ['1', '1,355.5', { rows: 1, cents: 135_550 }],
    ['1', '-25', { rows: 1, cents: -2_500 }],
  ])('reads %s payments with %s', (rows, total, typed) => {
    expect(readTyped({ rows, total })).toEqual(typed);
  });

  it.each([
    ['', '1.00', 'whole number'],
    ['2.5', '1.00', 'whole number'],
    ['-2', '1.00', 'whole number'],
    ['2', '', 'not an amount'],
    ['2', '1.355,00', 'not an amount'],
    ['2', '13,55.00', 'not an amount'],
    ['2', '1.005', 'not an amount'],
  ])('refuses %j payments with %j', (rows, total, why) => {
    expect(() => readTyped({ rows, total })).toThrow(why);
  });

  it('reads back every amount as it is written', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (cents) => {
        expect(readTyped({ rows: '1', total: formatCents(cents) }).cents).toBe(cents);
      }),
      { numRuns: 200 },
    );
  });
});

describe('mustAgree', () => {
  it('lets equal figures pass', () => {
    expect(refusal(3, 135_500)).toBe('');
  });

  it('lets a total of refunds pass without its sign, but not a wrong sign of charges', () => {
    const refunds = { ...SAMPLE, cents: -135_500 };
    expect(refusal(3, 135_500, refunds)).toBe('');
    expect(refusal(3, -135_500, refunds)).toBe('');
    expect(refusal(3, -135_500)).toContain('-2,710.00');
  });

  it('passes for no other figures, whatever they are', () => {
    const figure = fc.integer({ min: 0, max: 1e9 });
    fc.assert(
      fc.property(figure, figure, figure, figure, (rows, cents, offRows, offCents) => {
        fc.pre(offRows + offCents > 0);
        const said = refusal(rows + offRows, cents + offCents, { ...SAMPLE, rows, cents });
        expect(said).not.toBe('');
        expect(said).not.toMatch(/NaN|undefined/);
      }),
      { numRuns: 200 },
    );
  });

  it('says both figures and their difference', () => {
    const said = refusal(4, 138_000);
    expect(said).toContain('you gave 4 payments with 1,380.00, and the sample has 3 payments with 1,355.00');
    expect(said).toContain('the difference is 1 payment with 25.00');
    expect(said).toContain('Nothing was confirmed');
  });

  it.each<[why: string, rows: number, cents: number, says: string]>([
    ['a sum that was left out', 3, 129_500, 'The rows left out as "Payment" have just this sum.'],
    ['one payment', 2, 122_500, 'One payment of the sample has just this amount.'],
    ['a factor of 100', 3, 1_355, 'One total is 100 times the other'],
    ['a factor of 1000', 3, 135_500_000, 'One total is 1000 times the other'],
    ['swapped digits', 3, 153_500, 'It is divisible by 9: two digits may be swapped.'],
  ])('points at %s', (_, rows, cents, says) => {
    expect(refusal(rows, cents)).toContain(says);
  });

  it('points at nothing when the difference tells nothing', () => {
    expect(refusal(3, 135_501)).not.toMatch(/left out|One payment|times|divisible/);
    expect(refusal(5, 135_500)).not.toMatch(/left out|One payment|times|divisible/);
  });
});
