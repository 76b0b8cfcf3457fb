import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { readSealedPart, type SealedPart } from '../../../src/ledger/batch/read-sealed-part.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
let key: BatchKey;
beforeAll(async () => {
  world = await openTestLedger();
  key = { fileId: (await world.batchIn('submitted')).file_id, batchNo: 1 };
});
afterAll(() => world.close());

async function keep(part: SealedPart, bytes: Buffer): Promise<void> {
  await world.force('INSERT INTO sealed_part VALUES ($1, $2, $3, $4)', [key.fileId, key.batchNo, part, bytes]);
}

describe('readSealedPart', () => {
  it.each([
    ['recheck-1', Buffer.alloc(0)],
    ['recheck-2', Buffer.from([0, 1, 10, 13, 92, 255])],
    ['recheck-3', randomBytes(3_000_000)],
  ] as const)('gives %s as it was kept', async (part, bytes) => {
    await keep(part, bytes);
    expect(bytes.equals(await readSealedPart(world.ledger, key, part))).toBe(true);
  });

  it('says which part of which batch is not there', async () => {
    await expect(readSealedPart(world.ledger, key, 'result')).rejects.toThrow(
      `Cannot find the result of batch 1 of file "${key.fileId}"`,
    );
    await expect(readSealedPart(world.ledger, { fileId: `' OR 'a' = 'a`, batchNo: 1 }, 'body')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('gives its connection back, whatever becomes of the question', async () => {
    const { pool } = world.ledger;
    await Promise.all(Array.from({ length: 30 }, () => readSealedPart(world.ledger, key, 'body')));
    await readSealedPart(world.ledger, key, 'result').catch(() => {});
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  // Other timers come and go meanwhile, but one left by each of a hundred reads would show.
  it('leaves no timer behind that watches over an answer which has come', async () => {
    const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    await world.ledger.pool.query('SELECT 1');
    const before = countTimers();
    for (let reading = 0; reading < 100; reading++) await readSealedPart(world.ledger, key, 'body');
    expect(countTimers() - before).toBeLessThan(50);
  });
});
