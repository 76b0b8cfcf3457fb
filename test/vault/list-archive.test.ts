import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newFileId } from '../../src/kernel/ids.ts';
import { archivePath } from '../../src/vault/archive.ts';
import { listArchive } from '../../src/vault/list-archive.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-archive-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function list() {
  const found = [];
  for await (const files of listArchive(folder)) found.push(...files);
  return found;
}

it('listArchive gives every sealed original by its day, and nothing else', async () => {
  const claims = [newFileId(), newFileId()].map((fileId, day) => ({
    fileId,
    path: archivePath(folder, fileId, new Date(Date.UTC(2026, 5, 15 + day))),
  }));
  for (const { path } of claims) {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, '');
    await writeFile(join(path, '..', '.draft.part'), '');
  }
  await writeFile(join(folder, 'notes.txt'), '');
  expect(await list()).toEqual(claims);
});

it('listArchive finds nothing where there is no archive', async () => {
  await rm(folder, { recursive: true });
  expect(await list()).toEqual([]);
  await mkdir(folder);
});
