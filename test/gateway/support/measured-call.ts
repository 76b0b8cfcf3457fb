import type { OperationName } from '../../../schemas/operations.ts';
import { peakBytes } from '../../support/peak-bytes.ts';
import { callOn } from './call.ts';

/**
 * Runs as a process with `--expose-gc`. A first call loads all code. It prints how far the second call raises peak
 * memory above the level before it.
 */
const [firstUrl = '', url = '', operation = ''] = process.argv.slice(2);
await callOn(firstUrl, operation as OperationName);
globalThis.gc?.();
const beforeBytes = process.memoryUsage.rss();
const answer = await callOn(url, operation as OperationName, { settings: { timeouts: { answerMs: 20_000 } } });
const why = 'why' in answer ? answer.why : 'errors' in answer ? answer.errors : '';
const growthMb = (peakBytes() - beforeBytes) / 1024 / 1024;
console.log(JSON.stringify({ kind: answer.kind, why, growthMb }));
