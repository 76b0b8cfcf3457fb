import { describe, expect, it } from 'vitest';
import type { CheckRules } from '../../../src/csv/check-payment-file.ts';
import { checkByBytes } from './check-by-bytes.ts';
import { type Compared, compareFile } from './compare-file.ts';

const FIRST_SEED = 1;
const LARGEST_ROWS = 4_000;

/** Compares files from the first seed on until so many rows were compared, or one is read otherwise. */
async function compareRows(
  rows: number,
  byBytes = checkByBytes,
): Promise<{ rows: number; valid: number; last: Compared }> {
  const sum = { rows: 0, valid: 0 };
  for (let seed = FIRST_SEED; ; seed += 1) {
    const last = await compareFile(seed, LARGEST_ROWS, byBytes);
    sum.rows += last.rows;
    sum.valid += last.valid;
    if (last.difference !== undefined || sum.rows >= rows) return { ...sum, last };
  }
}

describe('the check by bytes', () => {
  it('says of a million rows what the reference says', async () => {
    const { last, rows, valid } = await compareRows(1_000_000);
    expect(last.difference, `seed ${last.seed}`).toBeUndefined();
    expect(valid).toBeGreaterThan(rows / 3);
  }, 300_000);

  it.each<[string, (rules: CheckRules) => CheckRules]>([
    ['which cards have expired', (rules) => ({ ...rules, today: '2026-05-15' })],
    ['the largest amount of a row', ({ largestRowCents: _limit, ...rules }) => rules],
    ['routing numbers', (rules) => ({ ...rules, folder: { ...rules.folder, routingCheck: false } })],
    ['that no comma may be replaced', (rules) => ({ ...rules, folder: { ...rules.folder, textCommas: 'replace' } })],
    [
      'the currency of the account',
      (rules) => ({ ...rules, account: { server: 'NA', country: 'US', currency: 'USD' } }),
    ],
  ])(
    'would be found out if it overlooked %s',
    async (_, overlook) => {
      const { last } = await compareRows(200_000, (source, rules, groupLines) => {
        return checkByBytes(source, overlook(rules), groupLines);
      });
      expect(last.difference).toBeDefined();
    },
    300_000,
  );
});
