import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { openConnection } from '../../../src/gateway/transport/open-connection.ts';
import { type ScriptedServer, startScripted } from '../support/scripted-server.ts';

/** No test waits this long; a busy machine is not taken for a silent service. */
const TIMEOUT_MS = 20_000;

let server: ScriptedServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('openConnection', () => {
  it('is open with nothing written and no fault', async () => {
    server = await startScripted({});
    const connection = await open(server.url);
    expect(connection.socket.bytesWritten).toBe(0);
    expect(await connection.findFaultBeforeWriting()).toBeUndefined();
    connection.close();
    expect(await connection.findFaultBeforeWriting()).toMatch(/closed/);
  });

  it('finds a close that has arrived but was not yet looked at', async () => {
    server = await startScripted({});
    const connection = await open(server.url);
    await expect.poll(() => server?.connections.length).toBe(1);
    const [end] = server.connections;
    end?.end();
    if (end) await once(end, 'finish');
    expect(await connection.findFaultBeforeWriting()).toMatch(/closed/);
  });

  it('bears an error that comes when nobody listens any more', async () => {
    server = await startScripted({});
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
    const gone = await startScripted({});
    await gone.close();
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
