import type { BatchOperationName } from '../../schemas/operations.ts';
import { RESTRICTION_MESSAGES } from '../../schemas/restrictions.ts';
import type { SubmitAnswer } from './answers.ts';
import type { Scrub } from './hide-secrets.ts';
import { readAnswer, type ServiceAnswer } from './soap/read-answer.ts';
import { type BatchFields, isBatchId, readBatchFields, RUNNING_TEXT } from './soap/read-batch-fields.ts';
import type { PostOutcome } from './transport/post.ts';

/**
 * Classifies the outcome of a batch whose first byte was written. Only exact texts count as accepted or refused.
 * Everything else is unknown, including SOAP faults and plain HTTP errors: a failing server may have taken the batch
 * first.
 */
export function classifySubmit(operation: BatchOperationName, outcome: PostOutcome, scrub: Scrub): SubmitAnswer {
  if (outcome.kind === 'broken') return unknown(outcome.why, outcome, scrub);
  if (outcome.httpStatus !== 200) return unknown(`the service answered HTTP ${outcome.httpStatus}`, outcome, scrub);
  const reading = readAnswer(operation, outcome.body);
  if (reading.kind === 'unreadable') return unknown(reading.why, outcome, scrub);
  const fields = readBatchFields(reading.answer);
  if (!fields) return unknown('the answer contradicts itself', outcome, scrub);
  return (
    findAcceptance(reading.answer, fields) ??
    findRefusal(reading.answer, fields) ??
    unknown('the answer is not one that we know', outcome, scrub)
  );
}

function findAcceptance({ status, errors }: ServiceAnswer, { text, batchId }: BatchFields): SubmitAnswer | undefined {
  const isAccepted = status === 'Success' && errors === '' && text === RUNNING_TEXT && isBatchId(batchId);
  return isAccepted ? { kind: 'submitted', batchId, text } : undefined;
}

/**
 * Texts that prove that nothing was taken, each with its rejection code, if any. An unlisted text leaves the batch
 * unknown, so add one only with proof.
 *
 * Left out on purpose: `Object reference not set…` means an absent element. Our requests always have every element, so
 * for us it would be a failure somewhere inside the service. `Server Error`, `TIMEOUT` and
 * `No information is returned from App Server` say that the service itself does not know.
 */
const REFUSALS = new Map<string, number | null>([
  ['REJECT: 1', 1],
  ['Error : Invalid Username or Password.', null],
  ['Bad request.', null],
  [RESTRICTION_MESSAGES.server, null],
  [RESTRICTION_MESSAGES.currency, null],
]);

/**
 * Recognizes a refusal. An answer with a batch id, a file or an unlisted text contradicts itself and proves nothing.
 */
function findRefusal({ status, errors }: ServiceAnswer, fields: BatchFields): SubmitAnswer | undefined {
  const texts = [errors, fields.text].filter((text) => text !== '');
  const [text] = texts;
  if (text === undefined || !texts.every((each) => REFUSALS.has(each))) return undefined;
  if (fields.batchId !== '' || fields.file !== '') return undefined;
  if (errors !== '' && status !== 'Failure') return undefined;
  const code = texts.map((each) => REFUSALS.get(each)).find((each) => each !== null);
  return { kind: 'refused', text, code: code ?? null };
}

function unknown(why: string, outcome: PostOutcome, scrub: Scrub): SubmitAnswer {
  const { httpStatus, bytesWritten, bytesRead, body } = outcome;
  return {
    kind: 'unknown',
    why,
    evidence: {
      ...(httpStatus === undefined ? {} : { httpStatus }),
      bytesWritten,
      bytesRead,
      ...(body.length === 0 ? {} : { answerText: showAnswer(body, scrub) }),
    },
  };
}

/** The batch may have been sent, so a failure to show the answer must not turn the unknown outcome into an error. */
function showAnswer(body: Buffer, scrub: Scrub): string {
  try {
    return scrub.answer(body);
  } catch {
    return '[not shown]';
  }
}
