import { symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshFolder } from './support/fresh-folder.ts';
import { settleDrops, steppedScanner } from './support/settle-drops.ts';

function names(list: { name: string }[]): string[] {
  return list.map(({ name }) => name).sort();
}

describe('createFolderScanner, a marker in a folder that waits for quiet', () => {
  /** Writes files whose last change is so many seconds after the same moment. */
  async function folderWith(files: Record<string, readonly [text: string, seconds: number]>): Promise<string> {
    const folder = await freshFolder();
    for (const [name, [text, seconds]] of Object.entries(files)) {
      await writeFile(join(folder, name), text);
      await utimes(join(folder, name), 1_750_000_000 + seconds, 1_750_000_000 + seconds);
    }
    return folder;
  }

  it('ends the wait at once, and goes with the drop', async () => {
    const folder = await folderWith({ 'a.csv': ['rows', 0], 'a.csv.ctl': ['rows=1', 0], 'a.csv.done': ['', 0] });
    expect(await steppedScanner(folder).look()).toMatchObject({
      settled: [{ name: 'a.csv', sidecar: {}, marker: { path: Buffer.from(join(folder, 'a.csv.done')) } }],
      settling: [],
    });
  });

  it.each(['a.csv', 'a.csv.ctl'])('does not count when %s has changed after it', async (later) => {
    const folder = await folderWith({ 'a.csv': ['rows', 0], 'a.csv.ctl': ['rows=1', 0], 'a.csv.done': ['', 1] });
    await utimes(join(folder, later), 1_750_000_002, 1_750_000_002);
    const scanner = steppedScanner(folder);
    expect(await scanner.looks(2)).toMatchObject({ settled: [], settling: [{ name: 'a.csv' }] });
    scanner.clock.advance(5_000);
    // It must not stay behind: it would end the wait of the next file of that name.
    expect((await scanner.look()).settled).toMatchObject([{ name: 'a.csv', marker: {} }]);
  });

  it.each([
    ['has content, and waits as a drop of its own', { 'a.csv.done': ['rows', 1] }, ['a.csv', 'a.csv.done']],
    ['belongs to no file, and waits as a drop', { 'b.csv.done': ['', 1] }, ['a.csv', 'b.csv.done']],
  ] as const)('ends no wait when it %s', async (_why, more, drops) => {
    const folder = await folderWith({ 'a.csv': ['rows', 0], ...more });
    const scanner = steppedScanner(folder);
    expect(names((await scanner.look()).settling)).toEqual(drops);
    expect(names((await scanner.looks(3)).settled)).toEqual(drops);
  });

  it('is no link', async () => {
    const folder = await folderWith({ 'a.csv': ['rows', 0] });
    await symlink('/dev/null', join(folder, 'a.csv.done'));
    expect(await settleDrops(folder)).toMatchObject({ settled: [{ name: 'a.csv' }], odd: [{ name: 'a.csv.done' }] });
  });
});
