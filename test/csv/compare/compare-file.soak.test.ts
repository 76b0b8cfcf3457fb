import { describe, expect, it } from 'vitest';
import { freshSeed } from '../../support/random.ts';
import { checkByBytes } from './check-by-bytes.ts';
import { compareRows } from './compare-file.ts';
import type { CheckRules } from '../../../src/csv/check/check-payment-file.ts';

const LARGEST_ROWS = 4_000;

/** Oversights that a check could have, as changes to its rules. The comparison must detect each. */
const OVERSIGHTS: readonly [what: string, overlook: (rules: CheckRules) => CheckRules][] = [
  ['which cards have expired', (rules) => ({ ...rules, today: '2026-05-15' })],
  ['the largest amount of a row', ({ largestRowCents: _limit, ...rules }) => rules],
  ['routing numbers', (rules) => ({ ...rules, folder: { ...rules.folder, routingCheck: false } })],
  ['that no comma may be replaced', (rules) => ({ ...rules, folder: { ...rules.folder, textCommas: 'replace' } })],
  ['the currency of the account', (rules) => ({ ...rules, account: { server: 'NA', country: 'US', currency: 'USD' } })],
];

/** See compare-file.test.ts. */
describe('the check by bytes, for long', () => {
  it.each([1, freshSeed()])(
    'says of 120,000 rows what the reference says, from seed %i on',
    async (seed) => {
      const { last, rows, valid } = await compareRows({ seed, rows: 120_000, largestRows: LARGEST_ROWS });
      expect(last.difference, `seed ${last.seed}, files of up to ${LARGEST_ROWS} rows`).toBeUndefined();
      expect(valid).toBeGreaterThan(rows / 3);
    },
    300_000,
  );

  it.each(OVERSIGHTS)(
    'would be found out in large files if it overlooked %s',
    async (_, overlook) => {
      const { last } = await compareRows({
        seed: 1,
        rows: 120_000,
        largestRows: LARGEST_ROWS,
        check: (source, rules, groupLines) => checkByBytes(source, overlook(rules), groupLines),
      });
      expect(last.difference).toBeDefined();
    },
    300_000,
  );
});
