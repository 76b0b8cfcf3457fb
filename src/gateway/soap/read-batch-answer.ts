import type { WireOperation } from '../../../schemas/wire.ts';
import { isElements, readAnswer, type Reading, type ServiceAnswer, textOf } from './read-answer.ts';

/** An answer about a batch. `file` is the result file if it was extracted; its element then holds a placeholder. */
export type BatchReading = Reading & { readonly file?: Buffer };

/**
 * Reads an answer about a batch as `readAnswer` does, but faster. Such answers differ only in batch id and result file,
 * so placeholders replace these two. The rest is short, and its reading is kept for the next answer with the same text.
 * The parser takes a megabyte result letter by letter, and a millisecond for any answer.
 *
 * Only what affects nothing else is extracted: plain letters and digits in an element that occurs once.
 */
export async function readBatchAnswer(operation: WireOperation, body: Buffer): Promise<BatchReading> {
  const file = findElement(body, 'BATCHPROCESSRESULTFILE');
  const bytes = file && decodeBase64(body, file.from, file.to);
  const id = findElement(body, 'BATCHID');
  const batchId = id && readPlainId(body, id);
  const places = [...(bytes ? [file] : []), ...(batchId === undefined ? [] : [id!])];
  const rest = replaceAll(body, places);
  if (places.length === 0 || rest.length > LONGEST_REST) return readAnswer(operation, body);
  const answer = await readRest(operation, rest);
  const whole = answer && putBack(answer, { file: bytes !== undefined, batchId });
  return whole ? { kind: 'read', answer: whole, ...(bytes && { file: bytes }) } : readAnswer(operation, body);
}

/** A range of bytes, its end excluded. */
type ByteRange = { readonly from: number; readonly to: number };

/** Finds the text of an element, if exactly one has this name, without attributes and with nothing but text in it. */
function findElement(body: Buffer, name: string): ByteRange | undefined {
  const opening = `<${name}>`;
  const at = body.indexOf(opening);
  if (at < 0) return undefined;
  const from = at + opening.length;
  const to = body.indexOf('<', from);
  const closing = `</${name}>`;
  const isOne = to > from && body.toString('latin1', to, to + closing.length) === closing;
  return isOne && body.indexOf(opening, to) < 0 ? { from, to } : undefined;
}

function readPlainId(body: Buffer, { from, to }: ByteRange): string | undefined {
  const id = to - from > LONGEST_ID ? '' : body.toString('latin1', from, to);
  return /^[A-Za-z0-9]+$/.test(id) ? id : undefined;
}

const LONGEST_ID = 40;

/** Placeholder for what was extracted. */
const WORD = 'x';

function replaceAll(body: Buffer, places: readonly ByteRange[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { from, to } of places.toSorted((one, other) => one.from - other.from)) {
    parts.push(body.subarray(at, from), Buffer.from(WORD));
    at = to;
  }
  return Buffer.concat([...parts, body.subarray(at)]);
}

/** The service's answers without id and file have about 600 bytes. */
const LONGEST_REST = 2_000;

/** Answers read before, by operation and text. */
const known = new Map<string, ServiceAnswer>();
/** Each operation has three, unless the service writes something new into each. */
const MOST_KNOWN = 30;

async function readRest(operation: WireOperation, rest: Buffer): Promise<ServiceAnswer | undefined> {
  const key = `${operation} ${rest.toString('latin1')}`;
  const before = known.get(key);
  if (before) return before;
  const reading = await readAnswer(operation, rest);
  if (reading.kind !== 'read') return undefined;
  // An answer with an error is not kept in memory: its words matter and may echo a row.
  if (reading.answer.status === 'Success' && reading.answer.errors === '' && known.size < MOST_KNOWN)
    known.set(key, reading.answer);
  return reading.answer;
}

/** Puts the batch id back into the answer. Returns undefined when a placeholder is not where it was put. */
function putBack(
  answer: ServiceAnswer,
  set: { file: boolean; batchId: string | undefined },
): ServiceAnswer | undefined {
  const [name, ...others] = Object.keys(answer.payload);
  const payload = name === undefined || others.length > 0 ? undefined : answer.payload[name];
  if (!isElements(payload)) return undefined;
  if (set.file && payload.BATCHPROCESSRESULTFILE !== WORD) return undefined;
  if (set.batchId === undefined) return answer;
  if (payload.BATCHID !== WORD) return undefined;
  return { ...answer, payload: { [name!]: { ...payload, BATCHID: set.batchId } } };
}

/**
 * Decodes the base64 in a range of bytes, piece by piece. As a whole it would create two strings of a megabyte, which
 * trigger garbage collection.
 * @returns undefined unless it encodes back to the same text, to the last letter
 */
export function decodeBase64(body: Buffer, from: number, to: number): Buffer | undefined {
  const decoded = Buffer.allocUnsafe(Math.ceil((to - from) / 4) * 3);
  let size = 0;
  for (let at = from; at < to; at += PIECE_LETTERS) {
    // Padding in the middle would leave a piece short of bytes.
    if (size % PIECE_BYTES !== 0) return undefined;
    const text = body.toString('latin1', at, Math.min(at + PIECE_LETTERS, to));
    const written = decoded.write(text, size, 'base64');
    if (decoded.toString('base64', size, size + written) !== text) return undefined;
    size += written;
  }
  return decoded.subarray(0, size);
}

const PIECE_BYTES = 48 * 1024;
const PIECE_LETTERS = (PIECE_BYTES / 3) * 4;

/** Fields of an answer about batches, trimmed; empty when absent. */
export type BatchFields = { readonly text: string; readonly batchId: string; readonly file: string };

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
  const file = textOf(payload.BATCHPROCESSRESULTFILE);
  return text === undefined || batchId === undefined || file === undefined ? undefined : { text, batchId, file };
}

/** Accepts ids that the ledger, file names and screens can hold safely. The service's own alphabet is unknown. */
export function isBatchId(text: string): boolean {
  return /^[\x21-\x7e]{1,40}$/.test(text);
}
