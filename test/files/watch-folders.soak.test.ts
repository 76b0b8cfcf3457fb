import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { link, mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { watchFolders } from '../../src/files/watch-folders.ts';
import { bytePath, freshFolder } from './support/fresh-folder.ts';
import { markOf, openDraft, TEMPORARY_OUTPUT } from '../../src/files/outputs/output-draft.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { claimTogether, killWhileClaiming } from './support/claims.ts';

async function watch(paths: string[], options: { fail?: boolean } = {}) {
  const events = new EventEmitter<{ hint: [] }>();
  let count = 0;
  const warn = vi.fn();
  const onEvent = async (): Promise<void> => {
    count += 1;
    events.emit('hint');
    if (options.fail) throw Object.assign(new Error('4222222222222220'), { code: 'EIO' });
  };
  const watcher = watchFolders(onEvent, { log: { warn } });
  onTestFinished(() => watcher.close());
  const hinted = async (after = 0): Promise<void> => {
    if (count <= after) await once(events, 'hint');
  };
  for (const path of paths) {
    const before = count;
    watcher.follow(path, true);
    await hinted(before);
  }
  return { watcher, warn, hinted, count: () => count };
}

describe('watchFolders', () => {
  it('events when a file comes, in any of the folders', async () => {
    const write = async (place: 0 | 1): Promise<number> => {
      const folders = [await freshFolder(), await freshFolder()] as const;
      const { hinted, count } = await watch([...folders]);
      for (const name of ['a.csv', 'b.csv']) {
        const before = count();
        await writeFile(join(folders[place], name), 'rows');
        await hinted(before);
      }
      return count();
    };
    for (const events of await Promise.all([write(0), write(1)])) expect(events).toBeGreaterThan(3);
  });

  it('says nothing of what lies there already but once, when it begins', async () => {
    const folder = await freshFolder();
    await writeFile(join(folder, 'a.csv'), 'rows');
    const { count } = await watch([folder]);
    await sleep(300);
    expect(count()).toBe(1);
  });

  it('makes few events of many events', async () => {
    const folder = await freshFolder();
    const { hinted, count } = await watch([folder]);
    const begun = performance.now();
    for (let index = 0; index < 50; index += 1) writeFileSync(join(folder, `${index}.csv`), 'rows');
    await hinted(1);
    const before = count();
    await writeFile(join(folder, 'last.csv'), 'rows');
    await hinted(before);
    // Slow file-system events keep giving events, but never more than ten a second.
    expect(count()).toBeLessThan(Math.max(10, 2 + (performance.now() - begun) / 100));
  });

  it('events at names that are not UTF-8', async () => {
    const folder = await freshFolder();
    const { hinted, count } = await watch([folder]);
    await writeFile(bytePath(folder, Buffer.from('caf\xe9.csv', 'latin1')), 'rows');
    await hinted(1);
    expect(count()).toBeGreaterThan(1);
  });

  it('logs a scan that failed, without its words, and goes on', async () => {
    const folder = await freshFolder();
    const { warn, hinted, count } = await watch([folder], { fail: true });
    await vi.waitFor(() => expect(warn).toHaveBeenCalledWith({ code: 'EIO' }, expect.any(String)), {
      timeout: 120_000,
    });
    expect(JSON.stringify(warn.mock.calls)).not.toContain('4222');
    const before = count();
    await writeFile(join(folder, 'b.csv'), 'rows');
    await hinted(before);
    expect(count()).toBeGreaterThan(before);
  });

  it('is silent about a folder that is not followed, and hears of it again', async () => {
    const folder = await freshFolder();
    const { watcher, hinted, count } = await watch([folder]);
    watcher.follow(folder, false);
    watcher.follow(folder, false);
    await writeFile(join(folder, 'a.csv'), 'rows');
    await sleep(300);
    expect(count()).toBe(1);
    watcher.follow(folder, true);
    watcher.follow(folder, true);
    await hinted(1);
    await writeFile(join(folder, 'b.csv'), 'rows');
    await hinted(2);
    await watcher.close();
    watcher.follow(folder, false);
    watcher.follow(folder, true);
  });

  it('is silent once closed, also about what had just happened', async () => {
    const folder = await freshFolder();
    const closed = await watch([folder]);
    const open = await watch([folder]);
    await writeFile(join(folder, 'a.csv'), 'rows');
    await closed.watcher.close();
    await open.hinted(1);
    const before = open.count();
    await writeFile(join(folder, 'b.csv'), 'rows');
    await open.hinted(before);
    expect(closed.count()).toBe(1);
  });

  it('does not fail for a folder that is not there, or for none', async () => {
    const parent = await freshFolder();
    const { warn } = await watch([join(parent, 'none')]);
    await watch([]);
    await mkdir(join(parent, 'none'));
    expect(warn).not.toHaveBeenCalled();
  });
});

const NAME = 'monday__1a2b3c4d.result.csv';

describe('openDraft', () => {
  it('begins a file under a temporary name, for our user only, in a folder that it makes', async () => {
    const dir = join(await freshFolder(), 'out', 'cards');
    const draft = await openDraft(dir, NAME);
    expect(await readdir(dir)).toEqual([expect.stringMatching(TEMPORARY_OUTPUT)]);
    expect((await stat(draft.temporary)).mode & 0o777).toBe(0o600);
    await draft.discard();
    expect(await readdir(dir)).toEqual([]);
  });

  it('holds the pieces in their order, and counts what it was given, also beyond what is synced early', async () => {
    const dir = await freshFolder();
    const draft = await openDraft(dir, NAME);
    const piece = Buffer.alloc(6_000_000, 'a');
    const whole: Buffer[] = [];
    for (const letter of 'abcdefgh') {
      // Reuse the buffer, as a caller may.
      piece.fill(letter);
      whole.push(Buffer.from(piece));
      await draft.append(piece);
    }
    const content = { sha256: sha256Of(Buffer.concat(whole)), bytes: 48_000_000 };
    const mark = markOf(await stat(draft.temporary, { bigint: true }));
    expect(await draft.finish()).toEqual({ ...content, mark });
    expect(await draft.finish()).toEqual({ ...content, mark });
    expect((await readFile(draft.temporary)).equals(Buffer.concat(whole))).toBe(true);
  });

  it('does not finish when the disk holds something else', async () => {
    const dir = await freshFolder();
    const draft = await openDraft(dir, NAME);
    await draft.append(Buffer.from('25.00\n'));
    await writeFile(draft.temporary, '95.00\n');
    await expect(draft.finish()).rejects.toMatchObject({ code: 'OUTPUT_MISMATCH' });
    await draft.discard();
    expect(await readdir(dir)).toEqual([]);
  });

  it('ends what it is writing before it lets go of the file', async () => {
    const dir = await freshFolder();
    const draft = await openDraft(dir, NAME);
    const writing = draft.append(Buffer.alloc(30_000_000));
    await draft.discard();
    await writing;
    expect(await readdir(dir)).toEqual([]);
  });

  it('marks a file so that a change of it shows, and another of the same bytes', async () => {
    const path = join(await freshFolder(), 'a');
    const markAt = async (place: string) => markOf(await stat(place, { bigint: true }));
    await writeFile(path, 'one');
    await utimes(path, 1, 1);
    const mark = await markAt(path);
    await link(path, `${path}2`);
    expect(await markAt(`${path}2`)).toBe(mark);
    await writeFile(`${path}2`, 'two');
    expect(await markAt(path)).not.toBe(mark);
    await writeFile(`${path}3`, 'one');
    await utimes(`${path}3`, 1, 1);
    expect(await markAt(`${path}3`)).not.toBe(mark);
  });

  it.each(['out', 'out/cards'])('says that a file has the name of the folder: %s', async (below) => {
    const root = await freshFolder();
    await writeFile(join(root, 'out'), 'somebody else');
    await expect(openDraft(join(root, below), NAME)).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    expect(await readFile(join(root, 'out'), 'utf8')).toBe('somebody else');
  });
});

/** See claim-drop.test.ts. */
describe('claimDrop, for long', () => {
  it('gives every file to exactly one of eight processes', async () => {
    await claimTogether({ files: 4_000, processes: 8 });
  }, 300_000);

  it.each([1, 3, 10, 30, 60, 100, 150, 190])(
    'loses no file and no sidecar when a process is killed after %i claims',
    async (claims) => {
      await killWhileClaiming({ files: 200, claims });
    },
    120_000,
  );
});
