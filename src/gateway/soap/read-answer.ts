import { REPORTS } from '../../../schemas/reports.ts';
import { isReport, type WireOperation } from '../../../schemas/wire.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { findMarkupFault, NOT_IN_XML } from './find-markup-fault.ts';
import { loadWsdl } from './load-wsdl.ts';

/**
 * Contents of IATSRESPONSE. `payload` holds the elements after STATUS and ERRORS as node-soap reads them: text trimmed,
 * an empty element as null, a repeated one as an array.
 */
export type ServiceAnswer = {
  readonly status: 'Success' | 'Failure';
  readonly errors: string;
  readonly payload: Elements;
};

export type Elements = Readonly<Record<string, unknown>>;

export type Reading = { kind: 'read'; answer: ServiceAnswer } | { kind: 'unreadable'; why: string };

/**
 * Reads the body of an HTTP 200 as the answer to one operation. Element names match in any namespace. It never throws:
 * anything but the expected answer is unreadable, for a fixed reason that quotes nothing of it.
 */
export async function readAnswer(operation: WireOperation, body: Buffer): Promise<Reading> {
  if (body.length === 0) return unreadable('the answer is empty');
  try {
    const xml = new TextDecoder('utf-8', { fatal: true }).decode(body);
    const fault = findMarkupFault(xml);
    if (fault !== undefined) return unreadable(fault);
    const wsdl = await loadWsdl(operation, '');
    return findServiceAnswer(operation, wsdl.xmlToObject(xml));
  } catch {
    // node-soap throws for a SOAP fault, another operation's answer and XML that ends early.
    return unreadable('the answer is not well-formed, a SOAP fault or of another operation');
  }
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
  if (!isElements(inside)) return unreadable('the answer lacks the response element of the operation');
  const { STATUS, ERRORS, ...payload } = inside;
  const errors = textOf(ERRORS);
  if (errors === undefined || (STATUS !== 'Success' && STATUS !== 'Failure')) {
    return unreadable('the answer has no STATUS that we know');
  }
  if (Object.values(payload).some(holdsAnotherVerdict)) return unreadable('the answer says two things at once');
  return { kind: 'read', answer: { status: STATUS, errors, payload } };
}

/** Returns whether the result is bare base64, as reports of the first version may be. */
function isBareFile(operation: WireOperation, result: unknown): result is string {
  return typeof result === 'string' && isReport(operation) && REPORTS[operation].form === 'CSV';
}

/** Returns whether the payload holds a STATUS or ERRORS of its own, which could only contradict those before it. */
function holdsAnotherVerdict(payload: unknown): boolean {
  return isElements(payload) && ['STATUS', 'ERRORS'].some((name) => textOf(payload[name]) !== '');
}

/**
 * Returns the text of an element, empty when it is absent. Returns undefined when it is repeated, holds more than text,
 * or refers to characters that XML does not know.
 */
export function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' && !NOT_IN_XML.test(value) ? value.trim() : undefined;
}

export function isElements(value: unknown): value is Elements {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
