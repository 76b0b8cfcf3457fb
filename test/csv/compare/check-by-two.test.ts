import { afterAll, describe, expect, it } from 'vitest';
import type { BesideOrder } from '../../../src/csv/scan/scan-beside.ts';
import { openThread } from '../../../src/thread/open-thread.ts';
import { checkByTwo } from './check-by-two.ts';
import { type Compared, compareFile } from './compare-file.ts';

const thread = openThread();
afterAll(() => thread.close());

/** Compares files, each of which may have more blocks than are read ahead, until so many rows were compared. */
async function compareRows(rows: number, change?: (order: BesideOrder) => BesideOrder): Promise<Compared> {
  let sum = 0;
  for (let seed = 7_001; ; seed += 1) {
    const compared = await compareFile(seed, 30_000, checkByTwo(thread, change));
    sum += compared.rows;
    if (compared.difference !== undefined || sum >= rows) return compared;
  }
}

describe('the check by two threads', () => {
  it('says what the reference says', async () => {
    const { difference, seed } = await compareRows(200_000);
    expect(difference, `seed ${seed}`).toBeUndefined();
  }, 300_000);

  it('would be found out if the second overlooked which cards have expired', async () => {
    const overlook = ({ order, shared }: BesideOrder): BesideOrder => {
      return { order: { ...order, rules: { ...order.rules, today: '2026-05-15' } }, shared };
    };
    expect((await compareRows(1_000_000, overlook)).difference).toBeDefined();
  }, 300_000);

  it('would be found out if the second made other hashes of payments', async () => {
    const rekey = ({ order, shared }: BesideOrder): BesideOrder => {
      return { order: { ...order, hashKey: Uint32Array.of(1, 2) }, shared };
    };
    expect((await compareRows(1_000_000, rekey)).difference).toMatch(/DUPLICATE_ROW/);
  }, 300_000);
});
