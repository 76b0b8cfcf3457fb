import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FieldName, FIELDS } from '../../../schemas/fields.ts';
import { type OperationName, OPERATIONS, type Server, SERVICE_NAMESPACE } from '../../../schemas/operations.ts';
import { parametersOf } from '../../../schemas/parameters.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { servedOperations } from '../../../src/sandbox/handlers/handlers.ts';
import { readEnvelope, type SoapCall } from '../../../src/sandbox/soap/read-envelope.ts';
import { readParameters } from '../../../src/sandbox/soap/read-parameters.ts';
import { type AnyParameters, arbitraryParameters, arbitraryText } from './arbitrary-parameters.ts';
import { ALL_OPERATIONS, callOn } from './call.ts';
import { tryProperty } from '../../support/random.ts';
import { httpAnswer, type ScriptedServer, startScripted } from './scripted-server.ts';
import { findOperation } from '../../../src/sandbox/soap/answer-call.ts';

/**
 * The service understands what the caller says. Two readers that share nothing with the client's writer must agree on
 * the bytes it really writes.
 */

/** Runs of each operation: `sound` on each of its servers, `broken` with faulty parameters. */
export type ParameterRuns = { readonly sound: number; readonly broken: number };

const PAIRS = ALL_OPERATIONS.flatMap((operation) =>
  OPERATIONS[operation].servers.map((server): [OperationName, Server] => [operation, server]),
);
const NOW = '2026-06-15T10:00:00.000Z';

let server: ScriptedServer;
let requests: Buffer[];

export function testParameters(runs: ParameterRuns, atLeast: number): void {
  beforeAll(async () => {
    server = await startScripted({
      onRequest: (socket, request) => {
        requests.push(Buffer.from(request, 'latin1'));
        socket.end(httpAnswer(200, 'x'));
      },
    });
  });
  beforeEach(() => {
    requests = [];
  });
  afterAll(() => server.close());

  describe('parameters on their way', { timeout: 300_000 }, () => {
    it(`are tried at least ${atLeast} times`, () => {
      expect(PAIRS.length * runs.sound).toBeGreaterThanOrEqual(atLeast);
    });

    it.each(PAIRS)('of %s on %s come out as they went in', async (operation, onServer) => {
      const login = fc.record({ agentCode: arbitraryText(20), password: arbitraryText(40) }).map(fillLogin);
      await tryProperty(
        fc.asyncProperty(arbitraryParameters(operation, onServer), login, async (parameters, settings) => {
          expect(parametersOf(operation, onServer).safeParse(parameters).error?.issues).toBeUndefined();
          const request = await sendOnce(operation, onServer, parameters, settings);
          const expected = { ...settings, ...expectedFields(operation, parameters) };

          const call = readRequest(request);
          expect(findOperation(call, servedOperations(OPERATIONS[operation].service))).toBe(operation);
          expect([...call.fields]).toEqual(Object.entries(expected));
          expectTypedValues(operation, call, parameters);
          expect(readWithAnotherParser(request)).toEqual(Object.entries(expected));
        }),
        runs.sound,
      );
    });
  });

  describe('parameters that the table refuses', { timeout: 300_000 }, () => {
    it.each(ALL_OPERATIONS)('of %s never open a connection', async (operation) => {
      const anything = fc.oneof(fc.anything({ withDate: true, withTypedArray: true }), fc.string({ unit: 'grapheme' }));
      const property = fc.asyncProperty(
        arbitraryParameters(operation, 'NA'),
        fc.nat(),
        anything,
        fc.boolean(),
        async (parameters, place, value, isLeftOut) => {
          const names = Object.keys(parameters);
          const name = names[place % names.length] ?? 'unheardOf';
          const broken = isLeftOut ? without(parameters, name) : { ...parameters, [name]: value };
          const before = server.connections.length;
          const answer = await callOn(server.url, operation, { parameters: broken });
          const isTaken = parametersOf(operation, 'NA').safeParse(broken).success && answer.kind !== 'restricted';
          expect(answer.kind === 'invalid' || answer.kind === 'restricted').toBe(!isTaken);
          expect(server.connections.length - before).toBe(isTaken ? 1 : 0);
        },
      );
      await tryProperty(property, runs.broken);
    });
  });
}

type LoginText = { agentCode: string; password: string };

/** Replaces empty values, which the client refuses when it is made. */
function fillLogin({ agentCode, password }: LoginText): LoginText {
  return { agentCode: agentCode || 'TEST88', password: password || 'TEST88' };
}

async function sendOnce(operation: OperationName, onServer: Server, parameters: AnyParameters, login: LoginText) {
  requests = [];
  const answer = await callOn(server.url, operation, {
    parameters,
    settings: { ...login, server: onServer, currency: onServer === 'NA' ? 'USD' : 'GBP' },
    world: { clock: handClock(NOW) },
  });
  expect(['unknown', 'failed']).toContain(answer.kind);
  expect(requests).toHaveLength(1);
  return requests[0] ?? Buffer.alloc(0);
}

/** Returns what the elements must hold, in order; no others may be there. */
function expectedFields(operation: OperationName, parameters: AnyParameters): Record<string, string> {
  const isDayless = /^(?:Quarterly|Annually)$/.test(String(parameters.scheduleType));
  const fields: [string, string][] = [['customerIPAddress', wireText('customerIPAddress', parameters) ?? '']];
  for (const name of OPERATIONS[operation].wire) {
    const text = wireText(name, parameters) ?? (name === 'scheduleDate' && isDayless ? '' : undefined);
    if (text !== undefined) fields.push([name, text]);
  }
  return Object.fromEntries(fields);
}

function wireText(name: FieldName, parameters: AnyParameters): string | undefined {
  const value = parameters[name];
  const { kind } = FIELDS[name];
  if (kind === 'boolean') return value === true ? 'true' : 'false';
  if (kind === 'dateTime' && value === undefined) return NOW;
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  // The service mishandles IPv6, so it gets no address.
  if (kind === 'ipv4' && String(value).includes(':')) return '';
  if (value === 'MAESTRO') return 'MAESTR';
  return typeof value === 'string' ? value : undefined;
}

/** Checks typed elements as ASP.NET reads them: the same bytes, the same flag, the same moment. */
function expectTypedValues(operation: OperationName, call: SoapCall, parameters: AnyParameters): void {
  const read = readParameters(operation, call.fields);
  if ('fault' in read) throw new Error(read.fault);
  for (const name of OPERATIONS[operation].wire) {
    const value = parameters[name];
    if (value instanceof Uint8Array) expect(read.bytes(name)?.equals(value)).toBe(true);
    if (typeof value === 'boolean') expect(read.flag(name)).toBe(value);
    const isMoment = FIELDS[name].kind === 'dateTime' && value !== undefined;
    if (isMoment) expect(read.moment(name)?.getTime()).toBe(new Date(value as string | Date).getTime());
  }
}

function readRequest(request: Buffer): SoapCall {
  const contentType = /\r\ncontent-type: ([^\r]*)/i.exec(request.toString('latin1'))?.[1] ?? '';
  const call = readEnvelope({ headers: { 'content-type': contentType }, body: bodyOf(request) });
  if ('fault' in call) throw new Error(call.fault);
  return call;
}

function bodyOf(request: Buffer): Buffer {
  return request.subarray(request.indexOf('\r\n\r\n') + 4);
}

type DomNode = {
  readonly localName: string;
  readonly namespaceURI: string;
  readonly textContent: string;
  readonly childNodes: ArrayLike<DomNode>;
};
type DomParser = new (options: object) => { parseFromString(xml: string, type: string): { documentElement: DomNode } };

/** Comes with the SOAP library, for its signatures; neither client nor sandbox reads with it. */
const DOM_PACKAGE = '@xmldom/xmldom';
const requireOfSoap = createRequire(createRequire(import.meta.url).resolve('soap'));
const { DOMParser } = requireOfSoap(DOM_PACKAGE) as { DOMParser: DomParser };

function readWithAnotherParser(request: Buffer): [string, string][] {
  const refuse = (message: string) => {
    throw new Error(message);
  };
  const parser = new DOMParser({
    errorHandler: { warning: refuse, error: refuse, fatalError: refuse },
    normalizeLineEndings,
  });
  const envelope = parser.parseFromString(bodyOf(request).toString('utf8'), 'text/xml').documentElement;
  const body = elementsOf(envelope).find((element) => element.localName === 'Body');
  const [wrapper] = body ? elementsOf(body) : [];
  const children = wrapper ? elementsOf(wrapper) : [];
  expect(children.every((child) => child.namespaceURI === SERVICE_NAMESPACE)).toBe(true);
  return children.map((child) => [child.localName, child.textContent]);
}

/** Follows XML 1.0. The parser's own function follows XML 1.1, which has two more line ends. */
function normalizeLineEndings(xml: string): string {
  return xml.replace(/\r\n?/g, '\n');
}

function elementsOf(node: DomNode): DomNode[] {
  return Array.from(node.childNodes).filter((child) => Boolean(child.localName));
}

function without(parameters: AnyParameters, name: string): AnyParameters {
  return Object.fromEntries(Object.entries(parameters).filter(([each]) => each !== name));
}
