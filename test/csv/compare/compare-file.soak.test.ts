import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FIXED_SEED, longRun, tryProperty } from '../../support/random.ts';
import { checkByBytes } from './check-by-bytes.ts';
import { sameByBytes } from './compare-file.ts';
import type { CheckRules } from '../../../src/csv/check/check-payment-file.ts';
import { BLOCK_BYTES } from '../../../src/csv/read/read-blocks.ts';
import { ANY_LINES, expectSameRows } from '../support.ts';

const LARGEST_ROWS = 4_000;
/** A quarter of a million rows. */
const FILES = longRun(360);

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
  it(
    `says of ${FILES.runs} files what the reference says`,
    async () => {
      const sum = { rows: 0, valid: 0 };
      await tryProperty(sameByBytes(LARGEST_ROWS, sum), FILES.runs, FILES.limitMs);
      expect(sum.valid).toBeGreaterThan(sum.rows / 3);
    },
    FILES.limitMs,
  );

  it.each(OVERSIGHTS)(
    'would be found out in large files if it overlooked %s',
    async (_, overlook) => {
      const property = sameByBytes(LARGEST_ROWS, { rows: 0, valid: 0 }, (source, rules, groupLines) =>
        checkByBytes(source, overlook(rules), groupLines),
      );
      const { failed } = await fc.check(property, { numRuns: 180, seed: FIXED_SEED, endOnFailure: true });
      expect(failed).toBe(true);
    },
    300_000,
  );
});

/** See ../read/read-raw-lines.test.ts. */
describe('readRawLines, for long', () => {
  it('finds the rows that readRecords finds, whatever the bytes', async () => {
    await tryProperty(ANY_LINES, 40_000);
  }, 300_000);

  it.each([
    ['a line as long as is allowed', 'x'.repeat(16_384)],
    ['one more', 'x'.repeat(16_385)],
    ['a long line of characters of two bytes', 'é'.repeat(16_384)],
    ['a line longer than a block', 'x'.repeat(BLOCK_BYTES + 10)],
    ['a line of three blocks', 'x,'.repeat(BLOCK_BYTES * 1.5)],
    ['a line that ends a block exactly', 'x'.repeat(BLOCK_BYTES - 4)],
    ['one that leaves a block its CR', 'x'.repeat(BLOCK_BYTES - 3)],
    ['many lines with lone CRs', `${'a,b\r'.repeat(35_000)}c`],
    ['many plain lines', 'a,b,c\r\n'.repeat(20_000)],
    ['many quoted lines', '"a",b,c\r\n'.repeat(20_000)],
    ['many blank lines', '\r\n'.repeat(70_000)],
  ])('finds the rows that readRecords finds: %s', async (_what, line) => {
    for (const ends of ['\r\n', '\n', '\r']) {
      const bytes = Buffer.from(`a${ends}${line}${ends}b,c${ends}\x1a`);
      const options = { charset: 'utf-8', headerLine: null } as const;
      await expectSameRows(bytes, options);
      const open = Buffer.from(`a${ends}${line}`);
      await expectSameRows(open, options);
    }
  });
});
