import type { OperationName } from '../../../schemas/operations.ts';
import { peakBytes } from '../../../bench/measure/peak-memory.ts';
import { callOn } from './call.ts';

/**
 * Runs as a process. It makes the calls given as pairs of operation and address in turn, and prints each outcome, with
 * how far the call raised peak memory above the level before it. The first call loads all code. With little memory, a
 * call that takes too much kills it.
 */
const words = process.argv.slice(2);
for (let at = 0; at < words.length; at += 2) {
  const [operation = '', url = ''] = words.slice(at);
  globalThis.gc?.();
  const beforeBytes = process.memoryUsage.rss();
  const answer = await callOn(url, operation as OperationName, { settings: { timeouts: { answerMs: 60_000 } } });
  const why = 'why' in answer ? answer.why : 'errors' in answer ? answer.errors : '';
  const growthMb = (peakBytes() - beforeBytes) / 1024 / 1024;
  console.log(JSON.stringify({ kind: answer.kind, why, growthMb }));
}
