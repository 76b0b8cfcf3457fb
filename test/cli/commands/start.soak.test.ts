import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { httpAnswer, startScripted } from '../../gateway/support/scripted-server.ts';
import { findFreePort } from '../../support/find-free-port.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { holdFlags } from '../support/hold-flags.ts';
import { type Child, startPaydrop } from '../support/run-child.ts';
import { runHere } from '../support/run-here.ts';

/** The tests follow one process from start to end. */
describe('start', () => {
  let world: CliWorld;
  let daemon: Child;
  let monitor = '';
  let kill = () => {};
  beforeAll(async () => {
    world = await openCliWorld();
    const [monitorPort, dashboardPort] = [await findFreePort(), await findFreePort()];
    monitor = `127.0.0.1:${monitorPort}`;
    const env = {
      PAYDROP_LOG_LEVEL: 'info',
      PAYDROP_MONITOR: monitor,
      PAYDROP_DASHBOARD: `127.0.0.1:${dashboardPort}`,
    };
    const words = ['--dir', world.root, 'start'];
    daemon = await startPaydrop(words, { ...world.env, ...env }, (kills) => (kill = kills));
    await daemon.says('paydrop is running');
  });
  afterAll(async () => {
    kill();
    await world.close();
  });

  it('answers a monitoring program when it is asked to, from before its first sweep', async () => {
    expect(daemon.err()).toMatch(/health and figures are answered[^]*paydrop is running/);
    expect((await fetch(`http://${monitor}/health/ready`)).status).toBe(200);
    expect(await (await fetch(`http://${monitor}/metrics`)).text()).toContain('paydrop_ledger_up 1');
  });

  it('prints a link to set up the dashboard, not into the log', async () => {
    const [link = ''] = /http:\S+\/set-up\/[\w-]{43}/.exec(daemon.out()) ?? [];
    expect((await fetch(link)).status).toBe(200);
    expect(daemon.err()).not.toContain('set-up');
  });

  it('takes files beside other commands', async () => {
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    await expect.poll(() => world.states()).toEqual({ 'monday.csv': 'completed' });
    expect(await world.paydrop('status', '--check')).toMatchObject({ status: 0 });
    expect((await world.paydrop('show', 'monday.csv')).out).toContain('complete -> completed');
  });

  it('ends at SIGTERM, and has logged JSON lines on standard error only', async () => {
    const printed = daemon.out();
    daemon.process.kill('SIGTERM');
    expect(await daemon.ended).toEqual({ status: 0, signal: null });
    await expect(fetch(`http://${monitor}/health/live`)).rejects.toThrow('fetch failed');
    expect(daemon.out()).toBe(printed);
    expect(printed.trimEnd().split('\n')).toEqual([
      'Set up the dashboard with this link. It works once, within a day:',
      expect.stringMatching(/^ {2}http:\S+$/),
    ]);
    const logged = daemon.err().trimEnd().split('\n');
    for (const line of logged) expect(JSON.parse(line)).toHaveProperty('msg');
    expect(logged.at(-1)).toContain('stopping');
  });
});

const isHead = (request: string) => request.startsWith('HEAD ');

describe('start, stopped in the middle', () => {
  it('awaits a running call at the first signal and ends at once at the second; the batch is then unknown', async () => {
    // It answers requests for the time, but never a call.
    const silent = await startScripted({
      onRequest: (socket, request) => {
        if (isHead(request)) socket.end(httpAnswer(405, ''));
      },
    });
    onTestFinished(() => silent.close());
    const world = await openCliWorld({ account: { baseUrl: silent.url } });
    onTestFinished(() => world.close());
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    const daemon = await startPaydrop(['--dir', world.root, 'start'], { ...world.env, PAYDROP_LOG_LEVEL: 'info' });
    const calls = () => silent.requests.filter((request) => !isHead(request));
    await expect.poll(() => calls().length).toBe(1);
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
    expect(calls()).toHaveLength(1);
  });
});

describe('start, before it starts anything', () => {
  it('keeps the heap small and compiles later, then says what is wrong', async () => {
    const flags = holdFlags();
    expect(await runHere(['--dir', '/nowhere', 'start'])).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('there is no configuration here'),
    });
    expect(flags).toEqual(
      expect.arrayContaining([expect.stringMatching(/semi-space/), expect.stringMatching(/budget/)]),
    );
  });
});
