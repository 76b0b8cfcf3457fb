import { describe, expect, it } from 'vitest';
import { isControlPath } from '../../../src/sandbox/control/serve-control.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { LOGIN, PATH, post, soapRequest, submitBatch } from '../support/soap-request.ts';
import { callSandbox, messageOf } from '../support/make-context.ts';
import { ACCOUNT, useSandboxes } from '../support/sandbox-world.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { startSandboxClock } from '../../../src/sandbox/sandbox-clock.ts';

const world = useSandboxes();
const NOW = '2026-06-15T09:00:00Z';
const REPORTS_PATH = '/NetGate/ReportLinkv2.asmx';
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('isControlPath', () => {
  it.each([
    ['/sandbox/clock', true],
    ['/sandbox/reset', true],
    ['/sandbox/faults', true],
    ['/sandbox/bank/settle', true],
    ['/sandbox/bank', false],
    ['/sandbox/books', false],
    ['/sandbox/toString', false],
    ['toString', false],
    ['/', false],
  ])('%s: %s', (path, expected) => {
    expect(isControlPath(path)).toBe(expected);
  });
});

describe('the control API', () => {
  it.each([
    ['GET', '/sandbox/clock'],
    ['POST', '/sandbox/clock'],
    ['POST', '/sandbox/reset'],
    ['GET', '/sandbox/faults'],
    ['POST', '/sandbox/faults'],
    ['DELETE', '/sandbox/faults'],
    ['POST', '/sandbox/bank/settle'],
    ['POST', '/sandbox/bank/reject'],
    ['POST', '/sandbox/bank/return'],
  ])('%s %s is not there until it is asked for, and says how', async (method, path) => {
    const sandbox = await world.start({ now: NOW });
    await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', 'a');
    const { status, body } = await ask(sandbox, path, { method, headers: JSON_TYPE });
    expect(status).toBe(404);
    expect(body).toEqual({ error: expect.stringContaining('paydrop sandbox --control') });
    expect(sandbox.books()).toHaveLength(1);
    expect((await fetch(`${sandbox.url}/sandbox/books`)).status).toBe(200);
  });

  it('tells the time and moves it', async () => {
    const sandbox = await world.start({ control: true, now: NOW });
    expect(await ask(sandbox, '/sandbox/clock')).toEqual({
      status: 200,
      body: { now: expect.stringMatching(/^2026-06-15T09:0/) },
    });
    const set = await send(sandbox, '/sandbox/clock', { set: '2027-01-01T02:00:00+02:00' });
    expect(set).toEqual({ status: 200, body: { now: expect.stringMatching(/^2027-01-01T00:00/) } });
    const moved = await send(sandbox, '/sandbox/clock', { advanceMs: 86_400_000 });
    expect(moved.body).toEqual({ now: expect.stringMatching(/^2027-01-02T00:00/) });
    expect(sandbox.clock.now().toISOString()).toMatch(/^2027-01-02T00:00/);
  });

  it.each<[string, unknown, string]>([
    ['/sandbox/clock', {}, 'must be {"set": "2026-06-15T09:00:00Z"} or {"advanceMs": 86400000}'],
    ['/sandbox/clock', null, 'must be {"set": "2026-06-15T09:00:00Z"}'],
    ['/sandbox/clock', { set: '0001-01-01T00:00:00Z' }, 'not a moment'],
    ['/sandbox/clock', { advanceMs: Number.MAX_SAFE_INTEGER }, 'not a moment'],
    ['/sandbox/faults', { kind: 'no-such' }, 'there is no kind "no-such"'],
    ['/sandbox/faults', {}, 'kind must name a kind of fault'],
    ['/sandbox/faults', null, 'must be an object'],
    ['/sandbox/faults', [], 'must be an object'],
    ['/sandbox/faults', { kind: 'no-answer', times: -1 }, 'times must be a number from 1, or "always"'],
    ['/sandbox/faults', { kind: 'connection-refused', times: 'always' }, 'also block this control API'],
    ['/sandbox/faults', { kind: 'connection-dropped', times: 'always' }, 'also block this control API'],
    ['/sandbox/faults', { kind: 'reset-at-first-byte', times: 'always' }, 'also block this control API'],
  ])('POST %s %j is refused: %s', async (path, body, reason) => {
    const sandbox = await world.start({ control: true, now: NOW });
    const answer = await send(sandbox, path, body);
    expect(answer).toEqual({ status: 400, body: { error: expect.stringContaining(reason) } });
    expect(sandbox.faults.list()).toEqual([]);
    expect(sandbox.clock.now().toISOString()).toMatch(/^2026-06-15T09:0/);
  });

  it('plans faults, counts them, and forgets them', async () => {
    const sandbox = await world.start({ control: true });
    const planned = await send(sandbox, '/sandbox/faults', { kind: 'http-503', operation: 'processCreditCard' });
    expect(planned).toMatchObject({ status: 201, body: { kind: 'http-503', times: 1, fired: 0 } });
    const charge = soapRequest('ProcessCreditCard', { ...LOGIN, creditCardNum: '4222222222222220', total: '5' });
    expect((await post(sandbox.url + PATH, charge)).status).toBe(503);
    expect((await post(sandbox.url + PATH, charge)).status).toBe(200);
    expect((await ask(sandbox, '/sandbox/faults')).body).toMatchObject({
      faults: [{ kind: 'http-503', seen: 1, fired: 1 }],
    });
    await send(sandbox, '/sandbox/faults', { kind: 'http-503', times: 'always' });
    expect(await ask(sandbox, '/sandbox/faults', { method: 'DELETE' })).toEqual({ status: 200, body: { faults: [] } });
    expect((await post(sandbox.url + PATH, charge)).status).toBe(200);
  });

  it('resets, with an empty body as well', async () => {
    const sandbox = await world.start({ control: true, now: NOW });
    await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', 'a');
    sandbox.clock.advance(86_400_000);
    sandbox.faults.plan({ kind: 'no-answer' });
    const answer = await ask(sandbox, '/sandbox/reset', { method: 'POST', headers: JSON_TYPE });
    expect(answer).toEqual({ status: 200, body: { now: expect.stringMatching(/^2026-06-15T09:0/) } });
    expect(sandbox.books()).toEqual([]);
    expect(sandbox.faults.list()).toEqual([]);
  });

  it.each([
    ['a page of the web', 403, { ...JSON_TYPE, Origin: 'https://evil.example' }],
    ['a form', 415, { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['plain text', 415, { 'Content-Type': 'text/plain' }],
    ['what only looks like JSON', 415, { 'Content-Type': 'application/jsonp' }],
    ['nobody knows what', 415, {}],
  ])('is not driven by %s', async (_who, status, headers) => {
    const sandbox = await world.start({ control: true, now: NOW });
    const body = Buffer.from('{"advanceMs": 86400000}');
    const answer = await ask(sandbox, '/sandbox/clock', { method: 'POST', headers, body });
    expect(answer).toEqual({ status, body: { error: expect.any(String) } });
    expect(sandbox.clock.now().toISOString()).toMatch(/^2026-06-15T09:0/);
  });

  it('lets no page of the web read or forget faults', async () => {
    const sandbox = await world.start({ control: true });
    sandbox.faults.plan({ kind: 'no-answer' });
    for (const method of ['GET', 'DELETE']) {
      const headers = { Origin: sandbox.url };
      expect((await ask(sandbox, '/sandbox/faults', { method, headers })).status).toBe(403);
    }
    expect(sandbox.faults.list()).toHaveLength(1);
  });

  it('says what is no JSON, and which methods a path takes', async () => {
    const sandbox = await world.start({ control: true });
    const broken = await ask(sandbox, '/sandbox/clock', { method: 'POST', headers: JSON_TYPE, body: '{' });
    expect(broken).toEqual({ status: 400, body: { error: expect.stringContaining('its body is not JSON') } });
    expect(await ask(sandbox, '/sandbox/reset')).toEqual({
      status: 405,
      body: { error: '/sandbox/reset takes POST only.' },
    });
    const faults = await fetch(`${sandbox.url}/sandbox/faults`, { method: 'PUT' });
    expect([faults.status, faults.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE']);
    const charset = { 'Content-Type': 'application/json; charset=utf-8' };
    expect((await ask(sandbox, '/sandbox/reset', { method: 'POST', headers: charset })).status).toBe(200);
  });
});

async function ask({ url }: Sandbox, path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url + path, init);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return { status: response.status, body: await response.json() };
}

function send(sandbox: Sandbox, path: string, body: unknown) {
  return ask(sandbox, path, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
}

describe('bank payments by hand', () => {
  const bank = { firstName: 'Ada', lastName: 'Byron', accountType: 'CHECKING', accountNum: ACCOUNT, total: '5.00' };

  /** Returns `invoice result` of the lines of a report of the sandbox's today. */
  async function reportOf(sandbox: Sandbox, list: 'Approved' | 'Reject' | 'Return'): Promise<string[]> {
    const date = sandbox.clock.now().toISOString();
    const answer = await callSandbox(sandbox, `GetACHEFT${list}SpecificDateXML`, { date }, { path: REPORTS_PATH });
    return [...answer.matchAll(/<INV>([^<]*)<[^]*?<RST>([^<]*)</g)].map(
      ([, invoice, result]) => `${invoice} ${result}`,
    );
  }

  async function withCharges(dataDir?: string) {
    const sandbox = await world.start({ control: true, now: NOW, ...(dataDir === undefined ? {} : { dataDir }) });
    for (const invoiceNum of ['1', '2', '3']) await callSandbox(sandbox, 'ProcessACHEFT', { ...bank, invoiceNum });
    const ids = sandbox.books().map(({ transactionId }) => transactionId ?? '');
    return { sandbox, ids };
  }

  it('are settled, rejected and returned at once, and the reports of today show it', async () => {
    const { sandbox, ids } = await withCharges();
    const [one = '', two = '', three = ''] = ids;
    expect(await send(sandbox, '/sandbox/bank/settle', { transactionId: one })).toEqual({
      status: 200,
      body: { transactions: [one] },
    });
    expect(await reportOf(sandbox, 'Approved')).toEqual(expect.arrayContaining(['1 OK:BankAccept', '2 OK:555555:']));
    await send(sandbox, '/sandbox/bank/reject', { transactionId: two, code: 40 });
    expect((await send(sandbox, '/sandbox/bank/reject', { all: true })).body).toEqual({ transactions: [three] });
    expect(await reportOf(sandbox, 'Reject')).toEqual(['2 REJ:40', '3 OK:Reject']);
    expect((await send(sandbox, '/sandbox/bank/return', { all: true, code: 65 })).body).toEqual({
      transactions: [one],
    });
    expect(await reportOf(sandbox, 'Return')).toEqual(['1 REJ:65']);
    expect(await reportOf(sandbox, 'Approved')).toEqual([]);
    expect((await send(sandbox, '/sandbox/bank/settle', { all: true })).body).toEqual({ transactions: [] });
    const refund = { transactionId: one, total: '-5.00' };
    expect(await messageOf(sandbox, 'ProcessACHEFTRefundWithTransactionId', refund)).toBe('REJECT: 3');
    sandbox.clock.set(new Date(Date.parse(NOW) - 60_000));
    expect(await reportOf(sandbox, 'Return')).toEqual([]);
  });

  it('include rows of batches, stay through a restart, and go on no further by themselves', async () => {
    const dataDir = await world.folder();
    const { sandbox } = await withCharges(dataDir);
    await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', `B,Ada,Byron,CHECKING,${ACCOUNT},3.00,Gift`);
    const settled = await sandbox.bank.settle({ all: true });
    expect(settled).toEqual(expect.arrayContaining(['A0000001']));
    expect(settled).toHaveLength(4);
    await sandbox.close();
    const again = await world.start({ dataDir, now: '2026-08-15T09:00:00Z' });
    expect(await again.bank.return({ all: true })).toEqual([]);
    await expect(again.bank.settle({ transactionId: 'A0000001' })).rejects.toThrow(/is accepted since 2026-06-15T09:0/);
    expect(await again.bank.return({ transactionId: 'A0000001' })).toEqual(['A0000001']);
  });

  it.each<[string, unknown, string]>([
    ['settle', { transactionId: 'A7000001' }, 'there is no transaction A7000001'],
    ['return', { transactionId: 'A6000001' }, 'A6000001 is to be sent since 2026-06-15T09:0'],
    ['settle', { transactionId: 'A6000004' }, 'A6000004 is a card payment'],
    ['settle', { all: true, account: 'OTHER' }, 'no such account'],
    ['settle', { all: true, code: 5 }, 'Unrecognized key: "code"'],
    ['reject', { all: true, code: 0 }, 'must be a number from 1 to 999'],
    ['reject', {}, 'must be {"transactionId"'],
    ['reject', { transactionId: 'A6000001', all: true }, 'must be {"transactionId"'],
  ])('%s %j is refused: %s', async (action, body, reason) => {
    const { sandbox } = await withCharges();
    const card = { creditCardNum: '4222222222222220', creditCardExpiry: '12/30', mop: 'VISA', total: '5.00' };
    await callSandbox(sandbox, 'ProcessCreditCard', card);
    expect(await send(sandbox, `/sandbox/bank/${action}`, body)).toEqual({
      status: 400,
      body: { error: expect.stringContaining(reason) },
    });
    expect((await sandbox.bank.settle({ all: true })).length).toBe(3);
  });
});

describe('startSandboxClock', () => {
  it('shows the present moment unless it is told another', () => {
    const base = handClock('2026-06-15T10:00:00Z');
    expect(startSandboxClock(base).now()).toEqual(base.now());
  });

  it('starts where it is told, runs on from there, jumps and is set', () => {
    const base = handClock('2026-06-15T10:00:00Z');
    const clock = startSandboxClock(base, '2030-01-01T00:00:00Z');
    expect(clock.now().toISOString()).toBe('2030-01-01T00:00:00.000Z');
    base.advance(1500);
    expect(clock.now().toISOString()).toBe('2030-01-01T00:00:01.500Z');
    clock.advance(60_000);
    expect(clock.now().toISOString()).toBe('2030-01-01T00:01:01.500Z');
    clock.set(new Date('2020-01-01T00:00:00Z'));
    base.advance(1);
    expect(clock.now().toISOString()).toBe('2020-01-01T00:00:00.001Z');
  });

  it('refuses what is no moment and stays where it was', () => {
    const base = handClock('2026-06-15T10:00:00Z');
    expect(() => startSandboxClock(base, 'tomorrow')).toThrow(expect.objectContaining({ code: 'USAGE' }));
    const clock = startSandboxClock(base);
    expect(() => clock.set('10000-01-01T00:00:00Z')).toThrow('years 1000 to 9998');
    expect(() => clock.set('+010000-01-01T00:00:00Z')).toThrow('years 1000 to 9998');
    expect(() => clock.advance(1e15)).toThrow('years 1000 to 9998');
    expect(() => clock.advance(Number.POSITIVE_INFINITY)).toThrow('years 1000 to 9998');
    expect(() => clock.set('soon')).toThrow('Cannot set the clock of the sandbox to "soon"');
    expect(() => clock.advance(Number.NaN)).toThrow('Cannot move the clock of the sandbox by "NaN"');
    expect(clock.now()).toEqual(base.now());
  });

  it('tells of each move, when it has happened, and not of one that was refused', () => {
    const told: string[] = [];
    const clock = startSandboxClock(handClock('2026-06-15T10:00:00Z'), '2030-01-01T00:00:00Z', () =>
      told.push(clock.now().toISOString()),
    );
    clock.advance(1000);
    clock.set('2020-01-01T00:00:00Z');
    expect(() => clock.advance(Number.NaN)).toThrow('Cannot move');
    expect(told).toEqual(['2030-01-01T00:00:01.000Z', '2020-01-01T00:00:00.000Z']);
  });
});
