import { FIELDS, type FieldName } from '../../../schemas/fields.ts';
import type { FolderOperation } from '../../../schemas/operations.ts';
import { FIRST_REPORT_FIELDS } from '../../../schemas/sandbox/report-v1.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { maskText } from '../../kernel/mask.ts';
import { hideCardNumber, maskNumber } from '../batch/mask-number.ts';
import { readBatchFile, readRow } from '../batch/process-batch.ts';
import { type CallHead, operationOf } from '../faults/strike-call.ts';
import type { HttpCall, Reply } from '../reply.ts';
import { readEnvelope } from '../soap/read-envelope.ts';

/** A call and its answer, without a whole number, a password or a security code. */
export type NotedCall = {
  /** When it was answered, ISO 8601 in UTC, by the sandbox's clock. */
  readonly at: string;
  /** In the spec's spelling; as sent if it was a name of version 1 or unknown; empty when the request was unreadable. */
  readonly operation: string;
  /** As sent, masked, by their names; a batch file is text, `batchFileText`. The password is left out. */
  readonly parameters: Readonly<Record<string, string>>;
  /** HTTP status and body of the answer; undefined when a fault took its place before there was one. */
  readonly status?: number;
  readonly response?: string;
  /** The kind of the fault that struck. */
  readonly fault?: string;
  /** Set when a fault struck before the body was read: the address, and only the head names the operation then. */
  readonly path?: string;
};

type Seen = { readonly at: Date; readonly reply?: Reply | undefined; readonly fault?: string | undefined };

/** Returns what may be kept and shown of a call. */
export function noteCall(call: HttpCall, { at, reply, fault }: Seen, most = Number.POSITIVE_INFINITY): NotedCall {
  const envelope = readEnvelope(call);
  const { element, fields } = 'fault' in envelope ? { element: '', fields: new Map<string, string>() } : envelope;
  const operation = operationOf(element);
  const hide = hiderOf(fields);
  return {
    at: at.toISOString(),
    operation: operation && wireName(operation) === element ? operation : cut(hideNumbers(element), 100),
    parameters: maskParameters(fields, operation ?? '', most),
    ...(reply ? { status: reply.status, response: hide(maskAnswer(String(reply.body), most)) } : {}),
    ...(fault === undefined ? {} : { fault }),
  };
}

/** Returns what may be kept and shown of a call whose head alone was read. */
function noteHead({ path, operation }: CallHead, at: Date, fault: string): NotedCall {
  const shownPath = cut(hideNumbers(path), 100);
  return { at: at.toISOString(), operation: operation ?? '', parameters: {}, fault, path: shownPath };
}

/** The last calls, each cut to a few kilobytes. */
export type CallLog = {
  note(call: HttpCall, seen: Seen): void;
  /** Notes a call that a fault struck before its body was read. */
  noteHead(head: CallHead, at: Date, fault: string): void;
  /** Oldest first. */
  list(): readonly NotedCall[];
};

const MOST_CALLS = 200;
/** Characters kept of the parameters of a call, and of its answer. */
const MOST_CHARACTERS = 8192;

/** @param onCall gets each call whole */
export function keepCalls(onCall?: (call: NotedCall) => void): CallLog {
  const kept: NotedCall[] = [];
  const keep = (call: NotedCall) => {
    kept.push(call);
    if (kept.length > MOST_CALLS) kept.shift();
  };
  return {
    note: (call, seen) => {
      keep(noteCall(call, seen, MOST_CHARACTERS));
      onCall?.(noteCall(call, seen));
    },
    noteHead: (head, at, fault) => {
      const noted = noteHead(head, at, fault);
      keep(noted);
      onCall?.(noted);
    },
    list: () => [...kept],
  };
}

/** Returns a function that hides the numbers of a call wherever else they stand. */
function hiderOf(fields: ReadonlyMap<string, string>): (text: string) => string {
  const numbers = NUMBERS.flatMap((name) => fields.get(name) ?? []).filter((text) => text.length >= TELLING);
  return (text) => numbers.reduce((shown, number) => shown.replaceAll(number, maskNumber(number)), text);
}

const NUMBERS = ['creditCardNum', 'ccNum', 'accountNum'] as const;
/** A shorter number may also stand in an id or an amount by chance. */
const TELLING = 7;

/**
 * Masks the parameters of a call; what is masked already stays as it is.
 * @param most characters, in all; what is beyond is cut
 */
export function maskParameters(
  fields: ReadonlyMap<string, string>,
  operation: string,
  most = Number.POSITIVE_INFINITY,
): Record<string, string> {
  const hide = hiderOf(fields);
  const shown: Record<string, string> = {};
  let left = most;
  for (const [name, text] of fields) {
    if (name === 'password') continue;
    if (left <= 0) return { ...shown, [CUT]: CUT };
    const isBatch = name === 'batchFile' || name === BATCH_TEXT;
    const label = isBatch ? BATCH_TEXT : cut(hideNumbers(name), 100);
    const bytes = name === BATCH_TEXT ? cut(text, left) : isBatch ? decode(text, left) : '';
    const value = isBatch ? maskBatch(bytes, operation) : hide(maskValue(name, text, left));
    shown[label] = value;
    left -= label.length + value.length;
  }
  return shown;
}

/** Name of a batch file as text. */
const BATCH_TEXT = 'batchFileText';

/** Masks a value by its name. The values of names that no operation has may be anything, so only their length stays. */
function maskValue(name: string, text: string, most: number): string {
  if (!isKnown(name)) return '*'.repeat(Math.min(text.length, 20));
  if (!isSecret(name)) return WORDS.includes(name) ? maskText(cut(text, most)) : hideNumbers(cut(text, most));
  return name === 'cvv2' ? '*'.repeat(Math.min(text.length, 20)) : cut(maskNumber(text), most);
}

/** Free texts, in which any long number may be that of an account. Others are or may be codes and telephone numbers. */
const WORDS: readonly string[] =
  'firstName lastName companyName address city title comment item1 item2 item3 item4 item5 item6'.split(' ');
/** The same in answers. */
const WORD_ELEMENTS = /(<(?:FN|LN|CO|ADD|CTY|TTL|CM|IT[1-6]|CSTN)>)([^<]*)/g;

function isKnown(name: string): boolean {
  return name === 'agentCode' || Object.hasOwn(FIELDS, name) || Object.hasOwn(FIRST_REPORT_FIELDS, name);
}

function isSecret(name: string): boolean {
  return Object.hasOwn(FIELDS, name) && 'secret' in FIELDS[name as FieldName];
}

const KINDS: Readonly<Record<string, FolderOperation>> = {
  processCreditCardBatch: 'card',
  processACHEFTChargeBatch: 'ach-charge',
  processACHEFTRefundBatch: 'ach-refund',
};

/** Masks a batch file, row by row. A row of no known layout may hold a number anywhere. */
function maskBatch(text: string, operation: string): string {
  const kind = KINDS[operation];
  if (kind === undefined) return maskAll(text);
  const lines = readBatchFile(Buffer.from(text)).rows.map((cells) => {
    const { layout, maskedCells } = readRow(kind, cells);
    return maskedCells.map(layout ? hideNumbers : maskAll).join(',');
  });
  return lines.join('\n');
}

/** Masks an answer. A result file or a report in base64 becomes text where answers are cut. */
function maskAnswer(text: string, most: number): string {
  const found = FILE.exec(text);
  if (!found) return hideAround(cut(text, most));
  const [whole, open = '', file = '', close = ''] = found;
  const before = hideAround(text.slice(0, found.index));
  const after = hideAround(text.slice(found.index + whole.length));
  const shown = maskFile(decode(file, most));
  const packed = most === Number.POSITIVE_INFINITY ? Buffer.from(shown).toString('base64') : `\n${shown}\n`;
  return before + open + packed + close + after;
}

const FILE = /(<(?:FILE|BATCHPROCESSRESULTFILE)>)([^<]*)(<\/)/;

/** Hides the numbers between the tags of a document. */
function hideAround(xml: string): string {
  const shown = xml.replace(WORD_ELEMENTS, (_, tag: string, text: string) => tag + maskText(text));
  return shown.replace(/[^<>]+/g, hideNumbers);
}

/** Masks a result file or a report. The sandbox has masked their numbers but in rows that it did not understand. */
function maskFile(text: string): string {
  return text.replace(/[^\r\n]+/g, (line) =>
    line.endsWith(',Wrong Format') ? maskAll(line) : line.replace(/[^,]+/g, hideNumbers),
  );
}

/** Decodes base64, no more of it than is shown. */
function decode(base64: string, most: number): string {
  const packed = base64.slice(0, Math.ceil(most) * 4);
  return cut(Buffer.from(packed, 'base64').toString('utf8'), most);
}

/** Hides card numbers, and any other number as long as one. */
function hideNumbers(text: string): string {
  return hideCardNumber(text).replace(/\d{13,}/g, maskNumber);
}

/** Hides every number that may be one of an account; what a mask leaves of one stays. */
function maskAll(text: string): string {
  return text.replace(/(\*?)(\d(?:[\s.-]?\d){3,})/g, (whole, star: string, number: string) =>
    star !== '' && number.length === 4 ? whole : star + maskNumber(number),
  );
}

const CUT = '…';

/** Cuts a text, and never a number, whose beginning would not be seen as one. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most)).replace(/[\d\s*.-]*$/, '')}${CUT}`;
}
