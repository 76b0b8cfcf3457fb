import type { OperationName } from '../../../schemas/operations.ts';
import { callOn } from './call.ts';

/**
 * Runs as a process with little memory. It makes the calls given as pairs of operation and address in turn, and prints
 * each outcome. A call that takes too much memory kills it.
 */
const words = process.argv.slice(2);
for (let at = 0; at < words.length; at += 2) {
  const [operation = '', url = ''] = words.slice(at);
  const answer = await callOn(url, operation as OperationName, { settings: { timeouts: { answerMs: 60_000 } } });
  const why = 'why' in answer ? answer.why : 'errors' in answer ? answer.errors : '';
  console.log(JSON.stringify({ kind: answer.kind, why }));
}
