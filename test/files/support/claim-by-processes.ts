import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findClaims } from '../../../src/files/claims/find-claims.ts';
import { freshFolders } from './fresh-folder.ts';
import { nextLine, remainingLines, startChild } from './run-child.ts';

/** Lets processes claim the same files at the same time, and checks that each file went to one of them. */
export async function claimTogether({ files, processes }: { files: number; processes: number }): Promise<void> {
  const { drop, work } = await freshFolders();
  const names = Array.from({ length: files }, (_, index) => `file-${String(index).padStart(4, '0')}.csv`);
  await Promise.all(names.map((name) => writeFile(join(drop, name), name)));
  const children = await Promise.all(
    Array.from({ length: processes }, () => startChild('test/files/support/claim-everything.ts', [drop, work])),
  );
  await Promise.all(children.map(nextLine));
  for (const child of children) child.process.stdin.write('go\n');
  const claimed = await Promise.all(children.map(remainingLines));
  const ends = await Promise.all(children.map(({ ended }) => ended));
  expect(ends).toEqual(ends.map(() => ({ code: 0, signal: null, errors: '' })));
  expect(claimed.flat().sort()).toEqual(names);
  const { claims, empty, strange } = await findClaims(work);
  expect({ empty, strange }).toEqual({ empty: [], strange: [] });
  const contents = await Promise.all(claims.map(({ path }) => readFile(path, 'utf8')));
  expect(contents.sort()).toEqual(names);
  expect(await readdir(drop)).toEqual([]);
}

/** Kills a process after that many claims, and checks that every file is claimed or left, with its sidecar. */
export async function killWhileClaiming({ files, claims }: { files: number; claims: number }): Promise<void> {
  const { drop, work } = await freshFolders();
  const names = Array.from({ length: files }, (_, index) => `file-${String(index).padStart(4, '0')}.csv`);
  for (const name of names) {
    await writeFile(join(drop, name), name);
    await writeFile(join(drop, `${name}.ctl`), 'rows=1');
  }
  const child = await startChild('test/files/support/claim-everything.ts', [drop, work]);
  await nextLine(child);
  child.process.stdin.write('go\n');
  for (let count = 0; count < claims; count += 1) await nextLine(child);
  child.process.kill('SIGKILL');
  expect((await child.ended).signal).toBe('SIGKILL');

  const { claims: found, strange } = await findClaims(work);
  expect(strange).toEqual([]);
  expect(found.length).toBeGreaterThanOrEqual(claims);
  const taken = await Promise.all(found.map(({ path }) => readFile(path, 'utf8')));
  const sidecars = await Promise.all(found.map(({ sidecar }) => readFile(sidecar ?? '', 'utf8')));
  expect(new Set(sidecars)).toEqual(new Set(['rows=1']));
  const left = (await readdir(drop)).filter((name) => name.endsWith('.csv'));
  expect([...taken, ...left].sort()).toEqual(names);
  expect((await readdir(drop)).length).toBe(2 * left.length);
}
