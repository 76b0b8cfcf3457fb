import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newFileId } from '../../src/kernel/ids.ts';
import { type ArchiveEntry, listSealed, listSealedInSlices } from '../../src/crypto/list-sealed.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-archive-'));
});
afterEach(() => rm(root, { recursive: true }));

async function list(folder = root): Promise<ArchiveEntry[]> {
  const entries: ArchiveEntry[] = [];
  for await (const entry of listSealed(folder)) entries.push(entry);
  return entries;
}

describe('listSealed', () => {
  it('tells originals from drafts and from what is not ours, the newest day first', async () => {
    const [old, young] = [newFileId(), newFileId()];
    for (const [day, name] of [
      ['14', `${old}.sealed`],
      ['15', `${young}.sealed`],
      ['15', `.${young}.sealed.0123456789ab.part`],
      ['15', 'notes.txt'],
    ] as const) {
      await mkdir(join(root, '2026', '06', day), { recursive: true });
      await writeFile(join(root, '2026', '06', day, name), '');
    }
    const entries = await list();
    expect(entries.map(({ kind, fileId }) => `${kind} ${fileId}`).toSorted()).toEqual(
      [`draft ${young}`, `sealed ${old}`, `sealed ${young}`, 'strange '].toSorted(),
    );
    expect(entries.at(-1)).toEqual({ kind: 'sealed', fileId: old, path: join('2026', '06', '14', `${old}.sealed`) });
  });

  it('is empty where there is no archive', async () => {
    expect(await list(join(root, 'none'))).toEqual([]);
  });
});

describe('listSealedInSlices', () => {
  it('gives the originals alone, no more at once than are wanted', async () => {
    const originals = Array.from({ length: 5 }, () => newFileId());
    await mkdir(join(root, '2026'));
    for (const name of [...originals.map((id) => `${id}.sealed`), 'notes.txt'])
      await writeFile(join(root, '2026', name), '');
    const slices: string[][] = [];
    for await (const slice of listSealedInSlices(root, 2)) slices.push(slice.map(({ fileId }) => fileId));
    expect(slices.map((slice) => slice.length)).toEqual([2, 2, 1]);
    expect(slices.flat().toSorted()).toEqual(originals.toSorted());
  });
});
