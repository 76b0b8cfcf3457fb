import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toParameters } from '../../../src/cli/call/to-parameters.ts';

describe('toParameters', () => {
  it('reads each text by the kind of its field', async () => {
    const given = {
      recurring: 'false',
      updateAccountNum: true,
      beginDate: '2026-11-20',
      total: '-5.00',
      mop: 'VISA',
      cvv2: '012',
    };
    expect(await toParameters(given, 'America/New_York')).toEqual({
      recurring: false,
      updateAccountNum: true,
      beginDate: '2026-11-20T00:00:00-05:00',
      total: '-5.00',
      mop: 'VISA',
      cvv2: '012',
    });
  });

  it('hands on what it cannot read, for the check of the parameters', async () => {
    const given = { recurring: 'maybe', beginDate: 'soon', colour: 'red', constructor: 'x' };
    expect(await toParameters(given, 'UTC')).toEqual(given);
  });

  it('reads the batch file of a path', async () => {
    const root = await mkdtemp(join(tmpdir(), 'paydrop-to-parameters-'));
    const path = join(root, 'monday.csv');
    await writeFile(path, 'K-1,A10000001,5.00,x');
    expect(await toParameters({ batchFile: path }, 'UTC')).toEqual({ batchFile: Buffer.from('K-1,A10000001,5.00,x') });
    await rm(root, { recursive: true });
    await expect(toParameters({ batchFile: path }, 'UTC')).rejects.toMatchObject({ code: 'USAGE' });
  });
});
