import type { Readable, Writable } from 'node:stream';

/** Where a person sits, if one does: keys come in, questions go out. */
export type Terminal = {
  readonly input: Readable & { readonly isTTY?: boolean };
  readonly output: Writable & { readonly isTTY?: boolean };
};

/** Questions go to standard error, because standard output is for data. */
export function systemTerminal(): Terminal {
  return { input: process.stdin, output: process.stderr };
}

/** Somebody who sees the question and can answer it. */
export function hasPerson({ input, output }: Terminal): boolean {
  return input.isTTY === true && output.isTTY === true;
}
