import type { HttpCall } from '../reply.ts';
import { readXml, type XmlElement } from '../xml/read-xml.ts';
import { ENVELOPE_NAMESPACES, type SoapFault, type SoapVersion } from './write-envelope.ts';

/** What a SOAP request says, before its content is checked. */
export type SoapCall = {
  readonly version: SoapVersion;
  /** Local name of the first element of the body. */
  readonly element: string;
  /** The action, if one was sent and is not empty. */
  readonly action: string | undefined;
  /** Text of each child by local name. Absent and nil elements are not in it; empty elements are. */
  readonly fields: ReadonlyMap<string, string>;
};

/**
 * Reads a request in any of the three styles that clients use: SOAP 1.1, and SOAP 1.2 with or without an action.
 * Elements are found by local name, in any order and namespace. The answer uses the envelope's version, whatever the
 * Content-Type says. Assumption: the service refuses what can be read in two ways, such as two totals; .NET would take
 * one of them in silence. A request is read only once.
 */
export function readEnvelope(request: Pick<HttpCall, 'headers' | 'body'>): SoapCall | SoapFault {
  const known = READ.get(request) ?? parseEnvelope(request);
  READ.set(request, known);
  return known;
}

const READ = new WeakMap<object, SoapCall | SoapFault>();

function parseEnvelope(request: Pick<HttpCall, 'headers' | 'body'>): SoapCall | SoapFault {
  const contentType = request.headers['content-type'] ?? '';
  const guess: SoapVersion = /^application\/soap\+xml/i.test(contentType) ? '1.2' : '1.1';
  const text = decodeDocument(request.body, contentType);
  if (text === undefined) return unreadable(guess, 'The bytes are not text of the character set they say.');
  const root = readXml(text);
  if ('fault' in root) return unreadable(guess, root.fault);
  const version = versionOf(root) ?? guess;
  if (root.name !== 'Envelope') return unreadable(version, 'The root element is not a SOAP envelope.');
  const strange = findStrangeHeader(root);
  if (strange) return { version, blame: 'header', fault: `SOAP header ${strange.name} was not understood.` };
  const [body, ...bodies] = childrenOf(root, 'Body');
  const [wrapper, ...others] = body?.children ?? [];
  if (!wrapper) return unreadable(version, 'The SOAP body holds no request element.');
  if (bodies.length > 0) return unreadable(version, 'The SOAP envelope holds more than one body.');
  if (others.length > 0) return unreadable(version, 'The SOAP body holds more than one element.');
  const double = findDouble(wrapper);
  if (double !== undefined) return unreadable(version, `The element ${double} is there twice.`);
  return { version, element: wrapper.name, action: actionOf(request, contentType), fields: readFields(wrapper) };
}

function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return element.children.filter((child) => child.name === name);
}

/** Finds a header that a receiver must understand. The service has no headers, so it understands none. */
function findStrangeHeader(root: XmlElement): XmlElement | undefined {
  const headers = childrenOf(root, 'Header').flatMap(({ children }) => children);
  return headers.find(
    (header) => /^(?:1|true)$/.test(attributeOf(header, 'mustUnderstand') ?? '') && isForReceiver(header),
  );
}

/** Returns whether a header is for the server that answers, and not for another one on the way. */
function isForReceiver(header: XmlElement): boolean {
  const role = attributeOf(header, 'actor') ?? attributeOf(header, 'role') ?? '';
  return role === '' || /\/(?:next|ultimateReceiver)$/.test(role);
}

/** Returns the value of an attribute with a prefix. */
function attributeOf({ attributes }: XmlElement, name: string): string | undefined {
  return [...attributes].find(([known]) => known.endsWith(`:${name}`))?.[1];
}

function findDouble({ children }: XmlElement): string | undefined {
  const names = new Set<string>();
  for (const { name } of children) {
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
}

function unreadable(version: SoapVersion, reason: string): SoapFault {
  return { version, blame: 'client', fault: `Server was unable to read request. ---> ${reason}` };
}

function versionOf(root: XmlElement): SoapVersion | undefined {
  const namespace = root.attributes.get(root.prefix === '' ? 'xmlns' : `xmlns:${root.prefix}`);
  if (namespace === ENVELOPE_NAMESPACES['1.1']) return '1.1';
  return namespace === ENVELOPE_NAMESPACES['1.2'] ? '1.2' : undefined;
}

function actionOf(request: Pick<HttpCall, 'headers'>, contentType: string): string | undefined {
  const header = request.headers.soapaction;
  const action = (typeof header === 'string' ? header : undefined) ?? parameterOf(contentType, 'action') ?? '';
  return action.trim().replace(/^"(.*)"$/, '$1') || undefined;
}

function readFields({ children }: XmlElement): Map<string, string> {
  return new Map(children.filter((child) => !isNil(child)).map(({ name, text }) => [name, text]));
}

function isNil(element: XmlElement): boolean {
  return /^(?:true|1)$/.test(attributeOf(element, 'nil') ?? '');
}

const DECLARED = /^(?:\xEF\xBB\xBF)?<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/;

/**
 * Decodes an XML document by its byte order mark or first bytes, else the charset of the Content-Type, else its own
 * declaration, else UTF-8.
 * @returns undefined when the bytes do not fit the character set, or it is unknown
 */
export function decodeDocument(bytes: Buffer, contentType: string): string | undefined {
  const charset = markedCharset(bytes) ?? parameterOf(contentType, 'charset') ?? declaredCharset(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns a parameter of a header value such as `text/xml; charset="utf-8"`. */
export function parameterOf(header: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(header);
  return found ? (found[1] ?? found[2]) : undefined;
}

function markedCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Without a mark the first character, always `<`, shows the width and order of the bytes.
  if (bytes[0] === 0x3c && bytes[1] === 0x00) return 'utf-16le';
  if (bytes[0] === 0x00 && bytes[1] === 0x3c) return 'utf-16be';
  return undefined;
}

function declaredCharset(bytes: Buffer): string | undefined {
  return DECLARED.exec(bytes.toString('latin1', 0, 200))?.[1];
}
