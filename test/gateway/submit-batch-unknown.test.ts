import type { Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { makeCertificate } from '../../src/sandbox/tls/make-certificate.ts';
import { httpAnswer, passTime, stopTime, waitUntil } from './support/scripted-server.ts';
import { ACCEPTED, answerOf, FAULT } from './support/soap-answers.ts';
import { accepted, closeServers, script, startTrap, submit } from './support/submit.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

/** Target of the proxy variables and of every redirect. */
const trap = openedForTests(startTrap);

afterEach(closeServers);

afterAll(() => void vi.unstubAllEnvs());

describe('submitBatch: after the first byte', () => {
  const xml = answerOf('ProcessACHEFTChargeBatch', ACCEPTED);
  const whole = accepted();
  const modes: [string, (socket: Socket) => void][] = [
    ['reset before any answer', (socket) => socket.resetAndDestroy()],
    ['closed before any answer', (socket) => socket.end()],
    ['closed within the status line', (socket) => socket.end('HTTP/1.1 20')],
    ['closed within the head', (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le')],
    ['half a body', (socket) => socket.end(whole.subarray(0, whole.length - 40))],
    ['a reset after half a body', (socket) => socket.write(whole.subarray(0, 400), () => socket.resetAndDestroy())],
    ['chunks cut', (socket) => socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n${xml}`)],
    ['a whole body with a longer length', (socket) => socket.end(httpAnswer(200, xml, { 'Content-Length': '9999' }))],
    ['half a body without a length', (socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${xml.slice(0, -20)}`)],
    ['no answer', () => {}],
    ['a slow drip', (socket) => drip(socket)],
    ['an empty 200', (socket) => socket.end(httpAnswer(200, ''))],
    ['a 200 of HTML', (socket) => socket.end(httpAnswer(200, '<html><body>Service Unavailable</body></html>'))],
    ['a 202', (socket) => socket.end(httpAnswer(202, xml))],
    ['an upgrade', (socket) => socket.end('HTTP/1.1 101 Switching\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')],
    ['not HTTP at all', (socket) => socket.end('220 mail ready\r\n')],
    ...[301, 302, 303, 307, 308].map((status): [string, (socket: Socket) => void] => [
      `a ${status}`,
      (socket) => socket.end(httpAnswer(status, '', { Location: `${trap.url}/NetGate/ProcessLinkv2.asmx` })),
    ]),
    ...[400, 401, 403, 404, 407, 408, 413, 429, 500, 502, 503, 504].map(
      (status): [string, (socket: Socket) => void] => [`a ${status}`, (socket) => socket.end(httpAnswer(status, xml))],
    ),
    ['a SOAP fault with 500', (socket) => socket.end(httpAnswer(500, FAULT))],
    ['a SOAP fault with 200', (socket) => socket.end(httpAnswer(200, FAULT))],
    [
      'a compressed answer',
      (socket) => socket.end(httpAnswer(200, Buffer.from('1f8b0800', 'hex'), { 'Content-Encoding': 'gzip' })),
    ],
    [
      'an answer to another operation',
      (socket) => socket.end(httpAnswer(200, answerOf('ProcessCreditCardBatch', ACCEPTED))),
    ],
  ];

  it.each(modes)('is unknown after %s, with exactly one POST', async (_mode, answerWith) => {
    const server = await script({ onRequest: answerWith });
    const answer = await submit(server.url, { settings: { answerTimeoutMs: 150 } });
    expect(answer.kind).toBe('unknown');
    // A client that gives up may be faster than the service.
    await expect.poll(() => server.requests).toHaveLength(1);
    expect(server.connections).toHaveLength(1);
    expect(trap.connections).toHaveLength(0);
  });

  it('tells the status, the bytes and the begin of the answer as evidence', async () => {
    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(503, '<h1>Service Unavailable</h1>')) });
    const answer = await submit(server.url);
    expect(answer).toEqual({
      kind: 'unknown',
      why: 'the service answered HTTP 503',
      evidence: {
        httpStatus: 503,
        bytesWritten: server.requests[0]?.length,
        bytesRead: expect.any(Number),
        answerText: '<h1>Service Unavailable</h1>',
      },
    });
  });

  it('counts the bytes of the request over TLS as well, not those of the handshake', async () => {
    const tls = await makeCertificate(new Date(), ['127.0.0.1']);
    const server = await script({ tls, onRequest: (socket) => socket.end(httpAnswer(500, 'x')) });
    const answer = await submit(server.url, { network: { certificateAuthority: tls.ca } });
    expect(answer).toMatchObject({ kind: 'unknown', evidence: { bytesWritten: server.requests[0]?.length } });
  });

  it('keeps the status when the answer stops in the middle, and the batch id that was seen', async () => {
    const server = await script({ onRequest: (socket) => socket.write(whole.subarray(0, whole.length - 40)) });
    stopTime();
    const submitted = submit(server.url, { settings: { answerTimeoutMs: 80 } });
    await waitUntil(() => server.requests.length === 1);
    await passTime(80);
    const answer = await submitted;
    expect(answer).toMatchObject({
      why: 'no complete answer within 80 ms',
      evidence: { httpStatus: 200, answerText: expect.stringMatching(/^BATCHID 1000001: /) },
    });
  });

  it('stops reading at the limit', async () => {
    const server = await script({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.end(Buffer.alloc(60 * 1024 * 1024, 'A'));
      },
    });
    const answer = await submit(server.url);
    expect(answer).toMatchObject({ kind: 'unknown', why: expect.stringContaining('larger than') });
    expect(server.requests).toHaveLength(1);
  });

  it('is unknown, and never an error, whatever bytes come back', async () => {
    let bytes: Uint8Array = new Uint8Array();
    const server = await script({ onRequest: (socket) => socket.end(bytes) });
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (random, isBody) => {
        bytes = isBody ? httpAnswer(200, Buffer.from(random)) : random;
        const before = server.requests.length;
        expect((await submit(server.url)).kind).toBe('unknown');
        expect(server.requests.length - before).toBe(1);
      }),
      { numRuns: 60 },
    );
  });
});

function drip(socket: Socket): void {
  socket.write('HTTP/1.1 200 OK\r\n\r\n');
  const timer = setInterval(() => socket.write(' '), 5);
  socket.on('close', () => clearInterval(timer));
}
