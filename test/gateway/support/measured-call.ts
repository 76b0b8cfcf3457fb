import { readFile } from 'node:fs/promises';
import type { OperationName } from '../../../schemas/operations.ts';
import { callOn } from './call.ts';

/**
 * Run as a process of its own with `--expose-gc`: makes a first call, so that all code is loaded, then the call to be
 * measured, and prints by how much the highest memory of the process lies above that before the second call.
 */
const [firstUrl = '', url = '', operation = ''] = process.argv.slice(2);
await callOn(firstUrl, operation as OperationName);
globalThis.gc?.();
const beforeBytes = process.memoryUsage.rss();
const answer = await callOn(url, operation as OperationName, { settings: { timeouts: { answerMs: 20_000 } } });
const why = 'why' in answer ? answer.why : 'errors' in answer ? answer.errors : '';
const growthMb = ((await readPeakBytes()) - beforeBytes) / 1024 / 1024;
console.log(JSON.stringify({ kind: answer.kind, why, growthMb }));

/** Linux counts the memory of the process that started this one into what Node tells, so its own file comes first. */
async function readPeakBytes(): Promise<number> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const [, peakKb] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(peakKb ?? process.resourceUsage().maxRSS) * 1024;
}
