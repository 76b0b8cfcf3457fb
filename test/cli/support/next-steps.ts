import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

/** Returns the lines under "Next:" that `paydrop init` prints for a new folder, as a user would paste them. */
export function stepsOf(out: string): string[] {
  const [, block = ''] = /^Next:\n((?: {2}.*\n)+)/m.exec(out) ?? [];
  const steps = block.trimEnd().split('\n');
  expect(steps).toHaveLength(3);
  return steps.map((line) => line.trim().replace(/ +#.*/, ''));
}

/** Returns the words a shell passes to paydrop when a user pastes the line in a checkout. */
export async function wordsOf(line: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('sh', ['-c', `printf '%s\\n' ${line}`]);
  const [npm, run, script, dashes, ...words] = stdout.trimEnd().split('\n');
  expect([npm, run, script, dashes]).toEqual(['npm', 'run', 'paydrop', '--']);
  return words;
}

/** Gives the starter configuration the sandbox's address and waits short enough for a test. */
export async function shortenWaits(root: string, sandboxUrl: string): Promise<void> {
  const path = join(root, 'paydrop.yaml');
  const text = (await readFile(path, 'utf8'))
    .replace('http://127.0.0.1:8899', sandboxUrl)
    .replace('poll: { firstMs: 1000 }', 'poll: { firstMs: 100 }')
    .replaceAll(/^( +)(operation: .*)$/gm, '$1$2\n$1complete: { by: quiet, quietMs: 200 }');
  await writeFile(path, text);
}
