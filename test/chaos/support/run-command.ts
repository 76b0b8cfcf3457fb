import { execFile } from 'node:child_process';
import type { Program } from '../../support/build-program.ts';

/** Runs a command of the product as a person would. Returns its exit status and its output. */
export function runCommand(
  program: Program,
  root: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ status: number; said: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [program.main, '--dir', root, ...words],
      { env: { ...process.env, ...env } },
      (error, stdout, stderr) => {
        const status = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ status, said: `${stdout}${stderr}`.trim() });
      },
    );
  });
}
