import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { ResultAnswer } from '../../src/gateway/answers.ts';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { CANARIES, SECRETS, settingsFor } from './support/cases.ts';
import { httpAnswer, type ScriptedServer, startScripted } from './support/scripted-server.ts';
import { answerOf, batchResult, DONE, success, WAIT } from './support/soap-answers.ts';

let server: ScriptedServer;

afterEach(() => server.close());

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
    server = await startScripted({});
    const slow = createGateway(settingsFor(server.url, { answerTimeoutMs: 40 }));
    expect(await slow.fetchBatchResult({ batchId: '1' })).toEqual({
      kind: 'failed',
      why: 'no complete answer within 40 ms',
    });
    const { url } = server;
    await server.close();
    expect(await createGateway(settingsFor(url)).fetchBatchResult({ batchId: '1' })).toEqual({
      kind: 'failed',
      why: expect.stringContaining('ECONNREFUSED'),
    });
    server = await startScripted({});
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
  server = await startScripted({ onRequest: (socket) => socket.end(answer) });
  return createGateway(settingsFor(server.url)).fetchBatchResult({ batchId });
}
