import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../../src/gateway/transport/open-connection.ts';
import { createAnswerBuffer, post } from '../../../src/gateway/transport/post.ts';
import { passTime, stopTime, waitUntil } from '../support/pass-time.ts';
import { httpAnswer, type ScriptedServer, startScripted } from '../support/scripted-server.ts';

const LIMIT_BYTES = 3 * 1024 * 1024;

let server: ScriptedServer;

afterEach(() => server.close());

describe('post', () => {
  it('hands back a whole answer of any status and closes the connection', async () => {
    server = await startScripted({ onRequest: (socket) => socket.write(httpAnswer(307, 'moved', { Location: '/x' })) });
    const { outcome, isClosed } = await postTo(server.url);
    expect(outcome).toMatchObject({ kind: 'answered', httpStatus: 307, body: Buffer.from('moved') });
    expect(isClosed).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  it('counts what was written and read', async () => {
    const answer = httpAnswer(200, 'abc');
    server = await startScripted({ onRequest: (socket) => socket.write(answer) });
    const { outcome } = await postTo(server.url);
    expect(outcome).toMatchObject({ bytesWritten: server.requests[0]?.length, bytesRead: answer.length });
  });

  it('keeps what came when the answer breaks off', async () => {
    server = await startScripted({
      onRequest: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    });
    const { outcome } = await postTo(server.url);
    expect(outcome).toMatchObject({ kind: 'broken', httpStatus: 200, body: Buffer.from('abc') });
  });

  it('takes an answer of exactly the limit and none that is larger', async () => {
    server = await startScripted({
      onRequest: (socket, request) => {
        const extra = request.includes('more') ? 1 : 0;
        socket.end(httpAnswer(200, Buffer.alloc(LIMIT_BYTES + extra)));
      },
    });
    expect((await postTo(server.url, 'less')).outcome.kind).toBe('answered');
    expect((await postTo(server.url, 'more')).outcome).toMatchObject({
      kind: 'broken',
      why: `the answer is larger than ${LIMIT_BYTES} bytes`,
    });
  });

  it('breaks off after the time-out even while bytes come', async () => {
    server = await startScripted({
      onRequest: (socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        const drip = setInterval(() => socket.write('x'), 2);
        socket.on('close', () => clearInterval(drip));
      },
    });
    stopTime();
    let socket: Socket | undefined;
    const posted = postTo(server.url, 'x', 40, {}, (opened) => (socket = opened));
    await waitUntil(() => (socket?.bytesRead ?? 0) > 0);
    await passTime(40);
    const { outcome } = await posted;
    expect(outcome).toMatchObject({ kind: 'broken', why: 'no complete answer within 40 ms', httpStatus: 200 });
  });

  it('is broken, not thrown, when the request cannot be written', async () => {
    server = await startScripted({});
    const { outcome } = await postTo(server.url, 'x', 20_000, { 'Content-Type': 'a\nb' });
    expect(outcome).toMatchObject({ kind: 'broken', why: expect.stringContaining('could not be written') });
    expect(server.requests).toHaveLength(0);
  });
});

async function postTo(
  url: string,
  body = 'x',
  timeoutMs = 20_000,
  headers: Record<string, string> = {},
  onOpen: (socket: Socket) => void = () => {},
) {
  const address = new URL(url);
  const opened = await openConnection(address, 20_000, {});
  if (opened.kind !== 'open') throw new Error(opened.why);
  onOpen(opened.connection.socket);
  const limits = { timeoutMs, largestAnswerBytes: LIMIT_BYTES };
  const outcome = await post(opened.connection, { address, headers, body: Buffer.from(body), ...limits });
  return { outcome, isClosed: opened.connection.socket.destroyed };
}

describe('createAnswerBuffer', () => {
  it.each([0, 1, 16_383, 16_384, 16_385, 100_000])('gives back %i bytes as they came', (size) => {
    const sent = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    const buffer = createAnswerBuffer(100_000);
    for (let at = 0; at < size; at += 7001) expect(buffer.add(sent.subarray(at, at + 7001))).toBe(true);
    expect(buffer.bytes().equals(sent)).toBe(true);
  });

  it('takes as much as the limit and nothing after what is more', () => {
    const buffer = createAnswerBuffer(4);
    expect(buffer.add(Buffer.from('abcd'))).toBe(true);
    expect(buffer.add(Buffer.from('e'))).toBe(false);
    const other = createAnswerBuffer(4);
    expect(['abc', 'de', 'f'].map((text) => other.add(Buffer.from(text)))).toEqual([true, false, false]);
    expect([buffer.bytes().toString(), other.bytes().toString()]).toEqual(['abcd', 'abc']);
  });

  it('keeps the begin of what is too large', () => {
    const buffer = createAnswerBuffer(200_000);
    buffer.add(Buffer.alloc(200_000, 'x'));
    expect(buffer.add(Buffer.from('y'))).toBe(false);
    expect(buffer.bytes().toString()).toBe('x'.repeat(64 * 1024));
  });

  it.each([0, 3, 10, 11, 1e9, -1, Number.NaN])('gives back what came, where %d bytes were announced', (announced) => {
    const buffer = createAnswerBuffer(10);
    buffer.expect(announced);
    expect(buffer.bytes()).toHaveLength(0);
    expect(['abcd', 'efgh'].map((text) => buffer.add(Buffer.from(text)))).toEqual([true, true]);
    expect(buffer.bytes().toString()).toBe('abcdefgh');
    expect(buffer.add(Buffer.from('ijk'))).toBe(false);
  });

  it('takes an answer of the announced length in one piece of memory', () => {
    const buffer = createAnswerBuffer(1_000_000);
    buffer.expect(500_000);
    for (let at = 0; at < 5; at += 1) buffer.add(Buffer.alloc(100_000, at));
    expect(buffer.bytes().buffer.byteLength).toBe(500_000);
  });

  it('keeps nothing of the chunks themselves', () => {
    const buffer = createAnswerBuffer(10);
    const chunk = Buffer.from('ab');
    buffer.add(chunk);
    chunk.fill('x');
    expect(buffer.bytes().toString()).toBe('ab');
  });
});
