import type { ResultAnswer } from './answers.ts';
import { type BatchFields, DONE_TEXT, readBatchFields, RUNNING_TEXT } from './batch-fields.ts';
import type { Scrub } from './scrub.ts';
import type { ServiceAnswer } from './soap/read-answer.ts';
import { readBatchAnswer } from './soap/read-batch-answer.ts';
import type { PostOutcome } from './transport/post.ts';

/**
 * Says what the service knows about a batch. A result counts as done only with the exact text, the
 * id that was asked for and a file that decodes without a remainder.
 */
export async function classifyResult(batchId: string, outcome: PostOutcome, scrub: Scrub): Promise<ResultAnswer> {
  if (outcome.kind === 'broken') return failed(outcome.why);
  if (outcome.httpStatus !== 200) return failed(`the service answered HTTP ${outcome.httpStatus}`);
  const reading = await readBatchAnswer('getBatchProcessResultFile', outcome.body);
  if (reading.kind === 'unreadable') return failed(reading.why);
  const fields = readBatchFields(reading.answer);
  if (!fields) return failed('the answer says two things at once');
  return findKnownState(reading.answer, fields, batchId, reading.file) ?? notKnown(reading.answer, fields, scrub);
}

/** @param aside the result file when it was set aside while the answer was read; its field has no meaning then */
function findKnownState(
  answer: ServiceAnswer,
  fields: BatchFields,
  asked: string,
  aside: Buffer | undefined,
): ResultAnswer | undefined {
  const { text, batchId } = fields;
  const isKnown = text === RUNNING_TEXT || text === DONE_TEXT;
  if (!isKnown || answer.status !== 'Success' || answer.errors !== '') return undefined;
  if (batchId !== asked.trim()) return failed('the answer is about another batch');
  if (text === DONE_TEXT) return aside ? { kind: 'done', file: aside, text } : readFile(fields.file, text);
  return fields.file === '' ? { kind: 'running', text } : failed('the answer says running and carries a file');
}

/**
 * Strict base64. White space is no part of the data in XML and node-soap drops some of it, so it is taken out first;
 * what is left must come out the same when it is encoded again, or something was lost on the way.
 */
function readFile(base64: string, text: string): ResultAnswer {
  const compact = base64.replace(/[ \t\r\n]+/g, '');
  const file = Buffer.from(compact, 'base64');
  if (file.length === 0) return failed('the answer says done and carries no file');
  return file.toString('base64') === compact ? { kind: 'done', file, text } : failed('the result file is not base64');
}

function notKnown(answer: ServiceAnswer, fields: BatchFields, scrub: Scrub): ResultAnswer {
  const texts = [fields.text, answer.errors].filter((text) => text !== '').join(' / ');
  return { kind: 'not_known', text: texts === '' ? '(no text)' : scrub.text(texts) };
}

function failed(why: string): ResultAnswer {
  return { kind: 'failed', why };
}
