import { type AddressInfo, connect, createServer as createPlainServer, type Server } from 'node:net';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.ts';
import { systemCode } from '../../src/kernel/errors.ts';
import { type Listener, openListener } from '../../src/sandbox/open-listener.ts';

const opened: Listener[] = [];

afterEach(async () => {
  for (const listener of opened.splice(0)) await listener.close();
});

describe('openListener', () => {
  it.each([
    ['127.0.0.1', /^http:\/\/127\.0\.0\.1:\d+$/],
    ['::1', /^http:\/\/\[::1\]:\d+$/],
  ])('tells the address at %s', async (host, pattern) => {
    const { url, port } = await open(0, host);
    expect(url).toMatch(pattern);
    expect(url).toContain(`:${port}`);
  });

  it('is refused by the system while it is shut, and opens at the same port', async () => {
    const listener = await open();
    expect(await knock(listener.port)).toBe('open');
    listener.shut(undefined);
    expect(await knock(listener.port)).toBe('ECONNREFUSED');
    await listener.open();
    expect(await knock(listener.port)).toBe('open');
    await listener.open();
    expect(await knock(listener.port)).toBe('open');
  });

  it('opens by itself after a while', async () => {
    const { listener, server } = await openWithServer();
    listener.shut(30);
    expect(await knock(listener.port)).toBe('ECONNREFUSED');
    await once(server, 'listening');
    expect(await knock(listener.port)).toBe('open');
  });

  it('stays shut when it is shut again in the meantime', async () => {
    const listener = await open();
    listener.shut(undefined);
    const opening = listener.open();
    listener.shut(undefined);
    await opening;
    expect(await knock(listener.port)).toBe('ECONNREFUSED');
  });

  it('waits while another program has its port for a moment', async () => {
    const listener = await open();
    listener.shut(undefined);
    const guest = await occupy(listener.port);
    const opening = listener.open();
    guest.close();
    await opening;
    expect(await knock(listener.port)).toBe('open');
  });

  it('closes for good, also while it is shut', async () => {
    const listener = await open();
    listener.shut(20);
    await listener.close();
    await listener.close();
    expect(await knock(listener.port)).toBe('ECONNREFUSED');
  });

  it('says which address cannot be listened on', async () => {
    const guest = await occupy(0);
    const { port } = guest.address() as AddressInfo;
    const failing = openListener(createServer(), { port, host: '127.0.0.1' }, silentLog());
    await expect(failing).rejects.toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    guest.close();
  });
});

async function open(port = 0, host = '127.0.0.1'): Promise<Listener> {
  return (await openWithServer(port, host)).listener;
}

async function openWithServer(port = 0, host = '127.0.0.1') {
  const server = createServer((_request, response) => response.end());
  const listener = await openListener(server, { port, host }, silentLog());
  opened.push(listener);
  return { listener, server };
}

async function occupy(port: number): Promise<Server> {
  const server = createPlainServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Returns `open`, or the error code of the system. */
function knock(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve('open');
    });
    socket.once('error', (error) => resolve(systemCode(error)));
  });
}
