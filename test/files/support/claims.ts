import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { claimDrop } from '../../../src/files/claims/claim-drop.ts';
import type { Claim, ClaimOutcome } from '../../../src/files/claims/finish-claim.ts';
import type { CompleteBy } from '../../../src/files/completeness.ts';
import { type Candidate, createFolderScanner, type Scan } from '../../../src/files/scan-folder.ts';
import { freshFolders } from './fresh-folder.ts';
import { findClaims } from '../../../src/files/claims/find-claims.ts';
import { buildProgram } from '../../support/build-program.ts';

export const FOLDER = { id: 'cards', account: 'main', operation: 'card' } as const;

export async function tryClaim(candidate: Candidate, workRoot: string, fileId = newFileId()): Promise<ClaimOutcome> {
  const clock = handClock('2026-06-15T12:00:00Z');
  return await claimDrop(candidate, { workRoot, folder: FOLDER, clock, fileId });
}

/** Returns the only settled drop of a folder. */
export async function onlyCandidate(folder: string, complete?: CompleteBy): Promise<Candidate> {
  const { settled } = await settleDrops(folder, complete);
  const [candidate] = settled;
  if (candidate === undefined || settled.length > 1) throw new Error(`${settled.length} candidates instead of one`);
  return candidate;
}

/** Claims the only settled drop of a folder. */
export async function claimOnly(folder: string, workRoot: string, complete?: CompleteBy): Promise<Claim> {
  const outcome = await tryClaim(await onlyCandidate(folder, complete), workRoot);
  if (outcome.is !== 'claimed') throw new Error(`the drop is ${outcome.is}`);
  return outcome.claim;
}

export const COMPANIONS = { 'a.csv.ctl': 'rows=1', 'a.csv.done': '' };

/** Makes the folders of an installation, with `a.csv` and its companions as the only settled drop. */
export async function settledDrop(companions: Readonly<Record<string, string>> = {}, complete?: CompleteBy) {
  const folders = await freshFolders();
  for (const [name, text] of Object.entries({ 'a.csv': 'rows', ...companions })) {
    const seconds = name === 'a.csv' ? 1_749_999_000 : 1_750_000_000;
    await writeFile(join(folders.drop, name), text);
    await utimes(join(folders.drop, name), seconds, seconds);
  }
  return { ...folders, candidate: await onlyCandidate(folders.drop, complete) };
}

/** Does the same and claims the drop. */
export async function claimedDrop(companions?: Readonly<Record<string, string>>, complete?: CompleteBy) {
  const { candidate, ...folders } = await settledDrop(companions, complete);
  const outcome = await tryClaim(candidate, folders.work);
  if (outcome.is !== 'claimed') throw new Error(`the drop is ${outcome.is}`);
  return { ...folders, claim: outcome.claim };
}

export const QUIET: CompleteBy = { by: 'quiet', quietMs: 10_000, probes: 3 };

/** Returns a scanner whose clock advances five seconds before every scan after the first. */
export function steppedScanner(path: string, complete: CompleteBy = QUIET) {
  const clock = handClock('2026-06-15T12:00:00Z');
  const scanner = createFolderScanner({ path, complete }, clock);
  return {
    clock,
    look: () => scanner.scan(),
    async looks(count: number): Promise<Scan> {
      let scan = await scanner.scan();
      for (let look = 1; look < count; look += 1) {
        clock.advance(5_000);
        scan = await scanner.scan();
      }
      return scan;
    },
  };
}

/** Returns what a folder holds once everything in it has settled. */
export async function settleDrops(path: string, complete: CompleteBy = QUIET): Promise<Scan> {
  return await steppedScanner(path, complete).looks(3);
}

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

export type Child = {
  process: ChildProcessWithoutNullStreams;
  /** Lines of its standard output, as they arrive. */
  lines: AsyncIterableIterator<string>;
  ended: Promise<{ code: number | null; signal: string | null; errors: string }>;
};

/**
 * Starts a script as a real process, which is killed when the test ends.
 * @param script such as `test/files/support/claim-everything.ts`
 */
export async function startChild(script: string, args: string[]): Promise<Child> {
  const { fileOf } = await buildProgram();
  const child = spawn(process.execPath, [fileOf(script), ...args]);
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, signal: child.signalCode, errors }));
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { process: child, lines: createInterface(child.stdout)[Symbol.asyncIterator](), ended };
}

/** Returns the next line that a child writes. */
export async function nextLine(child: Child): Promise<string> {
  const { value, done } = await child.lines.next();
  if (done) throw new Error(`the child ended: ${(await child.ended).errors}`);
  return value;
}

/** Returns all lines still to come. */
export async function remainingLines(child: Child): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of child.lines) lines.push(line);
  return lines;
}
