import { isElements, type ServiceAnswer, textOf } from './read-answer.ts';

/** Fields of an answer about batches, trimmed; empty when absent. A long file is decoded from base64. */
export type BatchFields = { readonly text: string; readonly batchId: string; readonly file: string | Buffer };

export const RUNNING_TEXT = 'Batch Processing, Please Wait ....';
export const DONE_TEXT = 'Batch Process Has Been Done';

/** Public clients disagree about the first two; failures carry the third. */
const PAYLOADS = ['BATCHPROCESSRESULT', 'BATCHRESULT', 'PROCESSRESULT'] as const;

/** Returns undefined when an answer has two payloads or a repeated element, because it then contradicts itself. */
export function readBatchFields(answer: ServiceAnswer): BatchFields | undefined {
  const present = PAYLOADS.filter((name) => Object.hasOwn(answer.payload, name));
  if (present.length > 1) return undefined;
  const payload = present[0] === undefined ? {} : (answer.payload[present[0]] ?? {});
  if (!isElements(payload)) return undefined;
  const text = textOf(payload.AUTHORIZATIONRESULT);
  const batchId = textOf(payload.BATCHID);
  const { BATCHPROCESSRESULTFILE } = payload;
  const file = Buffer.isBuffer(BATCHPROCESSRESULTFILE) ? BATCHPROCESSRESULTFILE : textOf(BATCHPROCESSRESULTFILE);
  return text === undefined || batchId === undefined || file === undefined ? undefined : { text, batchId, file };
}

/** Accepts ids that the ledger, file names and screens can hold safely. The service's own alphabet is unknown. */
export function isBatchId(text: string): boolean {
  return /^[\x21-\x7e]{1,40}$/.test(text);
}
