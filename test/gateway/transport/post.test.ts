import type { Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openConnection, safeCode } from '../../../src/gateway/transport/open-connection.ts';
import { createAnswerBuffer, post } from '../../../src/gateway/transport/post.ts';
import { httpAnswer, passTime, stopTime, waitUntil } from '../support/scripted-server.ts';
import { closeServers, script } from '../support/submit.ts';
import { readSettings } from '../../../src/gateway/create-gateway.ts';
import { askTime, readDate } from '../../../src/gateway/transport/ask-time.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { settingsFor } from '../support/call.ts';

const LIMIT_BYTES = 3 * 1024 * 1024;

afterEach(closeServers);

describe('post', () => {
  it('hands back a whole answer of any status and closes the connection', async () => {
    const server = await script({ onRequest: (socket) => socket.write(httpAnswer(307, 'moved', { Location: '/x' })) });
    const { outcome, isClosed } = await postTo(server.url);
    expect(outcome).toMatchObject({ kind: 'answered', httpStatus: 307, body: Buffer.from('moved') });
    expect(isClosed).toBe(true);
    expect(server.requests).toHaveLength(1);
  });

  it('counts what was written and read', async () => {
    const answer = httpAnswer(200, 'abc');
    const server = await script({ onRequest: (socket) => socket.write(answer) });
    const { outcome } = await postTo(server.url);
    expect(outcome).toMatchObject({ bytesWritten: server.requests[0]?.length, bytesRead: answer.length });
  });

  it('keeps what came when the answer breaks off', async () => {
    const server = await script({
      onRequest: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc'),
    });
    const { outcome } = await postTo(server.url);
    expect(outcome).toMatchObject({ kind: 'broken', httpStatus: 200, body: Buffer.from('abc') });
  });

  it('takes an answer of exactly the limit and none that is larger', async () => {
    const server = await script({
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
    const server = await script({
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
    const server = await script({});
    const { outcome } = await postTo(server.url, 'x', 20_000, { 'Content-Type': 'a\nb' });
    expect(outcome).toMatchObject({ kind: 'broken', why: expect.stringContaining('could not be written') });
    expect(server.requests).toHaveLength(0);
  });
});

async function postTo(
  url: string,
  body = 'x',
  answerTimeoutMs = 20_000,
  headers: Record<string, string> = {},
  onOpen: (socket: Socket) => void = () => {},
) {
  const address = new URL(url);
  const opened = await openConnection(address, 20_000, {});
  if (opened.kind !== 'open') throw new Error(opened.why);
  onOpen(opened.connection.socket);
  const limits = { answerTimeoutMs, largestAnswerBytes: LIMIT_BYTES };
  const outcome = await post(opened.connection, { address, headers, body: Buffer.from(body) }, limits);
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

/** No test waits this long; a busy machine is not taken for a silent service. */
const TIMEOUT_MS = 20_000;

describe('openConnection', () => {
  it('is open with nothing written and no fault', async () => {
    const server = await script({});
    const connection = await open(server.url);
    expect(connection.socket.bytesWritten).toBe(0);
    expect(await connection.findFaultBeforeWriting()).toBeUndefined();
    connection.close();
    expect(await connection.findFaultBeforeWriting()).toMatch(/closed/);
  });

  it('finds a close that has arrived but was not yet looked at', async () => {
    const server = await script({});
    const connection = await open(server.url);
    await expect.poll(() => server.connections.length).toBe(1);
    const [end] = server.connections;
    end?.end();
    if (end) await once(end, 'finish');
    expect(await connection.findFaultBeforeWriting()).toMatch(/closed/);
  });

  it('bears an error that comes when nobody listens any more', async () => {
    const server = await script({});
    const connection = await open(server.url);
    connection.socket.destroy(new Error('late'));
    await new Promise((resolve) => connection.socket.on('close', resolve));
    expect(await connection.findFaultBeforeWriting()).toMatch(/closed/);
  });

  it('is not open, and does not throw, when it cannot even be started', async () => {
    const network = { certificateAuthority: 'no certificate' };
    const lookup = () => {
      throw new Error('secret');
    };
    for (const parts of [network, { lookup }]) {
      const opened = await openConnection(new URL('https://gateway.invalid'), TIMEOUT_MS, parts);
      expect(opened).toEqual({ kind: 'not_open', why: expect.stringMatching(/^the connection could not be/) });
    }
  });

  it('is not open when nobody listens, with the code of the system', async () => {
    const gone = await script({});
    await closeServers();
    expect(await openConnection(new URL(gone.url), TIMEOUT_MS, {})).toEqual({
      kind: 'not_open',
      why: 'the connection could not be made (ECONNREFUSED)',
    });
  });
});

async function open(url: string) {
  const opened = await openConnection(new URL(url), TIMEOUT_MS, {});
  if (opened.kind !== 'open') throw new Error(opened.why);
  return opened.connection;
}

describe('safeCode', () => {
  it('gives the code of a network error and nothing else of it', () => {
    const error = Object.assign(new Error('secret'), { code: 'ECONNRESET', rawPacket: Buffer.from('secret') });
    expect(safeCode(error)).toBe(' (ECONNRESET)');
  });

  it.each([
    ['no code', new Error('secret')],
    ['a code that is no code', Object.assign(new Error('x'), { code: 'secret text' })],
    ['a code far too long', Object.assign(new Error('x'), { code: 'A'.repeat(80) })],
    ['no error at all', false],
  ])('gives nothing for %s', (_what, error) => {
    expect(safeCode(error)).toBe('');
  });
});

const parts = (url: string, limits = {}) => readSettings(settingsFor(url, limits), {});

describe('askTime', () => {
  it('is told by the sandbox in its own time, and sends no login', async () => {
    const sandbox = await startSandbox({ now: '2031-02-03T04:05:06Z' });
    const at = await askTime(parts(sandbox.url));
    expect(at?.toISOString()).toMatch(/^2031-02-03T04:05:0\d\.000Z$/);
    await sandbox.close();

    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(200, '')) });
    expect(await askTime(parts(server.url))).toBeUndefined();
    expect(server.requests).toHaveLength(1);
    expect(JSON.stringify(server.requests)).not.toMatch(/password|agentCode/i);
  });

  it('is the time of any answer, an error as well', async () => {
    const date = 'Mon, 15 Jun 2026 10:00:00 GMT';
    const server = await script({ onRequest: (socket) => socket.end(httpAnswer(503, 'down', { Date: date })) });
    expect(await askTime(parts(server.url))).toEqual(new Date('2026-06-15T10:00:00Z'));
  });

  it.each<[string, Parameters<typeof script>[0]]>([
    ['says nothing', { onRequest: () => {} }],
    ['closes', { onRequest: (socket) => void socket.end() }],
    ['speaks no HTTP', { onRequest: (socket) => void socket.end('220 mail\r\n') }],
  ])('is not known when the service %s', async (_what, how) => {
    const server = await script(how);
    expect(await askTime(parts(server.url, { connectTimeoutMs: 200 }))).toBeUndefined();
  });

  it('is waited for no longer than a transaction may be idle, however long a connection may take', async () => {
    const limited = vi.spyOn(AbortSignal, 'timeout');
    const server = await script({ onRequest: (socket) => void socket.end() });
    await askTime(parts(server.url, { connectTimeoutMs: 600_000 }));
    expect(limited.mock.calls).toEqual([[10_000]]);
    limited.mockRestore();
  });

  it('is not known when the service cannot be reached', async () => {
    const server = await script({ onRequest: () => {} });
    await server.close();
    expect(await askTime(parts(server.url))).toBeUndefined();
  });
});

describe('readDate', () => {
  it('reads the header, and nothing from one that is no date', () => {
    expect(readDate('Mon, 15 Jun 2026 10:00:00 GMT')).toEqual(new Date('2026-06-15T10:00:00Z'));
    expect([readDate('soon'), readDate(undefined)]).toEqual([undefined, undefined]);
  });
});
