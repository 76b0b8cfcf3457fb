import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { writeOutput } from '../../src/files/outputs/write-output.ts';
import { freshFolder } from './support/fresh-folder.ts';

const linkSync = vi.hoisted(() => vi.fn());
vi.mock('node:fs', async (importOriginal) => ({ ...(await importOriginal<typeof import('node:fs')>()), linkSync }));

const write = async (out: NodeJS.WritableStream): Promise<void> => void out.write('rows\n');

function refuse(code: string): void {
  linkSync.mockReset().mockImplementation(() => {
    throw Object.assign(new Error('no links'), { code });
  });
}

describe('writeOutput on a file system without links', () => {
  beforeEach(() => {
    refuse('EPERM');
  });

  it('publishes by a rename', async () => {
    const dir = await freshFolder();
    await writeOutput({ dir, name: 'a.csv', write });
    expect(await readdir(dir)).toEqual(['a.csv']);
    expect(await readFile(join(dir, 'a.csv'), 'utf8')).toBe('rows\n');
    expect(linkSync).toHaveBeenCalledOnce();
  });

  it('still never replaces a file', async () => {
    const dir = await freshFolder();
    await writeFile(join(dir, 'a.csv'), 'other');
    await expect(writeOutput({ dir, name: 'a.csv', write })).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    expect(await readFile(join(dir, 'a.csv'), 'utf8')).toBe('other');
    expect(await readdir(dir)).toEqual(['a.csv']);
  });

  it('takes any other refusal for what it is', async () => {
    const dir = await freshFolder();
    refuse('ENOSPC');
    await expect(writeOutput({ dir, name: 'a.csv', write })).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(await readdir(dir)).toEqual([]);
  });
});
