import { afterEach, describe, expect, it } from 'vitest';
import { startScripted } from '../../gateway/support/scripted-server.ts';
import { findFreePort } from '../../support/find-free-port.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { runHere } from '../support/run-here.ts';
import { startPaydrop } from '../support/run-child.ts';

let world: CliWorld;
afterEach(() => world?.close());

function start() {
  return startPaydrop(['--dir', world.root, 'start'], { ...world.env, PAYDROP_LOG_LEVEL: 'info' });
}

describe('start', () => {
  it('takes files beside other commands until SIGTERM, and logs JSON lines on standard error only', async () => {
    world = await openCliWorld();
    const daemon = start();
    await daemon.says('paydrop is running');
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    await expect.poll(() => world.states(), { timeout: 15_000 }).toEqual({ 'monday.csv': 'completed' });
    expect(await world.paydrop('status', '--check')).toMatchObject({ status: 0 });
    expect((await world.paydrop('show', 'monday.csv')).out).toContain('complete -> completed');

    const asked = performance.now();
    daemon.process.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ status: 0, signal: null });
    expect(performance.now() - asked).toBeLessThan(5_000);
    expect(daemon.out()).toBe('');
    const logged = daemon.err().trimEnd().split('\n');
    for (const line of logged) expect(JSON.parse(line)).toHaveProperty('msg');
    expect(logged.at(-1)).toContain('stopping');
  });

  it('awaits a running call at the first signal and ends at once at the second; the batch is then unknown', async () => {
    const silent = await startScripted({});
    world = await openCliWorld({ account: { baseUrl: silent.url } });
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    const daemon = start();
    await expect.poll(() => silent.requests.length, { timeout: 15_000 }).toBe(1);
    daemon.process.kill('SIGTERM');
    await daemon.says('stopping: nothing new is sent, running calls are awaited');
    expect(daemon.process.exitCode).toBeNull();
    daemon.process.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ status: null, signal: 'SIGTERM' });

    expect(await world.paydrop('run', '--once')).toMatchObject({ status: 4 });
    expect(await world.paydrop('status', '--check')).toMatchObject({
      status: 4,
      out: expect.stringMatching(/^Needs a person/),
    });
    expect(silent.requests).toHaveLength(1);
    await silent.close();
  });

  it('answers a monitoring program when it is asked to, from before its first sweep to its end', async () => {
    world = await openCliWorld();
    const port = await findFreePort();
    const env = { ...world.env, PAYDROP_LOG_LEVEL: 'info', PAYDROP_MONITOR: `127.0.0.1:${port}` };
    const daemon = startPaydrop(['--dir', world.root, 'start'], env);
    await daemon.says('health and figures are answered');
    await daemon.says('paydrop is running');
    const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await ask('/health/ready')).status).toBe(200);
    expect(await (await ask('/metrics')).text()).toContain('paydrop_ledger_up 1');
    daemon.process.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ status: 0, signal: null });
    await expect(ask('/health/live')).rejects.toThrow('fetch failed');
  });

  it('says what is wrong before it starts anything', async () => {
    world = await openCliWorld();
    expect(await runHere(['--dir', world.settings.paths.out, 'start'])).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('there is no configuration here'),
    });
  });
});
