import { type Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import { PipelineError } from '../../kernel/errors.ts';

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

/**
 * Asks one question at the terminal. A hidden answer is not echoed, not even its length, and nothing is kept.
 * @throws PipelineError USAGE when the user leaves with Ctrl-C or Ctrl-D
 */
export async function ask({ input, output }: Terminal, question: string, isHidden = false): Promise<string> {
  // Discards readline's echo of a hidden answer.
  const echo = isHidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : output;
  const lines = createInterface({ input, output: echo, terminal: true, historySize: 0 });
  const answered = new Promise<string>((resolve, reject) => {
    lines.once('close', () => reject(leftError()));
    lines.question(isHidden ? '' : question, resolve);
  });
  // Only now: keys that arrive before readline listens are lost.
  if (isHidden) output.write(question);
  try {
    return await answered;
  } finally {
    lines.close();
    if (isHidden) output.write('\n');
  }
}

function leftError(): PipelineError {
  return new PipelineError('USAGE', 'go on', 'the question was not answered', { next: 'Nothing was sent.' });
}
