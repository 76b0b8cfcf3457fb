import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { playSteps, type Step } from '../../../src/sandbox/faults/play-steps.ts';
import { openSocket, watchEnd } from './support/raw-client.ts';
import { httpBytes } from '../../../src/sandbox/faults/acts/cut-answers.ts';

describe('playSteps', () => {
  it('writes, waits, drips and finishes', async () => {
    const { end } = await play([
      { do: 'write', bytes: 'a' },
      { do: 'wait', ms: 1 },
      { do: 'drip', bytes: Buffer.from('bcd'), everyMs: 1 },
      { do: 'finish' },
    ]);
    expect(await end).toEqual({ text: 'abcd', error: undefined });
  });

  it('resets', async () => {
    const { end } = await play([{ do: 'reset' }]);
    expect(await end).toEqual({ text: '', error: 'ECONNRESET' });
  });

  it('leaves the connection open when it hangs', async () => {
    const { played, client, end } = await play([{ do: 'write', bytes: 'a' }, { do: 'hang' }]);
    await once(client, 'data');
    await played;
    expect(client.destroyed).toBe(false);
    client.destroy();
    expect((await end).text).toBe('a');
  });

  it('writes no more than there is room for, however much there is to write', async () => {
    const megabyte: Step = { do: 'write', bytes: Buffer.alloc(1024 * 1024) };
    const { client, server, end } = await play([...Array.from({ length: 40 }, () => megabyte), { do: 'finish' }], true);
    await once(client, 'readable');
    expect(server.writableLength).toBeLessThanOrEqual(1024 * 1024);
    client.resume();
    expect((await end).text).toHaveLength(40 * 1024 * 1024);
  });

  it.each<[string, Step]>([
    ['in a wait', { do: 'wait', ms: 60_000 }],
    ['in a drip', { do: 'drip', bytes: Buffer.alloc(100), everyMs: 60_000 }],
    ['in a write', { do: 'write', bytes: Buffer.alloc(64 * 1024 * 1024) }],
  ])('ends when the other side leaves %s', async (_where, step) => {
    const { played, client } = await play([step, { do: 'finish' }], true);
    client.resetAndDestroy();
    await expect(played).resolves.toBeUndefined();
  });
});

async function play(steps: readonly Step[], isPaused = false) {
  const listener = createServer();
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const accepted = once(listener, 'connection');
  const client = await openSocket((listener.address() as AddressInfo).port);
  const [server] = (await accepted) as [Socket];
  listener.close();
  const end = watchEnd(client);
  if (isPaused) client.pause();
  return { client, server, end, played: playSteps(server, steps) };
}

const REPLY = { status: 200, contentType: 'text/xml', body: 'é', headers: { 'X-Own': '1' } };

describe('httpBytes', () => {
  it('writes the answer as it would be sent, and closes after it', () => {
    const { head, body, whole } = httpBytes(REPLY);
    expect(head.toString().split('\r\n')).toEqual([
      'HTTP/1.1 200 OK',
      'Cache-Control: private, max-age=0',
      'Content-Type: text/xml',
      'X-AspNet-Version: 4.0.30319',
      'X-Powered-By: ASP.NET',
      'X-Own: 1',
      'Content-Length: 2',
      'Connection: close',
      '',
      '',
    ]);
    expect(body.toString()).toBe('é');
    expect(whole).toEqual(Buffer.concat([head, body]));
  });

  it('changes headers and leaves them out', () => {
    const head = httpBytes(REPLY, { 'Content-Length': '9', 'X-Own': undefined }).head.toString();
    expect(head).toContain('Content-Length: 9\r\n');
    expect(head).not.toContain('X-Own');
  });
});
