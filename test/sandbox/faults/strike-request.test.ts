import { describe, expect, it } from 'vitest';
import { useSandboxes } from '../support/sandbox-world.ts';
import { exchangeRaw, rawCharge } from './support/raw-client.ts';

const world = useSandboxes();
const { head, body } = rawCharge();

/** The client sends no more than this, so only a server that did not wait for more can answer. */
describe('strikeRequest', () => {
  it('reset-after-headers needs no byte of the body', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'reset-after-headers', operation: 'processCreditCard' });
    expect(await exchangeRaw(sandbox.port, head)).toEqual({ text: '', error: 'ECONNRESET' });
    expect(sandbox.books()).toEqual([]);
  });

  it.each([
    ['half of the body', head, body.slice(0, Math.ceil(body.length / 2))],
    ['the first chunk', head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked'), '3\r\nabc\r\n'],
  ])('reset-mid-body needs %s', async (_what, start, piece) => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'reset-mid-body' });
    expect(await exchangeRaw(sandbox.port, start + piece)).toEqual({ text: '', error: 'ECONNRESET' });
    expect(sandbox.books()).toEqual([]);
  });

  it('early-answer comes before the body, and the rest of it does no harm', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'early-answer', times: 2 });
    const { text, error } = await exchangeRaw(sandbox.port, head);
    expect(text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
    expect(error).toBeUndefined();
    expect((await exchangeRaw(sandbox.port, head + body)).text).toMatch(/^HTTP\/1\.1 503 /);
    expect(sandbox.books()).toEqual([]);
  });

  it('lets calls of another operation, and all that is no call, pass', async () => {
    const sandbox = await world.start();
    sandbox.faults.plan({ kind: 'early-answer', operation: 'processACHEFT' });
    sandbox.faults.plan({ kind: 'reset-after-headers', operation: 'processACHEFT' });
    const call = head.replace('Host: h', 'Host: h\r\nConnection: close') + body;
    expect((await exchangeRaw(sandbox.port, call)).text).toMatch(/^HTTP\/1\.1 200 /);
    await sandbox.faults.clear();
    sandbox.faults.plan({ kind: 'early-answer' });
    expect((await fetch(`${sandbox.url}/NetGate/ProcessLinkv2.asmx?WSDL`)).status).toBe(200);
    expect(sandbox.faults.list()).toMatchObject([{ seen: 0 }]);
  });
});
