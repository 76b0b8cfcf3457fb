import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { openResult, sealResult } from '../../../workers/open-original.ts';
import { stepWorld } from '../support/step-world.ts';
import { query } from '../support/story.ts';
import { takeInCharges } from '../support/take-in.ts';

const world = stepWorld();

describe('sealResult and openResult', () => {
  it('give back what was sealed, for the batch that it was sealed for alone', async () => {
    const fileId = await takeInCharges(world.app, world.freshAccount(), 4);
    const [one, two] = [1, 2].map((batchNo) => ({ fileId, batchNo }));
    const file = await readFileRow(world.app.ledger, fileId);
    await expect(openResult(world.app, file, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const bytes = Buffer.from('A-1,Received');
    const { sealed, sha256 } = sealResult(world.app, file, one!.batchNo, bytes);
    expect(sha256).toBe(sha256Of(bytes));
    expect(sealed.includes('Received')).toBe(false);
    const keep = (batchNo: number, part: string) =>
      query(world.app, 'INSERT INTO sealed_part VALUES ($1, $2, $3, $4)', [fileId, batchNo, part, sealed]);
    await keep(1, 'result');
    await keep(two!.batchNo, 'result');
    expect(await openResult(world.app, file, 1)).toEqual(bytes);
    await expect(openResult(world.app, file, 2)).rejects.toMatchObject({ code: 'SEAL_BROKEN' });
  });
});
