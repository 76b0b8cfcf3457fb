import { link, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { markOf, openDraft, TEMPORARY_OUTPUT } from '../../../src/files/outputs/output-draft.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { freshFolder } from '../support/fresh-folder.ts';

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

  it.each(['out', 'out/cards'])('says that a file stands in the place of the folder: %s', async (below) => {
    const root = await freshFolder();
    await writeFile(join(root, 'out'), 'somebody else');
    await expect(openDraft(join(root, below), NAME)).rejects.toMatchObject({ code: 'FOLDER_MISSING' });
    expect(await readFile(join(root, 'out'), 'utf8')).toBe('somebody else');
  });
});
