import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { buildProgram } from '../../support/build-program.ts';

/**
 * A process that piles up rows dies of this heap. Its total memory depends on when V8 collects, so it is reported but
 * not judged here.
 */
const SMALL_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=16'];

export async function runInSmallHeap(
  script: string,
  ...words: string[]
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const { fileOf } = await buildProgram();
  const child = spawn(process.execPath, [...SMALL_HEAP, fileOf(`test/pipeline/support/${script}`), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: child.exitCode, stdout, stderr };
}
