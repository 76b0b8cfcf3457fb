import { basename, dirname } from 'node:path';
import type { OperationName } from '../../../schemas/operations.ts';
import { writeOutput } from '../../files/outputs/write-output.ts';
import type { AnyAnswer } from '../../gateway/client-answers.ts';
import { maskNumber } from '../../kernel/mask.ts';
import type { Call } from '../command.ts';
import { describeAnswer } from './describe-answer.ts';

/**
 * Prints an answer. Standard output gets only the requested file or result, so that it can be piped. Answers without
 * data go to standard error; with --json all answers are data.
 * @throws PipelineError OUTPUT_EXISTS and others when --out cannot be written
 */
export async function showAnswer(call: Call, operation: OperationName, answer: AnyAnswer): Promise<void> {
  const file = fileOf(answer);
  const out = call.options['out'];
  if (file !== undefined && typeof out === 'string') await writeFile(out, file);
  if (call.options['json']) console.log(JSON.stringify(toJson(answer), null, 2));
  else if (file !== undefined && typeof out === 'string') console.error(`Written: ${out}`);
  else if (file !== undefined) process.stdout.write(hideNumbers(file.toString('utf8')));
  else if (isResult(answer)) console.log(describeAnswer(operation, answer));
  else console.error(describeAnswer(operation, answer));
}

/** Encodes a file as base64 for JSON, because the service's bytes need not be text in any character set. */
function toJson(answer: AnyAnswer): unknown {
  if (answer.kind !== 'approved' && answer.kind !== 'accepted') return answer;
  if (!('file' in answer.result)) return answer;
  const { file } = answer.result;
  return { ...answer, result: { ...answer.result, file: file === null ? null : file.toString('base64') } };
}

function fileOf(answer: AnyAnswer): Buffer | undefined {
  if (answer.kind !== 'approved') return undefined;
  if ('csv' in answer.result) return Buffer.from(answer.result.csv);
  return 'file' in answer.result ? (answer.result.file ?? undefined) : undefined;
}

/** Returns whether an answer is data. A batch that is still running has no file to print. */
function isResult(answer: AnyAnswer): boolean {
  if (answer.kind !== 'approved' && answer.kind !== 'accepted') return false;
  return !('file' in answer.result);
}

async function writeFile(path: string, file: Buffer): Promise<void> {
  const write = async (out: NodeJS.WritableStream) => void out.write(file);
  await writeOutput({ dir: dirname(path), name: basename(path), write });
}

/** Masks runs as long as a card number, in case the service did not mask a number in its file. */
function hideNumbers(text: string): string {
  return text.replace(/\d{13,}/g, maskNumber);
}
