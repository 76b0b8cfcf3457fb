import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CARD, cardRow } from '../../support/payment-rows.ts';
import { readBatchFile } from '../../../src/cli/call/to-parameters.ts';

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
