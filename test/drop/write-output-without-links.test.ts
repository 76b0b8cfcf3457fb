import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { writeOutput } from '../../src/drop/write-output.ts';
import { freshFolder } from './support/fresh-folder.ts';

const link = vi.hoisted(() => vi.fn());
vi.mock('node:fs/promises', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs/promises')>()),
  link,
}));

const write = async (out: NodeJS.WritableStream): Promise<void> => void out.write('rows\n');

describe('writeOutput on a file system without links', () => {
  beforeEach(() => {
    link.mockReset().mockRejectedValue(Object.assign(new Error('no links'), { code: 'EPERM' }));
  });

  it('publishes by a rename', async () => {
    const dir = await freshFolder();
    await writeOutput({ dir, name: 'a.csv', write });
    expect(await readdir(dir)).toEqual(['a.csv']);
    expect(await readFile(join(dir, 'a.csv'), 'utf8')).toBe('rows\n');
    expect(link).toHaveBeenCalledOnce();
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
    link.mockRejectedValue(Object.assign(new Error('full'), { code: 'ENOSPC' }));
    await expect(writeOutput({ dir, name: 'a.csv', write })).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(await readdir(dir)).toEqual([]);
  });
});
