import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import { readXml, type XmlElement } from '../../../src/sandbox/xml/read-xml.ts';
import { DONE, WAIT } from './soap-answers.ts';
import type { AnyAnswer } from '../../../src/gateway/answers.ts';
import { CANARIES, sampleParameters, SECURITY_CODE } from './call.ts';

/** Returns the kind of an answer that proves nothing. */
export function doubtOf(operation: OperationName): 'failed' | 'unknown' {
  return OPERATIONS[operation].effect === 'read' ? 'failed' : 'unknown';
}

/**
 * Returns the kinds that a client may derive from a body. The judge is the sandbox's XML reader, which shares nothing
 * with the client's. A client may always be in doubt; anything else needs a complete, well-formed answer.
 */
export function permittedKinds(operation: OperationName, body: Buffer): ReadonlySet<string> {
  const kinds = new Set<string>([doubtOf(operation)]);
  const texts = readTexts(operation, body);
  if (texts === 'beyond XML') return new Set(['approved', 'accepted', 'declined', 'failed', 'unknown']);
  if (!texts) return kinds;
  for (const kind of provenKinds(operation, texts)) kinds.add(kind);
  return kinds;
}

/** Returns the transaction id in the answer, as a second reader sees it. */
export function namedTransaction(operation: OperationName, body: Buffer): string | undefined {
  const texts = readTexts(operation, body);
  return typeof texts === 'object' ? (texts.get('TRANSACTIONID') ?? '') : undefined;
}

function provenKinds(operation: OperationName, texts: ReadonlyMap<string, string>): string[] {
  const result = texts.get('AUTHORIZATIONRESULT') ?? '';
  const errors = texts.get('ERRORS') ?? '';
  const isClean = texts.get('STATUS') === 'Success' && errors === '';
  const kinds: string[] = [];
  if (isClean && isGood(operation, result, texts)) kinds.push('approved', 'accepted');
  if (/^REJECT: ?\d+$/.test(result) || /^REJECT: ?\d+$/.test(errors)) kinds.push('declined');
  if (/^(?:Error : |Bad request\.$|Service cannot be used|0Error:|0Can not find )/.test(errors || result)) {
    kinds.push('failed');
  }
  return kinds;
}

function isGood(operation: OperationName, result: string, texts: ReadonlyMap<string, string>): boolean {
  const { effect } = OPERATIONS[operation];
  if (operation.endsWith('Batch')) return result === WAIT && texts.has('BATCHID');
  if (operation === 'getBatchProcessResultFile') return result === WAIT || result === DONE;
  if (effect === 'read') return texts.has('CUSTOMERS') || texts.has('FILE');
  return effect === 'write' ? result === 'OK' : /^OK(?::.*)?$/s.test(result);
}

/** More than any answer of these tests has. */
const MOST_ELEMENTS = 1_000_000;

/** Returns the texts of an answer by element name; undefined when it is no answer of the operation. */
function readTexts(operation: OperationName, body: Buffer): Map<string, string> | 'beyond XML' | undefined {
  const document = decode(body);
  const root = document === undefined ? undefined : readXml(document, MOST_ELEMENTS);
  if (!root) return undefined;
  // The client ignores these, because it looks at local names only.
  if ('fault' in root) return /undeclared prefix|duplicate attribute/.test(root.fault) ? 'beyond XML' : undefined;
  const name = wireName(operation);
  const body1 = root.name === 'Envelope' ? root.children.filter((child) => child.name === 'Body') : [];
  const response = onlyChild(body1.length === 1 ? body1[0] : undefined, `${name}Response`);
  const inside = onlyChild(onlyChild(response, `${name}Result`), 'IATSRESPONSE');
  return inside && collectTexts(inside);
}

function decode(body: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function onlyChild(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  const [child, ...others] = parent?.children ?? [];
  return others.length === 0 && child?.name === name && parent?.text.trim() === '' ? child : undefined;
}

/** The elements that say something, by place; all others say nothing. */
const ON_TOP = ['STATUS', 'ERRORS', 'PROCESSRESULT', 'BATCHPROCESSRESULT', 'BATCHRESULT', 'CUSTOMERS', 'FILE'];
const INSIDE =
  /^(?:STATUS|ERRORS|AUTHORIZATIONRESULT|CUSTOMERCODE|TRANSACTIONID|SETTLEMENT\w+|BATCHID|BATCHPROCESSRESULTFILE)$/;

/** Returns undefined when the answer says a thing twice, has two payloads, or mixes text with elements. */
function collectTexts(inside: XmlElement): Map<string, string> | undefined {
  const top = inside.children.filter((child) => ON_TOP.includes(child.name));
  const [payload, ...others] = top.filter((child) => child.name !== 'STATUS' && child.name !== 'ERRORS');
  const said = payload?.children.filter((child) => INSIDE.test(child.name)) ?? [];
  const isMixed = [inside, ...top, ...said].some((each) => each.children.length > 0 && each.text.trim() !== '');
  const texts = new Map([...top, ...said].map(({ name, text }) => [name, text.trim()]));
  return isMixed || others.length > 0 || texts.size < top.length + said.length ? undefined : texts;
}

/** Returns the secrets in the request of `sampleParameters`, as they appear in it. */
export function secretsOf(operation: OperationName): string[] {
  const values = Object.values(sampleParameters(operation));
  const numbers = [CANARIES.card, CANARIES.account, SECURITY_CODE].filter((secret) => values.includes(secret));
  return [CANARIES.password, ...numbers];
}

/**
 * Returns the secrets that an answer repeats. Many ids contain a security code by chance, so where ids are shown only a
 * whole text counts. A result file is bytes passed through unchanged, and is not searched.
 */
export function findSpokenSecrets(operation: OperationName, answer: AnyAnswer): string[] {
  const texts = textsOf(answer);
  const showsIds = answer.kind === 'approved' || answer.kind === 'accepted' || answer.kind === 'declined';
  return secretsOf(operation).filter((secret) =>
    texts.some((text) => (showsIds && secret === SECURITY_CODE ? text === secret : text.includes(secret))),
  );
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.values(value).flatMap(textsOf);
}
