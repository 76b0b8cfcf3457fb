import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GARBAGE, NODE, type Profile, readProfiles } from '../../../bench/measure/read-profile.ts';

/** Returns a profile of one chain of calls, each made by the one before, sampled once for `ms` milliseconds. */
function looked(ms: number, ...calls: [functionName: string, url: string][]): Profile {
  return {
    nodes: calls.map(([functionName, url], index) => ({
      id: index + 1,
      callFrame: { functionName, url },
      ...(index + 1 < calls.length && { children: [index + 2] }),
    })),
    samples: [calls.length],
    timeDeltas: [ms * 1_000],
  };
}

async function read(...profiles: Profile[]) {
  const dir = await mkdtemp(join(tmpdir(), 'paydrop-profiles-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'notes.txt'), 'no profile');
  for (const [index, profile] of profiles.entries())
    await writeFile(join(dir, `CPU.${index}.cpuprofile`), JSON.stringify(profile));
  return Object.fromEntries(await readProfiles(dir));
}

const OURS = 'file:///somewhere/dist/src/csv/scan/scan-block.js';
const PACKAGE = 'file:///somewhere/node_modules/@scope/name/lib/index.js';

describe('readProfiles', () => {
  it.each([
    ['a folder of ours', OURS, 'src/csv'],
    ['a file of ours in no folder', 'file:///somewhere/dist/src/app.js', 'src'],
    ['the workers', 'file:///somewhere/dist/workers/intake/read-content.js', 'workers'],
    ['a package', PACKAGE, '@scope/name'],
    ['a package inside of another', `file:///x/node_modules/outer/node_modules/inner/dist/src/csv/x.js`, 'inner'],
    ['a part of pg', 'file:///x/node_modules/pg-protocol/dist/index.js', 'pg'],
    ['what writes past pg', 'file:///x/dist/src/ledger/engine/copy-in.js', 'pg'],
    ['the rest of the ledger', 'file:///x/dist/src/ledger/engine/move.js', 'src/ledger'],
    ['Node itself', 'node:fs', NODE],
  ])('finds the owner: %s', async (_what, url, owner) => {
    expect(await read(looked(7, ['', 'node:internal'], ['work', url]))).toEqual({ [owner]: { allMs: 7, nativeMs: 0 } });
  });

  it('counts what Node does for whoever called it last, and tells what is no JavaScript', async () => {
    const calls: [string, string][] = [
      ['query', PACKAGE],
      ['scan', OURS],
      ['write', 'node:net'],
    ];
    expect(await read(looked(3, ...calls))).toEqual({ 'src/csv': { allMs: 3, nativeMs: 0 } });
    expect(await read(looked(3, ...calls, ['writev', '']))).toEqual({ 'src/csv': { allMs: 3, nativeMs: 3 } });
  });

  it('adds up the threads, and leaves out when they waited', async () => {
    const idle = looked(1_000, ['(root)', ''], ['(idle)', '']);
    const garbage = looked(5, ['scan', OURS], ['(garbage collector)', '']);
    expect(await read(looked(1, ['scan', OURS]), looked(2, ['scan', OURS]), idle, garbage)).toEqual({
      'src/csv': { allMs: 3, nativeMs: 0 },
      [GARBAGE]: { allMs: 5, nativeMs: 0 },
    });
  });

  it('counts each look at a call by itself', async () => {
    const once = looked(1, ['scan', OURS], ['open', '']);
    const profile = { ...once, samples: [1, 2, 2, 1], timeDeltas: [1_000, 2_000, 4_000, 8_000] };
    expect(await read(profile)).toEqual({ 'src/csv': { allMs: 15, nativeMs: 6 } });
  });
});
