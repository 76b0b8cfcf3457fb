import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildProgram, PROGRAM_VARIABLE } from './build-program.ts';
import { timeFixedWork, WORK_VARIABLE } from './fixed-work.ts';
import { openTestRun, RUN_VARIABLE } from './postgres.ts';
import { isAlive } from '../../src/ledger/postgres/ask-server.ts';

/**
 * Prepares a run before its first test. All projects and workers share its temporary folder, database server, template
 * and compiled program.
 */
export default async function startRun(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[RUN_VARIABLE] !== undefined) return undefined;
  // First, while the run itself keeps no core busy.
  process.env[WORK_VARIABLE] = String(timeFixedWork());
  const folder = makeFolder();
  process.env['TMPDIR'] = folder;
  const [{ close, ...run }, program] = await Promise.all([openTestRun(), buildProgram()]);
  process.env[RUN_VARIABLE] = JSON.stringify(run);
  process.env[PROGRAM_VARIABLE] = program.dir;
  return async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  };
}

const PREFIX = 'paydrop-tests-';

function makeFolder(): string {
  const parent = isFit(MEMORY) ? MEMORY : tmpdir();
  removeLeftovers(parent);
  const folder = join(parent, `${PREFIX}${process.pid}`);
  mkdirSync(folder);
  chmodSync(folder, 0o711);
  return folder;
}

/** Files in memory: copying a database takes a fifth of the time, and nothing waits for a disk. */
const MEMORY = '/dev/shm';
const BYTES_NEEDED = 4 * 1024 ** 3;

/** Returns whether the folder has room and lets programs run, which is often not so in containers. */
function isFit(folder: string): boolean {
  const program = join(folder, `${PREFIX}${process.pid}.sh`);
  try {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < BYTES_NEEDED) return false;
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 });
    return spawnSync(program).status === 0;
  } catch {
    return false;
  } finally {
    rmSync(program, { force: true });
  }
}

/**
 * Removes folders of killed runs, whose servers end when their files are gone. A folder that another run removes right
 * now, or into which a process still writes, is left to a later run.
 */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length)) : 0;
    if (pid === 0 || isAlive(pid)) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {}
  }
}
