import type { ResultAnswer } from './answers.ts';
import type { Scrub } from './hide-secrets.ts';
import type { ServiceAnswer } from './soap/read-answer.ts';
import {
  type BatchFields,
  DONE_TEXT,
  readBatchAnswer,
  readBatchFields,
  RUNNING_TEXT,
} from './soap/read-batch-answer.ts';
import type { PostOutcome } from './transport/post.ts';

/**
 * Returns what the service knows about a batch. A result is done only with the exact text, the requested id and a file
 * that decodes without a remainder.
 */
export async function classifyResult(batchId: string, outcome: PostOutcome, scrub: Scrub): Promise<ResultAnswer> {
  if (outcome.kind === 'broken') return failed(outcome.why);
  if (outcome.httpStatus !== 200) return failed(`the service answered HTTP ${outcome.httpStatus}`);
  const reading = await readBatchAnswer('getBatchProcessResultFile', outcome.body);
  if (reading.kind === 'unreadable') return failed(reading.why);
  const fields = readBatchFields(reading.answer);
  if (!fields) return failed('the answer contradicts itself');
  return findKnownState(reading.answer, fields, batchId, reading.file) ?? notKnown(reading.answer, fields, scrub);
}

/** @param aside the result file if it was extracted before parsing; the file field then has no meaning */
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
 * Decodes strict base64. White space means nothing in XML and node-soap drops some of it, so it is removed first. The
 * rest must encode back to the same text; otherwise something was lost in transit.
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
