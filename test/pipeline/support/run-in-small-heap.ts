import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/**
 * A process that gathers rows dies of this heap. What it takes altogether is a question of when V8 collects, so it is
 * said and not judged here.
 */
const SMALL_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=16'];

export async function runInSmallHeap(
  script: string,
  ...words: string[]
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const path = join('test/pipeline/support', script);
  const child = spawn(process.execPath, [...SMALL_HEAP, '--import', 'tsx', path, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: child.exitCode, stdout, stderr };
}
