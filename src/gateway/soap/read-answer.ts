import { REPORTS } from '../../../schemas/reports.ts';
import { isReport, type WireOperation } from '../../../schemas/wire.ts';
import { wireName } from '../../../schemas/wsdl.ts';

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
    const { loadWsdl } = await import('./load-wsdl.ts');
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
  if (Object.values(payload).some(holdsAnotherVerdict)) return unreadable('the answer contradicts itself');
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

/** Deeper than any answer of the service, which stays below ten. */
const DEEPEST = 50;
/** Elements, attributes and references; a list of 8,000 customers has as many. More would take too much memory. */
const MOST_MARKS = 250_000;
/** Ten times the names that the service uses. The parser keeps each of them. */
const MOST_NAMES = 500;
/** The service's longest tag is the envelope with its three namespaces, 200 characters. */
const LONGEST_TAG = 2000;

/**
 * Checks an answer before the parser sees it. Returns why it must not be parsed; undefined when it may.
 *
 * The service answers with a declaration, elements and text only. Everything else is refused unread:
 * - document types and their entities, which can blow up
 * - CDATA, from which node-soap takes markup that no check has seen
 * - `id` and `href`, with which node-soap copies values between elements and can be made to write into
 *   `Object.prototype`
 * - text beside elements, of which node-soap keeps only one
 * - a second root, which would be parsed as well
 */
export function findMarkupFault(xml: string): string | undefined {
  if (NOT_IN_XML.test(xml)) return 'the answer holds a character that XML does not know';
  if (ENTITY.test(xml)) return 'the answer holds an entity that XML does not know';
  const names = new Set<string>();
  let depth = 0;
  let marks = countReferences(xml);
  let before: Tag | undefined;
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at + 1)) {
    if (xml.startsWith('<!', at)) return 'the answer holds a document type, a comment or CDATA';
    if (xml.startsWith('<?', at)) {
      if (at === 0 && xml.startsWith('<?xml ')) continue;
      return 'the answer holds a processing instruction';
    }
    const tag = readTag(xml, at);
    if (!tag) return 'the answer is not well-formed XML';
    if (/\s(?:id|href)\s*=/.test(tag.attributes)) return 'the answer refers from one element to another';
    if (before && isTextMisplaced(xml, before, tag)) return 'the answer holds text beside elements';
    before = tag;
    if (tag.isClosing) {
      depth -= 1;
      continue;
    }
    if (depth === 0 && (names.size > 0 || tag.name !== 'Envelope')) return 'the answer is not one SOAP envelope';
    marks += tag.attributes.split('=').length;
    if (marks > MOST_MARKS) return `the answer has more than ${MOST_MARKS} elements, attributes and references`;
    if (names.add(tag.name).size > MOST_NAMES) return `the answer has more than ${MOST_NAMES} names of elements`;
    if (depth >= DEEPEST) return `the answer is nested deeper than ${DEEPEST}`;
    if (!tag.isEmpty) depth += 1;
  }
  return names.size === 0 ? 'the answer is not one SOAP envelope' : undefined;
}

/** Characters that no XML document may hold, not even as a numeric reference. */
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/u;

/** Any entity but XML's five and numeric references. node-soap would accept those of HTML as well. */
const ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/;

function countReferences(xml: string): number {
  let count = 0;
  for (let at = xml.indexOf('&'); at !== -1; at = xml.indexOf('&', at + 1)) count += 1;
  return count;
}

type Tag = {
  readonly isClosing: boolean;
  readonly isEmpty: boolean;
  readonly name: string;
  readonly attributes: string;
  readonly from: number;
  readonly to: number;
};

/** One tag: closing or not, prefix, name, attributes with quoted values, empty or not. */
const TAG =
  /^<(\/?)(?:[A-Za-z][\w.-]*:)?([A-Za-z][\w.-]*)((?:\s+(?:[A-Za-z_][\w.-]*:)?[A-Za-z_][\w.-]*\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/;

/** Reads a tag from a slice of the document, because matching a huge tag would exhaust the stack. */
function readTag(xml: string, from: number): Tag | undefined {
  const match = TAG.exec(xml.slice(from, from + LONGEST_TAG));
  if (!match) return undefined;
  const [whole, closing, name = '', attributes = '', empty] = match;
  return { isClosing: closing === '/', isEmpty: empty === '/', name, attributes, from, to: from + whole.length };
}

/** Returns whether text stands anywhere but between the two tags of one element. */
function isTextMisplaced(xml: string, before: Tag, tag: Tag): boolean {
  const isInside = !before.isClosing && !before.isEmpty && tag.isClosing;
  return !isInside && xml.slice(before.to, tag.from).trim() !== '';
}
