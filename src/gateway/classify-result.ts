import type { ResultAnswer } from './answers.ts';
import type { Scrub } from './hide-secrets.ts';
import { bytesOf, readAnswer, type ServiceAnswer } from './soap/read-answer.ts';
import { type BatchFields, DONE_TEXT, readBatchFields, RUNNING_TEXT } from './soap/read-batch-fields.ts';
import type { PostOutcome } from './transport/post.ts';

/**
 * Returns what the service knows about a batch. A result is done only with the exact text, the requested id and a file
 * that decodes without a remainder.
 */
export function classifyResult(batchId: string, outcome: PostOutcome, scrub: Scrub): ResultAnswer {
  if (outcome.kind === 'broken') return failed(outcome.why);
  if (outcome.httpStatus !== 200) return failed(`the service answered HTTP ${outcome.httpStatus}`);
  const reading = readAnswer('getBatchProcessResultFile', outcome.body);
  if (reading.kind === 'unreadable') return failed(reading.why);
  const fields = readBatchFields(reading.answer);
  if (!fields) return failed('the answer contradicts itself');
  return findKnownState(reading.answer, fields, batchId) ?? notKnown(reading.answer, fields, scrub);
}

function findKnownState(answer: ServiceAnswer, fields: BatchFields, asked: string): ResultAnswer | undefined {
  const { text, batchId } = fields;
  const isKnown = text === RUNNING_TEXT || text === DONE_TEXT;
  if (!isKnown || answer.status !== 'Success' || answer.errors !== '') return undefined;
  if (batchId !== asked.trim()) return failed('the answer is about another batch');
  if (text === DONE_TEXT) return readFile(fields.file, text);
  return fields.file === '' ? { kind: 'running', text } : failed('the answer says running and carries a file');
}

function readFile(field: BatchFields['file'], text: string): ResultAnswer {
  const file = bytesOf(field);
  if (!file) return failed('the result file is not base64');
  return file.length === 0 ? failed('the answer says done and carries no file') : { kind: 'done', file, text };
}

function notKnown(answer: ServiceAnswer, fields: BatchFields, scrub: Scrub): ResultAnswer {
  const texts = [fields.text, answer.errors].filter((text) => text !== '').join(' / ');
  return { kind: 'not_known', text: texts === '' ? '(no text)' : scrub.text(texts) };
}

function failed(why: string): ResultAnswer {
  return { kind: 'failed', why };
}
