import type { OperationName } from '../../../schemas/operations.ts';
import { callOn } from './call.ts';

/**
 * Run as a process of its own with little memory: makes the calls that it is told as pairs of an operation and an address,
 * one after the other, and prints what came of each. Where one takes more memory than there is, the process dies.
 */
const words = process.argv.slice(2);
for (let at = 0; at < words.length; at += 2) {
  const [operation = '', url = ''] = words.slice(at);
  const answer = await callOn(url, operation as OperationName, { settings: { timeouts: { answerMs: 60_000 } } });
  const why = 'why' in answer ? answer.why : 'errors' in answer ? answer.errors : '';
  console.log(JSON.stringify({ kind: answer.kind, why }));
}
