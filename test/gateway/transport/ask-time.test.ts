import { afterEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../../src/gateway/create-gateway.ts';
import { askTime, readDate } from '../../../src/gateway/transport/ask-time.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { settingsFor } from '../support/cases.ts';
import { httpAnswer } from '../support/scripted-server.ts';
import { closeServers, script } from '../support/submit.ts';

afterEach(closeServers);

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
