import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { findStaleTemporaries } from '../../../src/files/outputs/output-draft.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const OPTIONS = { olderThanMs: 3_600_000, clock: handClock(new Date(1_750_003_600_000)) };
const TEMPORARY = '.a.csv.0123456789abcdef.tmp';

describe('findStaleTemporaries', () => {
  it.each([
    ['old', 1_749_999_999, [TEMPORARY]],
    ['of just that age', 1_750_000_000, []],
  ])('finds a temporary that is %s, and leaves it', async (_what, mtimeSeconds, found) => {
    const dir = await freshFolder();
    await writeFile(join(dir, TEMPORARY), 'half');
    await utimes(join(dir, TEMPORARY), mtimeSeconds, mtimeSeconds);
    expect((await findStaleTemporaries(dir, OPTIONS)).map(({ key }) => key)).toEqual(found);
    expect(await readdir(dir)).toEqual([TEMPORARY]);
  });

  it('finds none in a folder that is not there', async () => {
    expect(await findStaleTemporaries(join(await freshFolder(), 'none'), OPTIONS)).toEqual([]);
  });
});
