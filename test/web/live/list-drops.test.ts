import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Folder, Settings } from '../../../src/config/config.ts';
import { openWaitingDrops } from '../../../src/files/waiting-drops.ts';
import { openDropLister } from '../../../src/web/live/list-drops.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { handClock } from '../../../src/kernel/clock.ts';

const complete = { by: 'quiet', quietMs: 10_000, probes: 2 } as const;

function lister(paths: readonly string[]) {
  const folders = paths.map((path) => ({ id: path, path, site: 'main', complete }) as Folder);
  const settings = { folders, site: 'main' } as unknown as Settings;
  const waiting = openWaitingDrops();
  return { waiting, drops: openDropLister({ settings, waiting, clock: handClock('2026-06-15T12:00:00Z') }) };
}

describe('openDropLister', () => {
  it('lists the folders that this process does not watch; a missing one keeps nobody waiting', async () => {
    const path = await freshFolder();
    await writeFile(join(path, 'june.csv'), 'x');
    const { waiting, drops } = lister([join(path, 'missing'), path]);
    await drops.refresh();
    expect(waiting.of(path)).toMatchObject({ drops: [{ name: 'june.csv' }], total: 1 });
    expect(waiting.of(join(path, 'missing'))).toEqual({ drops: [], total: 0 });
  });

  it('lists each folder once for all who ask within a moment', async () => {
    const path = await freshFolder();
    const { waiting, drops } = lister([path]);
    await Promise.all([drops.refresh(), drops.refresh()]);
    await writeFile(join(path, 'june.csv'), 'x');
    await drops.refresh();
    expect(waiting.of(path).total).toBe(0);
    await expect.poll(async () => (await drops.refresh(), waiting.of(path).total), { timeout: 30_000 }).toBe(1);
  });

  it('lists nothing where the folders are watched', async () => {
    const path = await freshFolder();
    await writeFile(join(path, 'june.csv'), 'x');
    const { waiting, drops } = lister([path]);
    waiting.follow();
    await drops.refresh();
    expect(waiting.of(path).total).toBe(0);
  });
});
