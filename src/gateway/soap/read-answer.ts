import { REPORTS } from '../../../schemas/reports.ts';
import { isReport, type WireOperation } from '../../../schemas/wire.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { decodeBase64 } from './decode-base64.ts';
import { type Elements, parseEnvelope } from './parse-envelope.ts';

/** Contents of IATSRESPONSE. `payload` holds the elements beside STATUS and ERRORS. */
export type ServiceAnswer = {
  readonly status: 'Success' | 'Failure';
  readonly errors: string;
  readonly payload: Elements;
};

export type Reading = { kind: 'read'; answer: ServiceAnswer } | { kind: 'unreadable'; why: string };

/**
 * Reads the body of an HTTP 200 as the answer to one operation. Element names match in any namespace. Anything but the
 * expected answer is unreadable, for a fixed reason that quotes nothing of it.
 */
export function readAnswer(operation: WireOperation, body: Buffer): Reading {
  if (body.length === 0) return unreadable('the answer is empty');
  const parsed = parseEnvelope(body);
  return 'fault' in parsed ? unreadable(parsed.fault) : findServiceAnswer(operation, parsed.envelope);
}

/** Finds the response. Each level may hold only the expected element, so no echo of the request or mixture passes. */
function findServiceAnswer(operation: WireOperation, envelope: unknown): Reading {
  const name = wireName(operation);
  const body = elementOf(envelope, 'Body');
  const result = onlyElementOf(onlyElementOf(body, `${name}Response`), `${name}Result`);
  if (isBareFile(operation, result)) {
    return { kind: 'read', answer: { status: 'Success', errors: '', payload: { FILE: result } } };
  }
  const inside = onlyElementOf(result, 'IATSRESPONSE');
  if (!isElements(inside)) return unreadable('the answer is a SOAP fault or of another operation');
  const { STATUS, ERRORS, ...payload } = inside;
  const errors = textOf(ERRORS);
  if (errors === undefined || (STATUS !== 'Success' && STATUS !== 'Failure')) {
    return unreadable('the answer has no STATUS that we know');
  }
  if (Object.values(payload).some(holdsAnotherVerdict)) return unreadable('the answer contradicts itself');
  return { kind: 'read', answer: { status: STATUS, errors, payload } };
}

/** Returns whether the result is bare base64, as reports of the first version may be. */
function isBareFile(operation: WireOperation, result: unknown): result is string | Buffer {
  return isText(result) && isReport(operation) && REPORTS[operation].form === 'CSV';
}

/** Returns whether the payload holds a STATUS or ERRORS of its own, which could only contradict those before it. */
function holdsAnotherVerdict(payload: unknown): boolean {
  return isElements(payload) && ['STATUS', 'ERRORS'].some((name) => textOf(payload[name]) !== '');
}

/** Returns the text of an element, empty when it is absent; undefined when it is repeated or holds more than text. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  if (Buffer.isBuffer(value)) return value.toString('base64');
  return typeof value === 'string' ? value.trim() : undefined;
}

/**
 * Returns the bytes of an element that holds strict base64. White space in it means nothing.
 * @returns undefined unless the rest encodes back to the same text: otherwise something was lost in transit
 */
export function bytesOf(value: unknown): Buffer | undefined {
  if (Buffer.isBuffer(value)) return value;
  const text = textOf(value);
  return text === undefined ? undefined : decodeBase64(Buffer.from(text.replace(/[ \t\r\n]+/g, '')));
}

function isText(value: unknown): value is string | Buffer {
  return typeof value === 'string' || Buffer.isBuffer(value);
}

export function isElements(value: unknown): value is Elements {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
}

function elementOf(parent: unknown, name: string): unknown {
  return isElements(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined;
}

function onlyElementOf(parent: unknown, name: string): unknown {
  return isElements(parent) && Object.keys(parent).length === 1 ? elementOf(parent, name) : undefined;
}

function unreadable(why: string): Reading {
  return { kind: 'unreadable', why };
}
