import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OperationName, Server } from '../../../schemas/operations.ts';
import type { CallOptions } from '../../../src/gateway/call-operation.ts';
import { readXml, type XmlElement } from '../../../src/sandbox/xml/read-xml.ts';

/** One folder of test/wire, whose README.md explains each file. */
export type GoldenCase = {
  readonly operation: OperationName;
  readonly name: string;
  readonly setting: GoldenSetting;
  readonly before: readonly GoldenStep[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly answer: { readonly kind: string };
  /** Undefined where nothing is sent. */
  readonly request: string | undefined;
  readonly foreignRequest: string | undefined;
  /** As sent over the wire, without the line end that closes the file. */
  readonly response: string | undefined;
};

export type GoldenStep =
  | { readonly advanceMs: number }
  | { readonly operation: OperationName; readonly parameters: Readonly<Record<string, unknown>> };

type GoldenSetting = {
  readonly server?: Server;
  readonly currency?: 'USD' | 'CAD' | 'GBP' | 'EUR';
  readonly agentCode?: string;
  readonly options?: CallOptions;
  readonly accountServer?: Server;
  readonly sandbox?: false;
  readonly why?: string;
};

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Reads every case, in alphabetical order. */
export function readGoldenCases(): GoldenCase[] {
  const operations = foldersOf(ROOT).filter((name) => name !== 'support');
  return operations.flatMap((operation) =>
    foldersOf(`${ROOT}${operation}/`).map((name) => readCase(operation as OperationName, name)),
  );
}

function readCase(operation: OperationName, name: string): GoldenCase {
  const read = (file: string) => {
    const path = `${ROOT}${operation}/${name}/${file}`;
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const json = (file: string) => JSON.parse(read(file) ?? 'null');
  return {
    operation,
    name,
    setting: json('case.json') ?? {},
    before: json('before.json') ?? [],
    parameters: json('parameters.json'),
    answer: json('answer.json'),
    request: read('request.xml'),
    foreignRequest: read('foreign-request.xml'),
    response: read('response.xml')?.replace(/\n$/, ''),
  };
}

function foldersOf(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** Returns parameters as the client takes them. JSON has no bytes, so the batch file stands there as text. */
export function toParameters({ batchFileText, ...others }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return typeof batchFileText === 'string' ? { ...others, batchFile: Buffer.from(batchFileText) } : others;
}

/** Returns an answer as it stands in answer.json, with a result file as text. */
export function toGoldenAnswer(answer: { kind: string; result?: object }): unknown {
  if (answer.result === undefined || !('file' in answer.result)) return answer;
  const { file, ...others } = answer.result;
  return Buffer.isBuffer(file) ? { ...answer, result: { ...others, fileText: file.toString('utf8') } } : answer;
}

export type CanonicalElement = {
  /** `{namespace}local` */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | readonly CanonicalElement[];
};

/**
 * Returns a document without what means nothing in XML: prefixes, the spelling of empty elements and references, and
 * white space between elements. Names, namespaces, order, attributes and every character of a value stay. White space
 * is dropped only beside child elements; in an element without children it is a value.
 * It uses the sandbox's reader, so that other code reads what node-soap writes for the client.
 */
export function canonicalXml(document: string): CanonicalElement {
  const root = readXml(document);
  if ('fault' in root) throw new Error(root.fault);
  return canonical(root, new Map());
}

function canonical(element: XmlElement, outer: ReadonlyMap<string, string>): CanonicalElement {
  const namespaces = new Map(outer);
  const attributes: Record<string, string> = {};
  for (const [name, value] of element.attributes) {
    if (name === 'xmlns') namespaces.set('', value);
    else if (name.startsWith('xmlns:')) namespaces.set(name.slice('xmlns:'.length), value);
    else attributes[name] = value;
  }
  if (element.children.length > 0 && element.text.trim() !== '')
    throw new Error(`${element.name} mixes text and elements`);
  return {
    name: `{${namespaces.get(element.prefix) ?? ''}}${element.name}`,
    attributes,
    content:
      element.children.length === 0 ? element.text : element.children.map((child) => canonical(child, namespaces)),
  };
}
