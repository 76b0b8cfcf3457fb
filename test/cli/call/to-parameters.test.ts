import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBatchFile, toParameters } from '../../../src/cli/call/to-parameters.ts';
import { CARD, cardRow } from '../../support/payment-rows.ts';

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

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-batch-file-'));
});
afterAll(() => rm(root, { recursive: true }));

describe('readBatchFile', () => {
  it('reads the bytes as they are', async () => {
    const bytes = Buffer.concat([Buffer.from(cardRow(1)), Buffer.from([0xff, 0x0d])]);
    await writeFile(join(root, 'monday.csv'), bytes);
    expect(await readBatchFile(join(root, 'monday.csv'))).toEqual(bytes);
  });

  it('says what is wrong with the path, and hides a number in it', async () => {
    await expect(readBatchFile(root)).rejects.toMatchObject({
      code: 'USAGE',
      message: /it is a folder\. Check the path/,
    });
    const missing: unknown = await readBatchFile(join(root, `${CARD}.csv`)).catch((thrown: unknown) => thrown);
    expect(missing).toMatchObject({ code: 'USAGE', message: /there is no such file/ });
    expect(String(missing)).not.toContain(CARD);
  });

  it('names what the system says of the rest', async () => {
    const inFile = join(root, 'monday.csv', 'inside.csv');
    await expect(readBatchFile(inFile)).rejects.toThrow('it cannot be read (ENOTDIR)');
  });
});
