import { expect, it } from 'vitest';
import { openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openTestLedger);

const NOW = '2026-06-15 10:00:00Z';
const LONGEST_MS = 60_000;

it.each<[time: string | null, hasCome: boolean]>([
  [null, false],
  ['2026-06-15 09:59:59.999999Z', true],
  [NOW, true],
  ['2026-06-15 10:00:00.000001Z', false],
  ['2026-06-15 10:01:00Z', false],
  // From a wrong clock.
  ['2026-06-15 10:01:00.000001Z', true],
  ['2027-06-15 10:00:00Z', true],
])('has_come and the ranges of times_that_have_come say the same of %s', async (time, hasCome) => {
  const { rows } = await world.ledger.pool.query(
    `SELECT has_come($1, $2, $3) IS TRUE AS "byRule",
            (SELECT count(*)::int FROM times_that_have_come($2, $3) t
             WHERE $1::timestamptz > t.after AND $1::timestamptz <= t.until) AS ranges`,
    [time, NOW, LONGEST_MS],
  );
  expect(rows).toEqual([{ byRule: hasCome, ranges: hasCome ? 1 : 0 }]);
});
