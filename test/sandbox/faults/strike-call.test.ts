import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { useSandboxes } from '../support/sandbox-world.ts';
import {
  exchangeRaw,
  type Fields,
  LOGIN,
  openSocket,
  PATH,
  rawCharge,
  soapRequest,
  watchEnd,
} from '../support/soap-request.ts';
import { type FaultPlan, planFaults } from '../../../src/sandbox/faults/plan-faults.ts';
import { isServiceCall, operationOf, operationOfHead, strikeCall } from '../../../src/sandbox/faults/strike-call.ts';
import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import type { HttpCall } from '../../../src/sandbox/reply.ts';
import { bodyOf, CHARGE, doneBatch } from '../support/make-context.ts';

const world = useSandboxes();

describe('strikeConnections', () => {
  it('connection-dropped resets a connection before anything is written', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'connection-dropped' });
    expect(await exchangeRaw(sandbox.port, undefined)).toEqual({ text: '', error: 'ECONNRESET' });
    expect((await fetch(sandbox.url)).status).toBe(200);
  });

  it('reset-at-first-byte waits for a byte and resets then', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'reset-at-first-byte' });
    const socket = await openSocket(sandbox.port);
    const end = watchEnd(socket);
    // Another connection is served meanwhile, so the first was accepted and is still open.
    expect((await fetch(sandbox.url)).status).toBe(200);
    expect(socket.destroyed).toBe(false);
    socket.write('P');
    expect(await end).toEqual({ text: '', error: 'ECONNRESET' });
  });

  it('ends connections that wait when the sandbox is closed', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'reset-at-first-byte' });
    const socket = await openSocket(sandbox.port);
    socket.on('error', () => {}).resume();
    expect((await fetch(sandbox.url)).status).toBe(200);
    const closed = once(socket, 'close');
    await sandbox.close();
    await closed;
  });

  it('serves connections as before when nothing is planned', async () => {
    const sandbox = await world.start();
    const { head, body } = rawCharge();
    const { text } = await exchangeRaw(sandbox.port, head.replace('Host: h', 'Host: h\r\nConnection: close') + body);
    expect(text).toContain('OK: 678594:');
    expect(sandbox.books()).toHaveLength(1);
  });
});

const { head, body } = rawCharge();

/** The client sends no more than this, so only a server that did not wait for more can answer. */
describe('strikeRequest', () => {
  it('reset-after-headers needs no byte of the body', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'reset-after-headers', operation: 'processCreditCard' });
    expect(await exchangeRaw(sandbox.port, head)).toEqual({ text: '', error: 'ECONNRESET' });
    expect(sandbox.books()).toEqual([]);
  });

  it.each([
    ['half of the body', head, body.slice(0, Math.ceil(body.length / 2))],
    ['the first chunk', head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked'), '3\r\nabc\r\n'],
  ])('reset-mid-body needs %s', async (_what, start, piece) => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'reset-mid-body' });
    expect(await exchangeRaw(sandbox.port, start + piece)).toEqual({ text: '', error: 'ECONNRESET' });
    expect(sandbox.books()).toEqual([]);
  });

  it('early-answer comes before the body, and the rest of it does no harm', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'early-answer', times: 2 });
    const { text, error } = await exchangeRaw(sandbox.port, head);
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(error).toBeUndefined();
    expect((await exchangeRaw(sandbox.port, head + body)).text).toMatch(/^HTTP\/1\.1 503 /);
    expect(sandbox.books()).toEqual([]);
  });

  it('lets calls of another operation, and all that is no call, pass', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'early-answer', operation: 'processACHEFT' });
    sandbox.faults.plan({ kind: 'reset-after-headers', operation: 'processACHEFT' });
    const call = head.replace('Host: h', 'Host: h\r\nConnection: close') + body;
    expect((await exchangeRaw(sandbox.port, call)).text).toMatch(/^HTTP\/1\.1 200 /);
    await sandbox.faults.clear();
    sandbox.faults.plan({ kind: 'early-answer' });
    expect((await fetch(`${sandbox.url}/NetGate/ProcessLinkv2.asmx?WSDL`)).status).toBe(200);
    expect(sandbox.faults.list()).toMatchObject([{ seen: 0 }]);
  });
});

const BATCH_ROW = { account: 'TEST88', batchId: '41' } as BookRow;

describe('strikeCall', () => {
  it.each<[FaultPlan['kind'], number]>([
    ['http-500', 0],
    ['booked-then-reset', 1],
  ])('%s: the call is served %i times', async (kind, times) => {
    const { struck, served } = await strike({ kind }, 'ProcessCreditCard');
    expect(struck).toMatchObject({ fault: { kind }, operation: 'processCreditCard' });
    expect(served).toBe(times);
  });

  it('does nothing when nothing is due', async () => {
    expect(await strike({ kind: 'http-500', after: 1 }, 'ProcessCreditCard')).toEqual({ struck: undefined, served: 0 });
    const get = { ...callOf('ProcessCreditCard'), method: 'GET' };
    expect(await strike({ kind: 'http-500' }, get)).toEqual({ struck: undefined, served: 0 });
  });

  it('looks at the result of a batch before it strikes', async () => {
    const plan = { kind: 'result-empty' } as const;
    const { struck } = await strike(plan, 'GetBatchProcessResultFile', { reply: doneBatch('a\r\n') });
    expect(bodyOf(struck?.steps ?? [])).toContain('<BATCHPROCESSRESULTFILE></BATCHPROCESSRESULTFILE>');
    expect((await strike(plan, 'GetBatchProcessResultFile')).struck).toBeUndefined();
  });

  it.each<[string, readonly BookRow[], string | undefined]>([
    ['the account has none', [], undefined],
    ['it is of another account', [{ ...BATCH_ROW, account: 'TESTCA' }], undefined],
    ['it is a single charge', [{ ...BATCH_ROW, batchId: '' }], undefined],
    ['there is one', [BATCH_ROW, { ...BATCH_ROW, batchId: '42' }, { ...BATCH_ROW, batchId: '' }], '42'],
  ])('gives the batch id before this one, if %s', async (_when, rows, expected) => {
    const reply = doneBatch('a');
    const { struck } = await strike({ kind: 'repeated-batch-id' }, 'ProcessACHEFTChargeBatch', { rows, reply });
    const found = struck && /<BATCHID>(\d+)</.exec(bodyOf(struck.steps))?.[1];
    expect(found).toBe(expected);
  });

  it('strikes a request that cannot be read as well, but not as an operation', async () => {
    const call = { ...callOf('x'), body: Buffer.from('no XML') };
    expect((await strike({ kind: 'soap-fault-server' }, call)).struck?.operation).toBeUndefined();
    expect((await strike({ kind: 'http-500', operation: 'processACHEFT' }, call)).struck).toBeUndefined();
  });
});

async function strike(
  plan: FaultPlan,
  asked: string | HttpCall,
  { rows = [] as readonly BookRow[], reply = CHARGE } = {},
) {
  const faults = planFaults({ shut: () => {}, open: async () => {} });
  faults.plan(plan);
  let served = 0;
  const struck = await strikeCall(
    typeof asked === 'string' ? callOf(asked) : asked,
    { rows: () => rows },
    faults,
    async () => {
      served += 1;
      return reply;
    },
  );
  return { struck, served };
}

function callOf(element: string, fields: Fields = LOGIN): HttpCall {
  const { headers, body } = soapRequest(element, fields);
  return {
    method: 'POST',
    path: PATH,
    query: new URLSearchParams(),
    headers: { 'content-type': headers['Content-Type'] },
    body: Buffer.from(body),
  };
}

const NAMESPACE = 'https://www.iatspayments.com/NetGate/';

describe('operationOf', () => {
  it.each([
    ['ProcessCreditCard', 'processCreditCard'],
    ['ProcessCreditCardV1', 'processCreditCard'],
    [`${NAMESPACE}ProcessACHEFTV1`, 'processACHEFT'],
    ['GetCreditCardRejectDateRangeCSV', 'getCreditCardRejectDateRangeCSV'],
    ['processCreditCard', undefined],
    ['toString', undefined],
    ['', undefined],
  ])('%s: %s', (name, operation) => {
    expect(operationOf(name)).toBe(operation);
  });
});

describe('operationOfHead', () => {
  it.each([
    [{ soapaction: `"${NAMESPACE}ProcessACHEFT"` }, '', 'processACHEFT'],
    [{ 'content-type': `application/soap+xml; action="${NAMESPACE}ProcessACHEFT"` }, '', 'processACHEFT'],
    [{ 'content-type': 'application/soap+xml' }, 'op=ProcessACHEFT', 'processACHEFT'],
    [{ 'content-type': 'application/soap+xml' }, '', undefined],
    [{}, 'wsdl', undefined],
  ])('%j with %j: %s', (headers, query, operation) => {
    expect(operationOfHead(headers, new URLSearchParams(query))).toBe(operation);
  });
});

describe('isServiceCall', () => {
  it.each([
    ['POST', '/NetGate/ProcessLinkv2.asmx', true],
    ['POST', '/netgate/CUSTOMERLINK.ASMX', true],
    ['GET', '/NetGate/ProcessLinkv2.asmx', false],
    ['POST', '/sandbox/faults', false],
    ['POST', '/', false],
  ])('%s %s: %s', (method, path, expected) => {
    expect(isServiceCall({ method, path })).toBe(expected);
  });
});
