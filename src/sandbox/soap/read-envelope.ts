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
 * Content-Type says.
 */
export function readEnvelope(request: Pick<HttpCall, 'headers' | 'body'>): SoapCall | SoapFault {
  const contentType = request.headers['content-type'] ?? '';
  const guess: SoapVersion = /^application\/soap\+xml/i.test(contentType) ? '1.2' : '1.1';
  const text = decodeDocument(request.body, contentType);
  if (text === undefined) return unreadable(guess, 'The bytes are not text of the character set they say.');
  const root = readXml(text);
  if ('fault' in root) return unreadable(guess, root.fault);
  const version = versionOf(root) ?? guess;
  if (root.name !== 'Envelope') return unreadable(version, 'The root element is not a SOAP envelope.');
  const wrapper = root.children.find((child) => child.name === 'Body')?.children[0];
  if (!wrapper) return unreadable(version, 'The SOAP body holds no request element.');
  return { version, element: wrapper.name, action: actionOf(request, contentType), fields: readFields(wrapper) };
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

/** Reads the fields. Of a repeated element only the first counts, as in .NET. */
function readFields(wrapper: XmlElement): Map<string, string> {
  const fields = new Map<string, string>();
  for (const child of wrapper.children) {
    if (!fields.has(child.name) && !isNil(child)) fields.set(child.name, child.text);
  }
  return fields;
}

function isNil(element: XmlElement): boolean {
  return [...element.attributes].some(([name, value]) => name.endsWith(':nil') && /^(?:true|1)$/.test(value));
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
