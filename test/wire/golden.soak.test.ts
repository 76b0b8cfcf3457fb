import { afterEach, describe, expect, it } from 'vitest';
import { type OperationName, OPERATIONS } from '../../schemas/operations.ts';
import { type GatewayClient, createGatewayClient } from '../../src/gateway/create-gateway-client.ts';
import type { CallOptions } from '../../src/gateway/call-operation.ts';
import type { AnyAnswer } from '../../src/gateway/answers.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { httpAnswer, type ScriptedServer, startScripted } from '../gateway/support/scripted-server.ts';
import {
  canonicalXml,
  type GoldenCase,
  readGoldenCases,
  toGoldenAnswer,
  toParameters,
} from './support/golden-cases.ts';

/**
 * Tries the calls of README.md beside this file in both directions: our client must write the request and read the
 * response, and our sandbox must read the request and write the response. The files were written from the description
 * of the wire and not recorded from either side, so they reveal mistakes that both share.
 */

const CASES = readGoldenCases();
const WITH_REQUEST = CASES.filter(({ request }) => request !== undefined);
const WITHOUT_REQUEST = CASES.filter(({ request }) => request === undefined);
const SERVED = WITH_REQUEST.filter(({ setting }) => setting.sandbox !== false);
const NOW = '2026-06-15T10:00:00Z';
const NAMESPACE = 'https://www.iatspayments.com/NetGate/';
const ENVELOPE_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
const ENVELOPE_12 = 'http://www.w3.org/2003/05/soap-envelope';

const opened: (ScriptedServer | Sandbox)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

describe('the client', () => {
  it.each(WITH_REQUEST.map(named))('%s: sends the request and reads the response', async (_name, golden) => {
    const server = await startScripted({ onRequest: (socket) => socket.end(httpAnswer(200, golden.response ?? '')) });
    opened.push(server);
    const answer = await makeCall(clientOf(golden, server.url), golden.operation, golden);
    expect(server.requests).toHaveLength(1);
    const [head = '', body = ''] = (server.requests[0] ?? '').split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^POST ${pathOf(golden.operation)} HTTP/1\\.1\r\n`));
    expect(head).toContain(`\r\nContent-Type: ${contentType12(golden.operation)}\r\n`);
    const sent = Buffer.from(body, 'latin1').toString('utf8');
    expect(canonicalXml(sent)).toEqual(canonicalXml(golden.request ?? ''));
    expect(toGoldenAnswer(answer)).toStrictEqual(golden.answer);
  });

  it.each(WITHOUT_REQUEST.map(named))('%s: answers and nothing leaves', async (_name, golden) => {
    const server = await startScripted({});
    opened.push(server);
    const answer = await makeCall(clientOf(golden, server.url), golden.operation, golden);
    expect(answer).toStrictEqual(golden.answer);
    expect(server.connections).toHaveLength(0);
  });
});

describe('the sandbox', () => {
  it.each(SERVED.map(named))('%s: answers the request byte for byte', async (_name, golden) => {
    const request = golden.foreignRequest ?? golden.request ?? '';
    const action = NAMESPACE + capital(golden.operation);
    const as12 = await prepareSandbox(golden);
    expect(await post(as12.url, golden, { 'Content-Type': contentType12(golden.operation) }, request)).toEqual({
      status: 200,
      contentType: 'application/soap+xml; charset=utf-8',
      text: golden.response,
    });
    const as11 = await prepareSandbox(golden);
    const headers = { 'Content-Type': 'text/xml; charset=utf-8', SOAPAction: `"${action}"` };
    expect(await post(as11.url, golden, headers, request.replace(ENVELOPE_12, ENVELOPE_11))).toEqual({
      status: 200,
      contentType: 'text/xml; charset=utf-8',
      text: golden.response?.replace(ENVELOPE_12, ENVELOPE_11),
    });
  });

  it('gives every answer but these', () => {
    const cannot = CASES.filter(({ setting }) => setting.sandbox === false);
    expect(cannot.every(({ setting }) => (setting.why ?? '').length > 20)).toBe(true);
    expect(cannot.map(({ operation, name }) => `${operation}/${name}`)).toEqual(NOT_FROM_THE_SANDBOX);
  });
});

describe('the cases', () => {
  it('are there for every operation and each of its refusals', () => {
    const operations = Object.keys(OPERATIONS).sort();
    expect([...new Set(CASES.map(({ operation }) => operation))]).toEqual(operations);
    expect(Object.keys(REFUSALS).sort()).toEqual(operations);
    for (const [operation, refusals] of Object.entries(REFUSALS)) {
      const names = CASES.filter((golden) => golden.operation === operation).map(({ name }) => name);
      expect(names, operation).toEqual(expect.arrayContaining([...EVERY_OPERATION, ...refusals.split(' ')]));
    }
  });

  it.each(CASES.map(named))('%s: ends as its name says', (_name, { name, operation, answer }) => {
    const { effect, service } = OPERATIONS[operation];
    expect(kindsOf(name, effect, service)).toContain(answer.kind);
  });

  it('have all their files, and no request where nothing leaves', () => {
    for (const { operation, name, answer, request, response, foreignRequest } of CASES) {
      const leaves = answer.kind !== 'restricted' && answer.kind !== 'invalid';
      expect(
        [request, response].map((file) => file !== undefined),
        `${operation}/${name}`,
      ).toEqual([leaves, leaves]);
      if (!leaves) expect(foreignRequest).toBeUndefined();
    }
  });

  it('hold no password and no number but those of the test account', () => {
    for (const golden of CASES) {
      const text = JSON.stringify(golden);
      expect(text.match(/(?<=<password>)[^<]*/g) ?? []).toEqual(Array(timesIn(text, '<password>')).fill('TEST88'));
      for (const number of text.match(/\d{12,}/g) ?? []) expect(TEST_NUMBERS).toContain(number);
    }
  });
});

const EVERY_OPERATION = ['success', 'bad-login', 'failure-status', 'restricted', 'invalid'];

/** How else each operation can be refused, and how its outcome can stay in doubt. */
const REFUSALS: Readonly<Record<OperationName, string>> = {
  processCreditCard: 'declined incorrect-security-code invalid-card-number null-reference timeout',
  createCustomerCodeAndProcessCreditCard: 'declined incorrect-security-code invalid-card-number null-reference timeout',
  processCreditCardWithCustomerCode: 'declined incorrect-security-code unknown-code null-reference timeout',
  processCreditCardRefundWithTransactionId: 'declined unknown-transaction null-reference timeout',
  processACHEFT: 'declined null-reference timeout',
  createCustomerCodeAndProcessACHEFT: 'declined null-reference timeout',
  processACHEFTWithCustomerCode: 'declined unknown-code null-reference timeout',
  processACHEFTRefundWithTransactionId: 'declined unknown-transaction null-reference timeout',
  processCreditCardBatch: 'null-reference timeout',
  processACHEFTChargeBatch: 'null-reference timeout',
  processACHEFTRefundBatch: 'null-reference timeout',
  getBatchProcessResultFile: 'running unknown-batch null-reference no-information',
  createCreditCardCustomerCode: 'invalid-card-number invalid-expiry duplicate-code null-reference no-information',
  // The service misses no field here and checks no value.
  createACHEFTCustomerCode: 'duplicate-code no-information',
  updateCreditCardCustomerCode: 'invalid-card-number invalid-expiry unknown-code null-reference no-information',
  updateACHEFTCustomerCode: 'unknown-code null-reference no-information',
  deleteCustomerCode: 'unknown-code null-reference no-information',
  getCustomerCodeDetail: 'unknown-code null-reference no-information',
  getCustomerListByCreationTimeCSV: 'empty no-information',
  getCustomerListByCreationTimeXML: 'empty no-information',
};

const BOTH_SERVERS = (Object.keys(OPERATIONS) as OperationName[]).filter((name) => OPERATIONS[name].servers.length > 1);

const NOT_FROM_THE_SANDBOX = [
  ...BOTH_SERVERS.map((operation) => `${operation}/failure-status`),
  ...Object.entries(REFUSALS).flatMap(([operation, refusals]) =>
    refusals.split(' ').flatMap((name) => (/^(?:timeout|no-information)$/.test(name) ? [`${operation}/${name}`] : [])),
  ),
  'processCreditCard/code-of-unknown-outcome',
  'processCreditCard/no-information',
].sort();

const TEST_NUMBERS = ['4222222222222220', '4111111111111111', '9999999999999999', '02100002100000000000000001'];

type Effect = (typeof OPERATIONS)[OperationName]['effect'];

/** Returns how a case of that name may end. A read without a result has failed; all else unproven is unknown. */
function kindsOf(name: string, effect: Effect, service: string): readonly string[] {
  const isProcess = service === 'ProcessLink';
  if (/^(?:success|empty|running|schedule-)/.test(name)) return ['approved', 'accepted'];
  if (name.startsWith('restricted')) return ['restricted'];
  switch (name) {
    case 'invalid':
      return ['invalid'];
    case 'null-reference':
    case 'timeout':
    case 'no-information':
    case 'code-of-unknown-outcome':
      return [effect === 'read' ? 'failed' : 'unknown'];
    case 'bad-login':
    case 'invalid-card-number':
      return [isProcess ? 'declined' : 'failed'];
    case 'unknown-code':
      // The service silently deletes what does not exist.
      return isProcess ? ['declined'] : ['failed', 'approved'];
    case 'declined':
    case 'incorrect-security-code':
    case 'unknown-transaction':
      return ['declined'];
    case 'failure-status':
    case 'unknown-batch':
    case 'duplicate-code':
    case 'invalid-expiry':
      return ['failed'];
    default:
      return [];
  }
}

function named(golden: GoldenCase): [string, GoldenCase] {
  return [`${golden.operation}/${golden.name}`, golden];
}

function clientOf({ setting }: GoldenCase, baseUrl: string): GatewayClient {
  const { server = 'NA', currency = 'USD', agentCode = 'TEST88' } = setting;
  const world = { clock: handClock(NOW), wait: async () => {} };
  return createGatewayClient({ server, currency, agentCode, password: 'TEST88', baseUrl }, world);
}

type Step = { readonly parameters: GoldenCase['parameters']; readonly setting?: GoldenCase['setting'] };

function makeCall(client: GatewayClient, operation: OperationName, { parameters, setting }: Step): Promise<AnyAnswer> {
  const method: (parameters: never, options?: CallOptions) => Promise<AnyAnswer> = client[operation];
  return method(toParameters(parameters) as never, setting?.options);
}

/** Starts a sandbox in which everything the case needs has happened. Batches stay running until its clock moves. */
async function prepareSandbox(golden: GoldenCase): Promise<Sandbox> {
  const { server = 'NA', accountServer = server } = golden.setting;
  const accounts = [{ agentCode: 'TEST88', password: 'TEST88', server: accountServer }];
  const sandbox = await startSandbox({ now: NOW, accounts, batchDelayMs: 60_000 });
  opened.push(sandbox);
  for (const step of golden.before) {
    if ('advanceMs' in step) sandbox.clock.advance(step.advanceMs);
    else {
      const answer = await makeCall(clientOf(golden, sandbox.url), step.operation, step);
      expect(['approved', 'accepted']).toContain(answer.kind);
    }
  }
  return sandbox;
}

async function post(url: string, { operation }: GoldenCase, headers: Record<string, string>, body: string) {
  const response = await fetch(url + pathOf(operation), { method: 'POST', headers, body });
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    text: await response.text(),
  };
}

function pathOf(operation: OperationName): string {
  return `/NetGate/${OPERATIONS[operation].service}v2.asmx`;
}

function contentType12(operation: OperationName): string {
  return `application/soap+xml; charset=utf-8; action="${NAMESPACE}${capital(operation)}"`;
}

function capital(operation: OperationName): string {
  return operation.charAt(0).toUpperCase() + operation.slice(1);
}

function timesIn(text: string, part: string): number {
  return text.split(part).length - 1;
}

const SMALL = '<a xmlns="urn:x"><b>1 &amp; 2</b><c></c></a>';

describe('canonicalXml', () => {
  it.each([
    ['another prefix', '<p:a xmlns:p="urn:x"><p:b>1 &amp; 2</p:b><p:c/></p:a>'],
    ['white space between elements', '<a xmlns="urn:x">\n  <b>1 &amp; 2</b>\n  <c />\n</a>\n'],
    ['another spelling of a character', '<a xmlns="urn:x"><b>1 &#38; 2</b><c></c></a>'],
  ])('takes %s for the same', (_what, document) => {
    expect(canonicalXml(document)).toEqual(canonicalXml(SMALL));
  });

  it.each([
    ['another order', '<a xmlns="urn:x"><c></c><b>1 &amp; 2</b></a>'],
    ['another namespace', '<a xmlns="urn:y"><b>1 &amp; 2</b><c></c></a>'],
    ['a child without the namespace', '<a xmlns="urn:x"><b xmlns="">1 &amp; 2</b><c></c></a>'],
    ['white space in a value', '<a xmlns="urn:x"><b>1 &amp; 2\n</b><c></c></a>'],
    ['white space as a value', '<a xmlns="urn:x"><b>1 &amp; 2</b><c> </c></a>'],
    ['a missing element', '<a xmlns="urn:x"><b>1 &amp; 2</b></a>'],
    ['one element more', '<a xmlns="urn:x"><b>1 &amp; 2</b><c></c><c></c></a>'],
    ['an attribute', '<a xmlns="urn:x"><b>1 &amp; 2</b><c n="1"></c></a>'],
    ['other case', '<a xmlns="urn:x"><B>1 &amp; 2</B><c></c></a>'],
  ])('tells %s apart', (_what, document) => {
    expect(canonicalXml(document)).not.toEqual(canonicalXml(SMALL));
  });

  it.each(['<a>x<b></b></a>', '<a><b></a>', ''])('refuses %j', (document) => {
    expect(() => canonicalXml(document)).toThrow();
  });
});
