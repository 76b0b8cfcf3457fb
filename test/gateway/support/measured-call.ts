import type { OperationName } from '../../../schemas/operations.ts';
import { peakBytes } from '../../support/peak-bytes.ts';
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
const growthMb = (peakBytes() - beforeBytes) / 1024 / 1024;
console.log(JSON.stringify({ kind: answer.kind, why, growthMb }));
