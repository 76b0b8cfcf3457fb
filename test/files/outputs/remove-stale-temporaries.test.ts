import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { removeStaleTemporaries } from '../../../src/files/outputs/output-draft.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const OPTIONS = { olderThanMs: 3_600_000, clock: handClock(new Date(1_750_003_600_000)) };
const TEMPORARY = '.a.csv.0123456789abcdef.tmp';

async function make(dir: string, name: string, mtimeSeconds: number): Promise<void> {
  await writeFile(join(dir, name), 'half');
  await utimes(join(dir, name), mtimeSeconds, mtimeSeconds);
}

describe('removeStaleTemporaries', () => {
  it.each([
    ['an old temporary', TEMPORARY, 1_749_999_999, 1],
    ['a temporary of just that age', TEMPORARY, 1_750_000_000, 0],
    ['a young temporary', TEMPORARY, 1_750_003_599, 0],
    ['an old output', 'a.csv', 1, 0],
    ["somebody else's temporary", '.a.csv.tmp', 1, 0],
    ['an old output with a like name', 'a.csv.0123456789abcdef.tmp', 1, 0],
  ])('judges %s', async (_what, name, mtimeSeconds, removed) => {
    const dir = await freshFolder();
    await make(dir, name, mtimeSeconds);
    expect(await removeStaleTemporaries(dir, OPTIONS)).toBe(removed);
    expect(await readdir(dir)).toEqual(removed ? [] : [name]);
  });

  it('leaves folders alone and finds none in a folder that is not there', async () => {
    const dir = await freshFolder();
    await mkdir(join(dir, TEMPORARY));
    await utimes(join(dir, TEMPORARY), 1, 1);
    expect(await removeStaleTemporaries(dir, OPTIONS)).toBe(0);
    expect(await removeStaleTemporaries(join(dir, 'none'), OPTIONS)).toBe(0);
    expect(await readdir(dir)).toEqual([TEMPORARY]);
  });
});
