import type { HttpCall } from '../reply.ts';
import { readXml, type XmlElement } from '../xml/read-xml.ts';
import { decodeDocument, parameterOf } from './decode-document.ts';
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
