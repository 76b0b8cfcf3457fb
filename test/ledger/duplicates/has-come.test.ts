import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCome } from '../../../src/ledger/duplicates/has-come.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('hasCome', () => {
  it.each([
    [-1, true],
    [0, true],
    [1, false],
    [60_000, false],
    [60_001, true],
    [400 * 86_400_000, true],
  ])('of a moment that is %i ms away, where no wait is longer than a minute, says %s', async (awayMs, come) => {
    const at = new Date(Date.parse(START) + awayMs);
    const { rows } = await world.ledger.pool.query(
      `SELECT ${hasCome('at', '$2', 60_000)} AS come FROM (SELECT $1::timestamptz AS at) m`,
      [at, START],
    );
    expect(rows).toEqual([{ come }]);
  });
});
