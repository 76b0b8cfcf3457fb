import { isUtf8 } from 'node:buffer';
import { decodeBase64 } from './decode-base64.ts';

/**
 * The elements in an element, by their names without prefixes. A value is null for an empty element, text, `Elements`,
 * or an array for a repeated one. A long text in base64 is a `Buffer` of what it encodes.
 */
export type Elements = Readonly<Record<string, unknown>>;

/** Deeper than any answer of the service, which stays below ten. */
const DEEPEST = 50;
/** Elements, attributes and references; a list of 8,000 customers has as many. More would take too much memory. */
const MOST_MARKS = 250_000;
/** Ten times the names that the service uses. */
const MOST_NAMES = 500;
/** In bytes. The service's longest tag is the envelope with its three namespaces, 200 characters. */
const LONGEST_TAG = 2000;
/** In bytes. As a string, a result of megabytes would be copied several times, which triggers garbage collection. */
const LONGEST_STRING = 64 * 1024;

/**
 * Parses an answer. Returns what its envelope holds, or why the answer is refused. It never throws.
 *
 * The service answers with a declaration, elements and text only. Everything else is refused:
 * - document types and their entities, which can blow up
 * - comments, CDATA and processing instructions
 * - `id` and `href`, by which SOAP 1.1 copies values between elements
 * - text beside elements, and contents of a nil element
 * - a second root
 */
export function parseEnvelope(body: Buffer): { envelope: unknown } | { fault: string } {
  try {
    return { envelope: parseDocument(body) };
  } catch (error) {
    // The request has left, so no error may look like a call that was never made.
    return { fault: error instanceof MarkupFault ? error.message : 'the answer cannot be parsed' };
  }
}

/** Internal: why an answer is refused. It quotes nothing of the answer. */
class MarkupFault extends Error {}

type Reader = {
  readonly body: Buffer;
  readonly names: Set<string>;
  /** `xsi:nil`, with whatever prefix. */
  readonly nilKeys: Set<string>;
  /** The elements around the place where the reader is. The first stands for the answer. */
  readonly open: OpenElement[];
  marks: number;
};

type OpenElement = { readonly name: string; readonly elements: Record<string, unknown>; readonly isNil: boolean };

function parseDocument(body: Buffer): unknown {
  if (!isUtf8(body)) throw new MarkupFault(STRANGE_CHARACTER);
  const document: OpenElement = { name: '', elements: {}, isNil: false };
  const reader: Reader = { body, open: [document], names: new Set(), nilKeys: new Set(), marks: 0 };
  let end = findStart(body);
  let isAfterOpening = false;
  for (let at = findTag(body, end), next; at < body.length; at = next) {
    next = findTag(body, at + 1);
    const tag = readTag(body.toString('latin1', at, Math.min(next, at + LONGEST_TAG)), at);
    const text = readText(reader, end, at);
    if (text !== '' && !(isAfterOpening && tag.kind === 'closing')) throw new MarkupFault(TEXT_BESIDE);
    if (tag.kind === 'closing') {
      const element = reader.open.pop();
      if (!element || element === document || element.name !== tag.name) throw new MarkupFault(ILL_FORMED);
      closeElement(reader, element, text);
    } else {
      const element = openElement(reader, tag);
      if (tag.kind === 'opening') reader.open.push(element);
      else closeElement(reader, element, '');
    }
    isAfterOpening = tag.kind === 'opening';
    end = tag.to;
  }
  if (reader.names.size === 0) throw new MarkupFault(NO_ENVELOPE);
  if (readText(reader, end, body.length) !== '') throw new MarkupFault(TEXT_BESIDE);
  if (reader.open.length > 1) throw new MarkupFault(ILL_FORMED);
  return document.elements.Envelope;
}

const ILL_FORMED = 'the answer is not well-formed XML';
const NO_ENVELOPE = 'the answer is not one SOAP envelope';
const TEXT_BESIDE = 'the answer holds text beside elements';
const STRANGE_CHARACTER = 'the answer holds a character that XML does not know';

/** Returns where the first element may begin: after a byte order mark and a declaration. */
function findStart(body: Buffer): number {
  const start = body.subarray(0, 3).equals(BYTE_ORDER_MARK) ? 3 : 0;
  return start + (DECLARATION.exec(body.toString('latin1', start, start + LONGEST_TAG))?.[0].length ?? 0);
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const DECLARATION = /^<\?xml [\w\s.="'-]*\?>/;

type Tag = {
  readonly kind: 'opening' | 'closing' | 'empty';
  /** With its prefix. */
  readonly name: string;
  readonly attributes: string;
  readonly to: number;
};

/** One tag: closing or not, name with its prefix, attributes with quoted values, empty or not. */
const TAG =
  /^<(\/?)((?:[A-Za-z][\w.-]*:)?[A-Za-z][\w.-]*)((?:[ \t\r\n]+(?:[A-Za-z_][\w.-]*:)?[A-Za-z_][\w.-]*[ \t\r\n]*=[ \t\r\n]*(?:"[^"<]*"|'[^'<]*'))*)[ \t\r\n]*(\/?)>/;

/** Returns where the next tag begins, or the end. */
function findTag(body: Buffer, from: number): number {
  const at = body.indexOf('<', from);
  return at < 0 ? body.length : at;
}

/** Reads the tag at the start of a slice. Only a slice, because matching a huge tag would exhaust the stack. */
function readTag(slice: string, at: number): Tag {
  if (slice.startsWith('<!')) throw new MarkupFault('the answer holds a document type, a comment or CDATA');
  if (slice.startsWith('<?')) throw new MarkupFault('the answer holds a processing instruction');
  const [whole, closing, name, attributes = '', empty] = TAG.exec(slice) ?? [];
  if (whole === undefined || name === undefined) throw new MarkupFault(ILL_FORMED);
  if (closing && (attributes !== '' || empty)) throw new MarkupFault(ILL_FORMED);
  const kind = closing ? 'closing' : empty ? 'empty' : 'opening';
  // In Latin-1, a letter is a byte.
  return { kind, name, attributes: attributes && Buffer.from(attributes, 'latin1').toString(), to: at + whole.length };
}

function openElement(reader: Reader, { name, attributes }: Tag): OpenElement {
  const { names, open } = reader;
  if (open.length === 1 && (names.size > 0 || localName(name) !== 'Envelope')) throw new MarkupFault(NO_ENVELOPE);
  if (open.length > DEEPEST) throw new MarkupFault(`the answer is nested deeper than ${DEEPEST}`);
  if (names.add(localName(name)).size > MOST_NAMES) {
    throw new MarkupFault(`the answer has more than ${MOST_NAMES} names of elements`);
  }
  count(reader, attributes.split('=').length);
  return attributes === '' ? { name, elements: {}, isNil: false } : withAttributes(reader, name, attributes);
}

/** Creates an element with the names of its attributes, which show that it is more than text. Namespaces do not. */
function withAttributes(reader: Reader, name: string, attributes: string): OpenElement {
  if (/\s(?:id|href)\s*=/.test(attributes)) throw new MarkupFault('the answer refers from one element to another');
  const pairs = [...expand(reader, attributes).matchAll(ATTRIBUTE)].map(
    ([, key = '', one, other = '']) => [key, one ?? other] as const,
  );
  for (const [key, value] of pairs) if (value === NIL_NAMESPACE) reader.nilKeys.add(`${localName(key)}:nil`);
  const others = pairs.filter(([key]) => !/^xmlns(?::|$)/.test(key));
  const isNil = others.some(([key, value]) => reader.nilKeys.has(key) && /^(?:true|1)$/i.test(value));
  return { name, elements: others.length === 0 ? {} : { attributes: others.map(([key]) => key).join(' ') }, isNil };
}

const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const NIL_NAMESPACE = 'http://www.w3.org/2001/XMLSchema-instance';

/** Adds a complete element to its parent. One with `xsi:nil` counts as absent. */
function closeElement(reader: Reader, { name, elements, isNil }: OpenElement, text: string | Buffer): void {
  const keys = Object.keys(elements);
  if (isNil && (keys.length > 1 || text !== ''))
    throw new MarkupFault('the answer holds an element that is nil and not empty');
  if (isNil) return;
  const value = keys.length > 0 ? elements : text === '' ? null : text;
  const parent = reader.open.at(-1)!.elements;
  const key = localName(name);
  const before = parent[key];
  if (!Object.hasOwn(parent, key)) parent[key] = value;
  else if (Array.isArray(before)) before.push(value);
  else parent[key] = [before, value];
}

/** Adds to the number of elements, attributes and references. */
function count(reader: Reader, marks: number): void {
  reader.marks += marks;
  if (reader.marks > MOST_MARKS) {
    throw new MarkupFault(`the answer has more than ${MOST_MARKS} elements, attributes and references`);
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Reads the text between two tags, without the white space around it. */
function readText(reader: Reader, from: number, to: number): string | Buffer {
  if (from === to) return '';
  const decoded = to - from < LONGEST_STRING ? undefined : decodeBase64(reader.body.subarray(from, to));
  return decoded ?? expand(reader, reader.body.toString('utf8', from, to));
}

/** Replaces references by their characters, and trims. White space given by a reference stays. */
function expand(reader: Reader, raw: string): string {
  refuseStrange(raw);
  const text = raw.trim();
  if (!text.includes('&')) return text;
  if (STRANGE_ENTITY.test(text)) throw new MarkupFault('the answer holds an entity that XML does not know');
  count(reader, text.split('&').length - 1);
  return text.replace(REFERENCE, (_whole, name: string) => {
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return ENTITIES.get(name) ?? refuseStrange(code > LAST_CHARACTER ? '\0' : String.fromCodePoint(code));
  });
}

/** Any entity but XML's five and numeric references. */
const STRANGE_ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/;
const REFERENCE = /&([^;]+);/g;
const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));
const LAST_CHARACTER = 0x10ffff;

function refuseStrange(text: string): string {
  if (STRANGE.test(text)) throw new MarkupFault(STRANGE_CHARACTER);
  return text;
}

/** Characters that no XML document may hold, not even as a numeric reference. */
const STRANGE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Cs}]/u;
