import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startHealth } from '../../../src/kernel/health.ts';
import { type Monitor, openMonitor } from '../../../src/web/monitor/open-monitor.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { findFreePort } from '../../support/find-free-port.ts';

const ANY = { host: '127.0.0.1', port: 0 };

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
});
afterAll(() => world.close());

const monitors: Monitor[] = [];
afterEach(async () => {
  for (const monitor of monitors.splice(0)) await monitor.close();
});

async function open(app = world.app): Promise<Monitor> {
  const monitor = await openMonitor(app, ANY);
  monitors.push(monitor);
  return monitor;
}

describe('openMonitor', () => {
  it('is alive, and ready once the process has swept', async () => {
    const health = startHealth(world.app.clock);
    const { url } = await open({ ...world.app, health });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    const early = await fetch(`${url}/health/ready`);
    expect(early.status).toBe(503);
    expect(await early.json()).toEqual({ ready: false, wrong: [{ part: 'process', why: 'it is starting' }] });
    health.noteSweep();
    const ready = await fetch(`${url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ready: true, wrong: [] });
  });

  it('is alive and not ready when it stops', async () => {
    const health = startHealth(world.app.clock);
    health.noteSweep();
    health.noteStop();
    const { url } = await open({ ...world.app, health });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
  });

  it('shows the figures as Prometheus wants them', async () => {
    const { url } = await open();
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await response.text()).toContain('paydrop_ledger_up 1');
  });

  it('says nothing of what goes wrong in it', async () => {
    const broken = { ...world.app, settings: { ...world.settings, folders: undefined as never } };
    const { url } = await open(broken);
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: 'see the log' });
  });

  it.each(['/', '/health', '/metrics/x'])('has nothing at %s', async (path) => {
    const { url } = await open();
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  });

  it('changes nothing: other methods are refused', async () => {
    const { url } = await open();
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it('says when its address is taken, and is closed to the last connection', async () => {
    const port = await findFreePort();
    const monitor = await openMonitor(world.app, { host: '127.0.0.1', port });
    await expect(openMonitor(world.app, { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`Cannot listen on "127.0.0.1:${port}"`),
    });
    await fetch(`${monitor.url}/health/live`);
    await monitor.close();
    await expect(fetch(`${monitor.url}/health/live`)).rejects.toThrow();
  });
});
