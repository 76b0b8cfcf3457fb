import type { Readable, Writable } from 'node:stream';

/** Where a user may sit: keys come in, questions go out. */
export type Terminal = {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
};

/** Returns the process's terminal. Questions go to standard error, because standard output is for data. */
export function systemTerminal(): Terminal {
  return { input: process.stdin, output: process.stderr };
}

/** Returns whether a user can see the question and answer it. */
export function hasPerson({ input, output }: Terminal): boolean {
  return input.isTTY === true && output.isTTY === true;
}
