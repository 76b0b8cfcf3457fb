import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Sample } from './record.ts';

/**
 * Runs a measured program in a process of its own and returns the sample that it prints.
 * @param options.heapMb heap limit; Node's default if omitted
 */
export async function runProgram(
  path: string,
  words: readonly string[],
  { heapMb, nodeFlags = [] }: { heapMb?: number; nodeFlags?: readonly string[] } = {},
): Promise<Sample> {
  const flags = heapMb === undefined ? nodeFlags : [`--max-old-space-size=${heapMb}`, ...nodeFlags];
  const child = spawn(process.execPath, [...flags, path, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-LONGEST)));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints = (complaints + text).slice(-LONGEST)));
  const [status] = (await once(child, 'close')) as [number | null];
  const line = printed.trimEnd().split('\n').at(-1) ?? '';
  if (status !== 0 || !line.startsWith('{')) throw new Error(`${path} ended with ${status}: ${complaints}`);
  return Sample.parse(JSON.parse(line));
}

/** Longer than any sample, and enough of an error message. */
const LONGEST = 20_000;
