import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { useSandboxes } from '../support/sandbox-world.ts';
import { exchangeRaw, openSocket, rawCharge, watchEnd } from './support/raw-client.ts';

const world = useSandboxes();

describe('strikeConnections', () => {
  it('connection-dropped resets a connection before anything is written', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'connection-dropped' });
    expect(await exchangeRaw(sandbox.port, undefined)).toEqual({ text: '', error: 'ECONNRESET' });
    expect((await fetch(sandbox.url)).status).toBe(200);
  });

  it('reset-at-first-byte waits for a byte and resets then', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'reset-at-first-byte' });
    const socket = await openSocket(sandbox.port);
    const end = watchEnd(socket);
    // Another connection is served meanwhile, so the first was accepted and is still open.
    expect((await fetch(sandbox.url)).status).toBe(200);
    expect(socket.destroyed).toBe(false);
    socket.write('P');
    expect(await end).toEqual({ text: '', error: 'ECONNRESET' });
  });

  it('ends connections that wait when the sandbox is closed', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'reset-at-first-byte' });
    const socket = await openSocket(sandbox.port);
    socket.on('error', () => {}).resume();
    expect((await fetch(sandbox.url)).status).toBe(200);
    const closed = once(socket, 'close');
    await sandbox.close();
    await closed;
  });

  it('serves connections as before when nothing is planned', async () => {
    const sandbox = await world.start();
    const { head, body } = rawCharge();
    const { text } = await exchangeRaw(sandbox.port, head.replace('Host: h', 'Host: h\r\nConnection: close') + body);
    expect(text).toContain('OK: 678594:');
    expect(sandbox.books()).toHaveLength(1);
  });
});
