import { describe, expect, it } from 'vitest';
import { createGatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { noteCall, type NotedCall } from '../../../src/sandbox/calls/note-call.ts';
import { readScript, type ScriptedCall } from '../../../src/sandbox/calls/play-script.ts';
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts';
import { readGoldenCases, toGoldenAnswer, toParameters } from '../../wire/support/golden-cases.ts';
import { callSandbox, CUSTOMER_PATH, NOW, valueOf } from '../support/make-context.ts';
import { ACCOUNT, useSandboxes } from '../support/sandbox-world.ts';
import {
  bareRequest,
  fetchResult,
  type Fields,
  LOGIN,
  post,
  soapRequest,
  submitBatch,
  toBase64,
  PATH,
} from '../support/soap-request.ts';

const world = useSandboxes();
const CARD = '4222222222222220';
const CHARGE = { creditCardNum: CARD, creditCardExpiry: '12/49', cvv2: '987', total: '5.00', invoiceNum: '7' };
const ROWS = `1001,Ada,Byron,CHECKING,${ACCOUNT},5.00,Gift\nlost,${ACCOUNT},123456`;
const CARD_IN_PATH = `/NetGate/${CARD}.asmx`;
const SECRETS = [CARD, ACCOUNT, '987', '123456<', '123456\\n', '1234567'];

/** Makes calls of every kind, with numbers where they belong and where they do not. */
async function makeCalls(sandbox: Sandbox, total = '5.00'): Promise<void> {
  await callSandbox(sandbox, 'ProcessCreditCard', { ...CHARGE, total });
  const card = { ...CHARGE, comment: `card ${CARD}`, cardNumber: CARD, title: '1234567890123' };
  await callSandbox(sandbox, 'ProcessCreditCard', card, { style: 'soap 1.1' });
  const record = { accountNum: '1234567', firstName: 'Ada', comment: 'account 1234567', customerCode: 'C1' };
  await callSandbox(sandbox, 'CreateACHEFTCustomerCode', record, { path: CUSTOMER_PATH });
  await callSandbox(sandbox, 'GetCustomerCodeDetail', { customerCode: 'C1' }, { path: CUSTOMER_PATH });
  const batchId = await submitBatch(sandbox.url, 'ProcessACHEFTChargeBatch', ROWS);
  await fetchResult(sandbox.url, batchId);
}

async function record(): Promise<{ calls: NotedCall[]; text: string }> {
  const calls: NotedCall[] = [];
  const sandbox = await world.start({ now: NOW, batchDelayMs: 0, onCall: (call) => calls.push(call) });
  await makeCalls(sandbox);
  expect(sandbox.calls()).toHaveLength(calls.length);
  return { calls, text: calls.map((call) => `${JSON.stringify(call)}\n`).join('') };
}

describe('a recorded call', () => {
  it('holds no number, password or security code, and what matters of each', async () => {
    const { calls, text } = await record();
    for (const secret of SECRETS) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/"password"|\d{13}/);
    expect(calls.map(({ operation }) => operation)).toEqual([
      'processCreditCard',
      'processCreditCard',
      'createACHEFTCustomerCode',
      'getCustomerCodeDetail',
      'processACHEFTChargeBatch',
      'getBatchProcessResultFile',
    ]);
    expect(calls[1]?.parameters).toMatchObject({
      agentCode: 'TEST88',
      creditCardNum: '4***********2220',
      cvv2: '***',
      comment: 'card ************2220',
      cardNumber: '****************',
      total: '5.00',
    });
    expect(calls[2]?.parameters).toMatchObject({ accountNum: '*****67', comment: 'account *****67' });
    expect(valueOf(calls[3]?.response ?? '', 'CM')).toBe('account *****67');
    expect(calls[4]?.parameters['batchFileText']).toMatch(
      /^1001,Ada,Byron,CHECKING,0\*{21}0001,5\.00,Gift\nlost,0\*{21}/,
    );
    const result = Buffer.from(valueOf(calls[5]?.response ?? '', 'BATCHPROCESSRESULTFILE'), 'base64').toString();
    expect(result).toMatch(/^1001,.*,Received\r\nlost,0\*{21}0001,\*{4}56,Wrong Format\r\n$/);
  });

  it('is cut to a few kilobytes where it is only shown, and never within a number', () => {
    const rows = Array.from({ length: 500 }, () => ACCOUNT).join('\n');
    const { headers, body } = soapRequest('ProcessACHEFTChargeBatch', { ...LOGIN, batchFile: toBase64(rows) });
    const call = { method: 'POST', path: PATH, query: new URLSearchParams(), body: Buffer.from(body) };
    const seen = {
      at: new Date(NOW),
      reply: { status: 200, contentType: 'text/xml', body: `<a>${ACCOUNT.repeat(900)}` },
    };
    const request = { ...call, headers: { 'content-type': headers['Content-Type'] } };
    for (let most = 40; most < 120; most += 1) {
      const noted = noteCall(request, seen, most);
      expect(JSON.stringify(noted)).not.toMatch(/\d{5}(?!-)/);
      expect(JSON.stringify(noted).length).toBeLessThan(600);
    }
  });

  it('says what its head said when a fault struck before its body was read', async () => {
    const calls: NotedCall[] = [];
    const sandbox = await world.start({ now: NOW, onCall: (call) => calls.push(call) });
    for (const kind of ['early-answer', 'reset-after-headers', 'reset-mid-body'] as const)
      sandbox.faults.plan({ kind });
    await callSandbox(sandbox, 'ProcessCreditCard', CHARGE);
    await expect(callSandbox(sandbox, 'ProcessCreditCard', CHARGE, { style: 'soap 1.1' })).rejects.toThrow();
    await expect(callSandbox(sandbox, 'ProcessCreditCard', CHARGE, { path: CARD_IN_PATH })).rejects.toThrow();
    const head = {
      at: expect.stringMatching(/^2017-06-15/),
      operation: 'processCreditCard',
      parameters: {},
      path: PATH,
    };
    expect(calls).toEqual([
      { ...head, fault: 'early-answer' },
      { ...head, fault: 'reset-after-headers' },
      { ...head, fault: 'reset-mid-body', path: '/NetGate/************2220.asmx' },
    ]);
    expect(sandbox.calls()).toEqual(calls);
  });

  it('stays among the last 200', async () => {
    const sandbox = await world.start();
    for (let call = 1; call <= 205; call += 1) await post(sandbox.url + PATH, soapRequest(`Nonsense${call}`, LOGIN));
    const calls = sandbox.calls();
    expect([calls.length, calls[0]?.operation, calls.at(-1)?.operation]).toEqual([200, 'Nonsense6', 'Nonsense205']);
  });
});

describe('a script', () => {
  it('answers the calls it was recorded from as they were answered', async () => {
    const { calls, text } = await record();
    const answers: NotedCall[] = [];
    const sandbox = await world.start({ script: readScript(text), onCall: (call) => answers.push(call) });
    await makeCalls(sandbox);
    expect(sandbox.complaints()).toEqual([]);
    expect(answers.map(({ response }) => response)).toEqual(calls.map(({ response }) => response));
    expect(sandbox.books()).toEqual([]);
  });

  it('says what is other than it says, what is too much and what is missing', async () => {
    const script: ScriptedCall[] = [
      { operation: 'processCreditCard', parameters: { ...CHARGE, agentCode: 'TEST88' }, response: '<a/>' },
      { operation: 'processCreditCard', parameters: { ...CHARGE, '*': '*' }, response: '<b/>' },
      { operation: 'processACHEFT', parameters: {} },
      { operation: 'getCustomerCodeDetail', parameters: { customerCode: '*' } },
    ];
    const sandbox = await world.start({ script });
    const call = async (element: string, fields: Fields, path = PATH) =>
      (await post(sandbox.url + path, bareRequest(element, { ...LOGIN, ...fields }))).text;
    expect(await call('ProcessCreditCard', CHARGE)).toBe('<a/>');
    const wrong = { ...CHARGE, total: '6.00', creditCardNum: '4111111111111111' };
    const refused = await call('ProcessCreditCard', wrong);
    const first =
      'Call 2 must be processCreditCard with creditCardNum "4***********2220" instead of "4***********1111", ' +
      'total "5.00" instead of "6.00".';
    expect(valueOf(refused, 'soap:Text')).toBe('');
    expect(refused).toContain(`>${first}<`);
    await call('ProcessCreditCard', CHARGE);
    expect(sandbox.complaints()).toEqual([
      first,
      'Call 3 must be processACHEFT, and processCreditCard came.',
      'Call 3, processACHEFT, did not come.',
      'Call 4, getCustomerCodeDetail, did not come.',
    ]);
    await call('ProcessACHEFT', { total: '1.00' });
    await call('GetCustomerCodeDetail', { customerCode: 'C1' }, CUSTOMER_PATH);
    await call('GetCustomerCodeDetail', { customerCode: 'C1' }, CUSTOMER_PATH);
    expect(sandbox.complaints().slice(2)).toEqual([
      'Call 3 must be processACHEFT with no agentCode, which is "TEST88", no total, which is "1.00".',
      'Call 4 must be getCustomerCodeDetail with no agentCode, which is "TEST88".',
      'The script has ended, and getCustomerCodeDetail came.',
    ]);
  });

  it('lets the sandbox answer where it has no response, strikes with its faults, and knows spellings', async () => {
    const range = { fromDate: '2017-06-15T00:00:00Z', toDate: '2017-06-16T02:00:00+02:00', '*': '*' };
    const script: ScriptedCall[] = [
      { operation: 'processCreditCard', parameters: { total: 5, '*': '*' } },
      { operation: 'processCreditCard', parameters: { '*': '*' }, fault: 'http-503' },
      { operation: 'getCustomerListByCreationTimeXML', parameters: range },
    ];
    const sandbox = await world.start({ script, now: NOW });
    expect(await callSandbox(sandbox, 'ProcessCreditCard', CHARGE)).toContain(' OK: 678594:');
    expect(await callSandbox(sandbox, 'ProcessCreditCard', CHARGE)).toContain('Service Unavailable');
    const asked = { fromDate: '2017-06-15T00:00:00.000Z', toDate: '2017-06-16T00:00:00Z' };
    await callSandbox(sandbox, 'GetCustomerListByCreationTimeXML', asked, { path: CUSTOMER_PATH });
    expect(sandbox.complaints()).toEqual([]);
    expect(sandbox.books()).toHaveLength(1);
  });

  it('strikes by the head of a call where it was struck so, and at no other call', async () => {
    const script: ScriptedCall[] = [
      { operation: 'processACHEFT', parameters: { '*': '*' } },
      { operation: 'processCreditCard', parameters: {}, fault: 'early-answer', path: PATH },
      { operation: 'processCreditCard', parameters: { '*': '*' } },
    ];
    const sandbox = await world.start({ script, now: NOW });
    const pay = () => callSandbox(sandbox, 'ProcessCreditCard', CHARGE);
    await callSandbox(sandbox, 'ProcessACHEFT', { accountNum: ACCOUNT, accountType: 'CHECKING', total: '5.00' });
    expect(await pay()).toContain('Service Unavailable');
    expect(await pay()).toContain(' OK: 678594:');
    expect(sandbox.complaints()).toEqual([]);
    expect(sandbox.books()).toHaveLength(2);
    const other = await world.start({ script: script.slice(1), now: NOW });
    await callSandbox(other, 'ProcessACHEFT', { accountNum: ACCOUNT, accountType: 'CHECKING', total: '5.00' });
    expect(other.complaints()[0]).toBe('Call 1 must be processCreditCard, and processACHEFT came.');
  });

  it('plays the golden files of test/wire, whose parameters and responses have its form', async () => {
    const golden = readGoldenCases().filter(({ response, setting }) => response !== undefined && !setting.options);
    const usual = golden.filter(({ setting }) => (setting.server ?? 'NA') === 'NA' && !setting.currency);
    expect(usual.length).toBeGreaterThan(100);
    const script = usual.map(({ operation, parameters, response }) => {
      return { operation, parameters: { ...parameters, '*': '*' }, response };
    });
    const sandbox = await world.start({ script });
    const login = {
      server: 'NA',
      agentCode: 'TEST88',
      password: 'TEST88',
      currency: 'USD',
      baseUrl: sandbox.url,
    } as const;
    const client = createGatewayClient(login, { clock: handClock('2026-06-15T10:00:00Z'), wait: async () => {} });
    for (const { operation, name, parameters, answer } of usual) {
      const method: (parameters: never) => Promise<{ kind: string; result?: object }> = client[operation];
      expect(toGoldenAnswer(await method(toParameters(parameters) as never)), `${operation}/${name}`).toEqual(answer);
    }
    expect(sandbox.complaints()).toEqual([]);
  });

  it.each([
    ['{"operation": 1, "parameters": {}}', 'call 1 operation must be an operation'],
    ['{"operation": "a", "parameters": {}}\n{', 'line 2 is not JSON'],
    ['[{"operation": "a"}]', 'call 1 parameters must be an object'],
    ['{"operation": "a", "parameters": {}, "answer": ""}', 'call 1'],
    ['{"operation": "a", "parameters": {}, "fault": "none"}', 'call 1 has an unknown fault'],
    ['7', 'call 1 must be an object with operation and parameters'],
  ])('is refused when it reads %s', (text, reason) => {
    expect(() => readScript(text)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(reason) }),
    );
  });
});
