import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { ResultAnswer } from '../../src/gateway/answers.ts';
import { createGateway, type GatewaySettings } from '../../src/gateway/create-gateway.ts';
import { CANARIES, SECRETS, settingsFor } from './support/call.ts';
import { httpAnswer, type ScriptedServer } from './support/scripted-server.ts';
import { answerOf, batchResult, DONE, success, WAIT } from './support/soap-answers.ts';
import { closeServers, script } from './support/submit.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';

let server: ScriptedServer;

afterEach(closeServers);

describe('fetchBatchResult', () => {
  it('asks with the id as it is, once, and decodes the file once', async () => {
    const file = Buffer.from('1001,A10000001,5.00,Gift,Received\r\n');
    const payload = batchResult(
      DONE,
      `<BATCHID>10&lt;01</BATCHID><BATCHPROCESSRESULTFILE>${file.toString('base64')}</BATCHPROCESSRESULTFILE>`,
    );
    const answer = await fetchFrom(httpAnswer(200, answerOf('GetBatchProcessResultFile', success(payload))), '10<01');
    expect(answer).toEqual({ kind: 'done', file, text: DONE });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toContain('<batchId>10&lt;01</batchId></GetBatchProcessResultFile>');
  });

  it('says running while the batch runs', async () => {
    const payload = batchResult(WAIT, '<BATCHID>1001</BATCHID>');
    const answer = await fetchFrom(httpAnswer(200, answerOf('GetBatchProcessResultFile', success(payload))), '1001');
    expect(answer).toEqual({ kind: 'running', text: WAIT });
  });

  it.each([
    ['an HTTP error', httpAnswer(503, 'Service Unavailable')],
    ['a redirect', httpAnswer(302, '', { Location: 'http://127.0.0.1:9/' })],
    ['half an answer', Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n<soap')],
    ['the answer to a submit', httpAnswer(200, answerOf('ProcessACHEFTChargeBatch', success(batchResult(WAIT))))],
  ])('fails on %s after one request', async (_what, answer) => {
    expect((await fetchFrom(answer, '1001')).kind).toBe('failed');
    expect(server.requests).toHaveLength(1);
  });

  it('fails when the service cannot be reached or does not answer in time', async () => {
    const silent = await script({});
    const slow = createGateway(settingsFor(silent.url, { answerTimeoutMs: 40 }));
    expect(await slow.fetchBatchResult({ batchId: '1' })).toEqual({
      kind: 'failed',
      why: 'no complete answer within 40 ms',
    });
    await closeServers();
    expect(await createGateway(settingsFor(silent.url)).fetchBatchResult({ batchId: '1' })).toEqual({
      kind: 'failed',
      why: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('keeps the login out of a text that is not listed', async () => {
    const text = `Error: login ${CANARIES.agentCode} has no batch`;
    const answer = await fetchFrom(
      httpAnswer(200, answerOf('GetBatchProcessResultFile', success(batchResult(text)))),
      '1001',
    );
    expect(answer).toEqual({ kind: 'not_known', text: 'Error: login [removed] has no batch' });
    for (const secret of SECRETS) expect(inspect(answer)).not.toContain(secret);
  });
});

async function fetchFrom(answer: Buffer, batchId: string): Promise<ResultAnswer> {
  server = await script({ onRequest: (socket) => socket.end(answer) });
  return createGateway(settingsFor(server.url)).fetchBatchResult({ batchId });
}

const BODY = Buffer.from('1001,Ada,Byron,CHECKING,02100002100000000000000001,5.00,Gift\n1002,Ada');

let sandbox: Sandbox | undefined;

afterEach(async () => {
  await sandbox?.close();
  sandbox = undefined;
});

describe('the gateway with the sandbox', () => {
  it('submits a batch, sees it running and fetches its result', async () => {
    sandbox = await startSandbox({ batchDelayMs: 60_000 });
    const gateway = createGateway(settings());
    const answer = await submitTo(gateway);
    expect(answer).toEqual({
      kind: 'submitted',
      serviceAt: expect.any(Date),
      batchId: expect.stringMatching(/./),
      text: WAIT,
    });
    const batchId = answer.kind === 'submitted' ? answer.batchId : '';
    expect(await gateway.fetchBatchResult({ batchId })).toEqual({ kind: 'running', text: WAIT });
    sandbox.clock.advance(60_000);
    const result = await gateway.fetchBatchResult({ batchId });
    expect(result).toMatchObject({ kind: 'done', text: DONE });
    const rows = result.kind === 'done' ? result.file.toString().trim().split('\r\n') : [];
    expect(rows).toEqual([
      expect.stringMatching(/^1001,Ada,Byron,CHECKING,.*0001,5\.00,Gift,Received/),
      expect.stringMatching(/^1002,Ada,Wrong Format/),
    ]);
  });

  it('is refused with a wrong password', async () => {
    sandbox = await startSandbox();
    const answer = await submitTo(createGateway(settings({ password: 'wrong' })));
    expect(answer).toEqual({ kind: 'refused', serviceAt: expect.any(Date), text: 'REJECT: 1', code: 1 });
  });

  it('does not know a batch that was never submitted', async () => {
    sandbox = await startSandbox();
    const answer = await createGateway(settings()).fetchBatchResult({ batchId: '424242' });
    expect(answer).toEqual({ kind: 'not_known', text: 'Error : Invalid Batch ID.' });
  });
});

function settings(more: Partial<GatewaySettings> = {}): GatewaySettings {
  return { server: 'NA', agentCode: 'TEST88', password: 'TEST88', baseUrl: sandbox?.url ?? '', ...more };
}

function submitTo(gateway: ReturnType<typeof createGateway>) {
  return gateway.submitBatch({
    operation: 'processACHEFTChargeBatch',
    body: BODY,
    beforeFirstByte: async () => true,
  });
}
