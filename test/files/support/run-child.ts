import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { buildProgram } from '../../support/build-program.ts';

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
