import { spawn } from 'node:child_process';
import type { ServerUser } from './cluster.ts';

/** `status` is null when the program could not run or was killed; `output` then says why. */
export type Run = { status: number | null; output: string };

/**
 * The whole environment of PostgreSQL. Ours is not passed on: it may hold the master key and passwords, which the
 * server's user could read. PG variables or a locale would change what the programs do.
 */
const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

const LONGEST_OUTPUT = 16_000;

/**
 * Runs a program to its end, as another user if given (only root can).
 * @returns exit status and what it wrote to both outputs; never throws
 */
export function runProgram(
  program: string,
  words: readonly string[],
  options: { user: ServerUser | undefined; folder: string; input?: string },
): Promise<Run> {
  const { user, folder, input = '' } = options;
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      cwd: folder,
      env: ENVIRONMENT,
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    let output = '';
    const keep = (text: string) => {
      output = (output + text).slice(-LONGEST_OUTPUT);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => resolve({ status: null, output: error.message }));
    child.on('close', (status, signal) => resolve({ status, output: output || `${program} ended by ${signal}` }));
    // A program that ends without reading breaks the pipe; its exit status says enough.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/**
 * Returns whether the user may pass through the folder. It asks the kernel as that user, because access lists, mounts
 * and security modules matter as much as the mode bits.
 */
export async function canReach(user: ServerUser, folder: string): Promise<boolean> {
  const run = await runProgram('/bin/sh', ['-c', 'test -x "$1"', 'sh', folder], { user, folder: '/' });
  return run.status === 0;
}
