import { once } from 'node:events';
import type { LookupFunction, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { SubmitAnswer } from '../../src/gateway/answers.ts';
import { BODY } from './support/call.ts';
import { makeCertificate } from '../../src/sandbox/tls/make-certificate.ts';
import { type ScriptedServer, startScripted } from './support/scripted-server.ts';
import { ACCEPTED, answerOf, WAIT } from './support/soap-answers.ts';
import { accepted, closeServers, script, startTrap, submit } from './support/submit.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const trap = openedForTests(startTrap);

beforeAll(async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
});

afterEach(closeServers);

afterAll(() => void vi.unstubAllEnvs());

describe('submitBatch: the happy path', () => {
  it('sends the batch once and answers with the id of the service', async () => {
    const server = await script({ onRequest: (socket) => socket.end(accepted()) });
    const about: unknown[] = [];
    const answer = await submit(server.url, { beforeFirstByte: async (facts) => about.push(facts) > 0 });
    expect(answer).toEqual({ kind: 'submitted', batchId: '1000001', text: WAIT });
    expect(server.requests).toHaveLength(1);
    const [head, body] = (server.requests[0] ?? '').split('\r\n\r\n');
    expect(about).toMatchObject([{ url: `${server.url}/NetGate/ProcessLinkv2.asmx`, requestBytes: body?.length }]);
    expect(head).toMatch(/^POST \/NetGate\/ProcessLinkv2\.asmx HTTP\/1\.1\r\n/);
    expect(head).toContain(
      'Content-Type: application/soap+xml; charset=utf-8; action="https://www.iatspayments.com/NetGate/ProcessACHEFTChargeBatch"',
    );
    for (const line of ['Connection: close', 'Accept-Encoding: identity', `Host: 127.0.0.1:${server.port}`]) {
      expect(head).toContain(line);
    }
    expect(body).toContain(`<batchFile>${BODY.toString('base64')}</batchFile>`);
  });

  it('takes an answer in chunks and one that ends with the connection', async () => {
    const xml = answerOf('ProcessACHEFTChargeBatch', ACCEPTED);
    const chunks = `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${xml.length.toString(16)}\r\n${xml}\r\n0\r\n\r\n`;
    for (const raw of [chunks, `HTTP/1.1 200 OK\r\n\r\n${xml}`]) {
      const server = await script({ onRequest: (socket) => socket.end(raw) });
      expect((await submit(server.url)).kind).toBe('submitted');
    }
  });

  it('opens a new connection for each call', async () => {
    const server = await script({ onRequest: (socket) => socket.write(accepted()) });
    await submit(server.url);
    await submit(server.url);
    expect(server.connections).toHaveLength(2);
    expect(server.requests).toHaveLength(2);
  });

  it('speaks TLS with a server that it can verify', async () => {
    const tls = await makeCertificate(new Date(), ['127.0.0.1']);
    const server = await script({ tls, onRequest: (socket) => socket.end(accepted()) });
    const answer = await submit(server.url, { network: { certificateAuthority: tls.ca } });
    expect(answer).toEqual({ kind: 'submitted', batchId: '1000001', text: WAIT });
  });
});

describe('submitBatch: before the first byte', () => {
  it('answers restricted without opening a connection', async () => {
    const server = await script({});
    const beforeFirstByte = vi.fn(async () => true);
    const answer = await submit(server.url, { settings: { server: 'UK' }, beforeFirstByte });
    expect(answer).toEqual({
      kind: 'restricted',
      message: 'Service cannot be used on this server. Judged: server UK.',
    });
    expect(server.connections).toHaveLength(0);
    expect(beforeFirstByte).not.toHaveBeenCalled();
  });

  it.each([
    ['resolves to false', async (_about: unknown) => false],
    ['rejects', async () => Promise.reject(new Error('disk full'))],
    [
      'throws',
      () => {
        throw new Error('disk full');
      },
    ],
  ])('withholds the batch when beforeFirstByte %s', async (_how, beforeFirstByte) => {
    const server = await script({});
    let bytes = 0;
    const answer = await submit(server.url, {
      beforeFirstByte: async (about) => {
        const socket = await firstConnection(server);
        socket.on('data', (chunk) => {
          bytes += chunk.length;
        });
        return beforeFirstByte(about);
      },
    });
    expect(answer).toEqual({ kind: 'withheld' });
    const socket = await firstConnection(server);
    if (!socket.closed) await once(socket, 'close');
    expect(bytes).toBe(0);
  });

  it('is connected, and has written nothing, while it asks', async () => {
    const server = await script({ onRequest: (socket) => socket.end(accepted()) });
    const seen: number[] = [];
    await submit(server.url, {
      beforeFirstByte: async () => {
        seen.push(server.requests.length);
        return true;
      },
    });
    expect(seen).toEqual([0]);
  });

  it.each<[string, (server: ScriptedServer) => Promise<void>, RegExp]>([
    ['the service closes', (server) => closing(server, (socket) => socket.end()), /closed the connection/],
    ['the service resets', (server) => closing(server, (socket) => socket.resetAndDestroy()), /closed the connection/],
    [
      'the other side speaks first',
      (server) => closing(server, (socket) => socket.write('220 hello\r\n')),
      /sent data before the request/,
    ],
  ])('is not_sent when %s during beforeFirstByte', async (_how, act, why) => {
    const server = await script({});
    const answer = await submit(server.url, {
      beforeFirstByte: async () => {
        await act(server);
        return true;
      },
    });
    expect(answer).toEqual({ kind: 'not_sent', why: expect.stringMatching(why) });
    expect(server.requests).toHaveLength(0);
  });

  it('is not_sent when the connection is refused', async () => {
    const server = await startScripted({});
    await server.close();
    await expectNotSent(submit(server.url), /ECONNREFUSED/);
  });

  it('is not_sent when the name does not resolve', async () => {
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), '', 4);
    await expectNotSent(submit('https://nowhere.invalid', { network: { lookup } }), /ENOTFOUND/);
  });

  it('is not_sent when the name is not resolved in time', async () => {
    const lookup: LookupFunction = () => {};
    const settings = { connectTimeoutMs: 30 };
    await expectNotSent(submit('https://slow.invalid', { network: { lookup }, settings }), /within 30 ms/);
  });

  it('is not_sent when the TLS handshake does not end in time', async () => {
    const server = await script({});
    const secure = server.url.replace('http:', 'https:');
    await expectNotSent(submit(secure, { settings: { connectTimeoutMs: 50 } }), /within 50 ms/);
  });

  it('is not_sent when the service speaks plain text where TLS is asked', async () => {
    const server = await script({ onConnect: (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n') });
    await expectNotSent(submit(server.url.replace('http:', 'https:')), /could not be made/);
  });

  it.each<[string, string[], 'TLSv1.1' | 'TLSv1.2', boolean, RegExp]>([
    ['a certificate signed by nobody we trust', ['127.0.0.1'], 'TLSv1.2', false, /SELF_SIGNED/],
    ['a certificate of another host', ['other.example'], 'TLSv1.2', true, /ALTNAME/],
    ['TLS 1.1', ['127.0.0.1'], 'TLSv1.1', true, /PROTOCOL/],
  ])('is not_sent over %s, whatever the environment says', async (_how, hosts, maxVersion, trust, why) => {
    const tls = { ...(await makeCertificate(new Date(), hosts)), maxVersion };
    const server = await script({ tls, onRequest: (socket) => socket.end(accepted()) });
    const beforeFirstByte = vi.fn(async () => true);
    const network = trust ? { certificateAuthority: tls.ca } : {};
    await expectNotSent(submit(server.url, { network, beforeFirstByte }), why);
    expect(server.requests).toHaveLength(0);
    expect(beforeFirstByte).not.toHaveBeenCalled();
  });

  it('throws before anything when the batch has no bytes', async () => {
    const server = await script({});
    await expect(submit(server.url, { body: Buffer.alloc(0) })).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(server.connections).toHaveLength(0);
  });
});

it('never contacted a proxy of the environment', () => {
  expect(trap.connections).toHaveLength(0);
});

/** Acts on the server's socket and waits until the effect is on its way to the client. */
async function closing(server: ScriptedServer, act: (socket: Socket) => unknown): Promise<void> {
  const socket = await firstConnection(server);
  act(socket);
  await (socket.writableEnded ? once(socket, 'finish') : new Promise((resolve) => setImmediate(resolve)));
}

async function firstConnection(server: ScriptedServer): Promise<Socket> {
  return vi.waitFor(
    () => {
      const [socket] = server.connections;
      if (!socket) throw new Error('no connection yet');
      return socket;
    },
    { interval: 1, timeout: 120_000 },
  );
}

async function expectNotSent(answer: Promise<SubmitAnswer>, why: RegExp): Promise<void> {
  expect(await answer).toEqual({ kind: 'not_sent', why: expect.stringMatching(why) });
}
