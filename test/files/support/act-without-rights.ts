/**
 * Tries what needs rights without having them, and prints the results as JSON. As superuser it first becomes nobody. It
 * does so after loading all modules, because the checkout may be readable by the superuser only.
 */
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../../src/kernel/clock.ts';
import { systemCode, reasonOf } from '../../../src/kernel/errors.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { checkSameFileSystem } from '../../../src/files/check-same-file-system.ts';
import { claimDrop } from '../../../src/files/claims/claim-drop.ts';
import { findClaims } from '../../../src/files/claims/find-claims.ts';
import { createFolderScanner } from '../../../src/files/scan-folder.ts';
import { readSidecar } from '../../../src/files/sidecar.ts';
import { writeOutput } from '../../../src/files/outputs/write-output.ts';

const NOBODY = 65_534;
const [root = ''] = process.argv.slice(2);
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
}

const closed: string[] = [];

async function folder(name: string): Promise<string> {
  const path = join(root, name);
  await mkdir(path);
  return path;
}

async function close(path: string, mode: number): Promise<void> {
  await chmod(path, mode);
  closed.push(path);
}

async function scan(path: string) {
  return await createFolderScanner({ path, complete: { by: 'quiet', quietMs: 0, probes: 1 } }, systemClock).scan();
}

async function codeOf(act: () => Promise<unknown>): Promise<{ code: unknown; message: string }> {
  try {
    return { code: 'none', message: JSON.stringify(await act()) };
  } catch (error) {
    return { code: systemCode(error), message: reasonOf(error) };
  }
}

async function claimFrom(drop: string, work: string, shut: string) {
  await writeFile(join(drop, '4222222222222220.csv'), 'rows\n');
  const { settled } = await scan(drop);
  await close(shut, 0o555);
  const [candidate] = settled;
  if (candidate === undefined) throw new Error('nothing settled');
  const options = {
    workRoot: work,
    folder: { id: 'cards', account: 'main', operation: 'card' as const },
    clock: systemClock,
    fileId: newFileId(),
  };
  const result = await codeOf(() => claimDrop(candidate, options));
  return { ...result, left: await readdir(drop), work: await readdir(work) };
}

const drop = await folder('drop-closed');
const claimFromClosed = await claimFrom(drop, await folder('work-open'), drop);

const work = await folder('work-closed');
const claimIntoClosed = await claimFrom(await folder('drop-open'), work, work);

const unreadable = await folder('unreadable');
await writeFile(join(unreadable, 'shut.csv'), 'rows\n', { mode: 0o200 });
await writeFile(join(unreadable, 'open.csv'), 'rows\n');
const { settled, odd } = await scan(unreadable);
const sidecar = await readSidecar(join(unreadable, 'shut.csv'));

const hidden = await folder('hidden');
await close(hidden, 0o311);
const listHidden = await codeOf(() => scan(hidden));

const out = await folder('out');
await close(out, 0o555);
const output = await codeOf(() =>
  writeOutput({ dir: out, name: 'a.csv', write: (stream) => Promise.resolve(void stream.write('a')) }),
);
const check = await codeOf(() => checkSameFileSystem(out, root));

const claims = await folder('claims');
const shutClaim = join(claims, newFileId());
await mkdir(shutClaim);
await close(shutClaim, 0o000);
const found = await findClaims(claims);

for (const path of closed) await chmod(path, 0o700);
process.stdout.write(
  JSON.stringify({
    uid: process.getuid?.(),
    claimFromClosed,
    claimIntoClosed,
    settled: settled.map(({ name }) => name),
    odd: odd.map(({ name, code }) => ({ name, code })),
    sidecar,
    listHidden,
    output,
    check,
    found: { claims: found.claims.length, strange: found.strange.map(({ code, reason }) => ({ code, reason })) },
  }),
);
