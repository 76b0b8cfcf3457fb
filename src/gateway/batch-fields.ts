import { isElements, type ServiceAnswer, textOf } from './soap/read-answer.ts';

/** What the answers about batches say; each trimmed and empty when it is not there. */
export type BatchFields = { readonly text: string; readonly batchId: string; readonly file: string };

/** The text of a batch that was taken and is not done yet. */
export const RUNNING_TEXT = 'Batch Processing, Please Wait ....';
/** The text of a batch whose result file is there. */
export const DONE_TEXT = 'Batch Process Has Been Done';

/** Public clients disagree about the first two; the third is what failures carry. */
const PAYLOADS = ['BATCHPROCESSRESULT', 'BATCHRESULT', 'PROCESSRESULT'] as const;

/** Undefined when two payloads stand side by side or an element is repeated: such an answer says two things at once. */
export function readBatchFields(answer: ServiceAnswer): BatchFields | undefined {
  const present = PAYLOADS.filter((name) => Object.hasOwn(answer.payload, name));
  if (present.length > 1) return undefined;
  const payload = present[0] === undefined ? {} : (answer.payload[present[0]] ?? {});
  if (!isElements(payload)) return undefined;
  const text = textOf(payload.AUTHORIZATIONRESULT);
  const batchId = textOf(payload.BATCHID);
  const file = textOf(payload.BATCHPROCESSRESULTFILE);
  return text === undefined || batchId === undefined || file === undefined ? undefined : { text, batchId, file };
}

/** The service's alphabet is not known; this is what the ledger, file names and screens can carry without harm. */
export function isBatchId(text: string): boolean {
  return /^[\x21-\x7e]{1,40}$/.test(text);
}
