import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { httpAnswer, startScripted } from '../../gateway/support/scripted-server.ts';
import { findFreePort } from '../../support/daemon.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { type Child, holdFlags, startPaydrop } from '../support/run-child.ts';
import { runHere, startHere } from '../support/run-here.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { soapRequest } from '../../sandbox/support/soap-request.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

/** The tests follow one process from start to end. */
describe('start', () => {
  const world = openedForTests(openCliWorld);
  let daemon: Child;
  let monitor = '';
  let kill = () => {};
  beforeAll(async () => {
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
  afterAll(() => kill());

  it('answers a monitoring program when it is asked to, from before its first sweep', async () => {
    expect(daemon.err()).toMatch(/the monitor is listening[^]*paydrop is running/);
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

  it('counts what it did, and shares the figures of the ledger with no other process', async () => {
    const shown = await metricsAt(monitor);
    for (const line of [
      'paydrop_file_moves_total{account="main",state="completed"} 1',
      'paydrop_batch_moves_total{account="main",state="reconciled"} 1',
      'paydrop_rows_total{account="main",operation="card",outcome="approved"} 1',
      'paydrop_call_seconds_count{operation="processCreditCardBatch",answer="submitted"} 1',
      'paydrop_ledger_exporter 1',
    ])
      expect(shown).toContain(`${line}\n`);
    const second = `127.0.0.1:${await findFreePort()}`;
    const env = { ...world.env, PAYDROP_LOG_LEVEL: 'info', PAYDROP_MONITOR: second, PAYDROP_ROLES: 'poll' };
    let end = () => {};
    onTestFinished(() => end());
    const other = await startPaydrop(['--dir', world.root, 'start'], env, (kills) => (end = kills));
    await other.says('paydrop is running');
    const quiet = await metricsAt(second);
    expect(quiet).toContain('paydrop_ledger_exporter 0\n');
    expect(quiet).toContain('paydrop_ledger_up 1\n');
    expect(quiet).not.toMatch(/^paydrop_(files|batches|unknown_cents|queue_jobs)\{/m);
    const [line] = other.err().split('\n');
    expect(JSON.parse(line!)).toMatchObject({ level: 'info', role: 'poll', version: expect.any(String) });
    end();
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

const metricsAt = async (address: string) => (await fetch(`http://${address}/metrics`)).text();

const isHead = (request: string) => request.startsWith('HEAD ');

it('start, stopped in the middle, awaits a running call at the first signal and ends at once at the second; the batch is then unknown', async () => {
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
  await daemon.says('stopping: waiting for running calls, sending nothing new');
  expect(daemon.process.exitCode).toBeNull();
  daemon.process.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ status: null, signal: 'SIGTERM' });

  expect(await world.paydrop('run', '--once')).toMatchObject({ status: 4 });
  expect(await world.paydrop('status', '--check')).toMatchObject({
    status: 4,
    out: expect.stringMatching(/^Needs attention/),
  });
  expect(calls()).toHaveLength(1);
});

it('start, before it starts anything, keeps the heap small and compiles later, then says what is wrong', async () => {
  const flags = holdFlags();
  expect(await runHere(['--dir', '/nowhere', 'start'])).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringContaining('this folder has no configuration'),
  });
  expect(flags).toEqual(expect.arrayContaining([expect.stringMatching(/semi-space/), expect.stringMatching(/budget/)]));
});

/** The tests build on each other: what needs attention comes last, because it decides the status from then on. */
let world: CliWorld;
let receiver: Receiver;

const told = () => receiver.received.map(({ body }) => body.toString()).join();

describe('run', () => {
  beforeAll(async () => {
    receiver = await startReceiver();
    const alarms = [{ by: 'webhook', url: receiver.url, secret: 'the key' }];
    // Only the first sweep of each run happens.
    world = await openCliWorld({ settings: { alarms, sweepMs: 3_600_000 } });
  });
  afterAll(async () => {
    await world.close();
    await receiver.close();
  });

  it('without --once says what to type', async () => {
    const err = await world.refusal('run');
    expect(err).toMatch(/^Cannot run: .*"paydrop run --once".*"paydrop start"/);
    for (const timeout of ['0', '-1', 'soon']) {
      expect(await world.paydrop('run', '--once', '--timeout', timeout)).toMatchObject({
        status: 1,
        err: expect.stringContaining('--timeout needs a number of seconds above 0'),
      });
    }
  });

  it('takes what lies there to its end: 0', async () => {
    expect(await world.paydrop('run', '--once')).toEqual({ status: 0, out: 'No file changed its state.\n', err: '' });

    await world.drop('card', 'good.csv', lines([cardRow(1)]));
    const good = await world.paydrop('run', '--once');
    expect(good).toMatchObject({ status: 0, err: '' });
    expect(good.out).toMatch(/^good\.csv .*completed +1 +1 approved +25\.00$/m);
  });

  it('gives up after --timeout, and comes to a tidy end at a signal', async () => {
    await world.drop('card', 'slow.csv', lines([cardRow(2)]));
    const late = await world.paydrop('run', '--once', '--timeout', '0.01');
    expect(late.status).toBe(5);
    expect(late.err).toMatch(/^Cannot finish the work: .*the next run continues the work/);

    const stopped = startHere(['--dir', world.root, 'run', '--once']);
    await stopped.interrupt();
    expect(await stopped.ended).toMatchObject({
      status: 5,
      err: 'Cannot finish the work: it was stopped. The next run continues the work.\n',
    });
  });

  it('goes on with what an earlier run has left', async () => {
    expect(await world.paydrop('run', '--once')).toMatchObject({ status: 0 });
    expect(await world.states()).toEqual({ 'good.csv': 'completed', 'slow.csv': 'completed' });
  });

  it('says 2 for a refused file, 3 for a held one, and tells of both before it ends', async () => {
    expect(told()).not.toContain('"kind":"file_');
    await world.drop('card', 'empty.csv', '');
    const refused = await world.paydrop('run', '--once', '--json');
    expect(told()).toContain('"kind":"file_refused"');
    expect(refused).toMatchObject({ status: 2, err: '' });
    expect(JSON.parse(refused.out)).toMatchObject([{ name: 'empty.csv', state: 'rejected', reasonCode: 'EMPTY' }]);

    await world.drop('card', 'twice.csv', lines([cardRow(3), cardRow(3)]));
    const held = await world.paydrop('run', '--once');
    expect(told()).toContain('"kind":"file_held"');
    expect(held).toMatchObject({ status: 3, err: 'Something needs attention: see "paydrop status".\n' });
    expect(held.out).toMatch(/twice\.csv .*needs approval .*nothing sent: the file has the same invoice/);
    expect(await world.paydrop('run', '--once')).toMatchObject({ status: 3 });
  });
});

describe('run, of files that cannot go on', () => {
  const stuck = openedForTests(() => openCliWorld({ sandbox: { batchDelayMs: HOUR_MS } }));

  it('does not wait for them after some tries, and says 5 each time', async () => {
    await stuck.drop('card', 'lost.csv', lines([cardRow(1)]));
    await vi.waitUntil(
      async () => {
        await stuck.paydrop('run', '--once', '--timeout', '2');
        return (await stuck.states())['lost.csv'] === 'in_progress';
      },
      { timeout: 60_000 },
    );
    await rm(stuck.settings.paths.archive, { recursive: true });
    stuck.sandbox.clock.advance(HOUR_MS);
    for (let times = 0; times < 2; times += 1) {
      const ran = await stuck.paydrop('run', '--once', '--timeout', '120');
      expect(ran).toMatchObject({ status: 5, err: 'Something needs attention: see "paydrop status".\n' });
      expect(await stuck.states()).toEqual({ 'lost.csv': 'in_progress' });
    }
  });
});

const HOUR_MS = 3_600_000;

describe('sandbox', () => {
  it.each([
    [['--port', 'x'], 'Cannot use --port "x"'],
    [['--port', '65536'], 'it is not a whole number from 0 to 65535'],
    [['--batch-delay', '-1'], 'Cannot use --batch-delay'],
    [['--max-rows', 'many'], 'Cannot use --max-rows "many"'],
    [['--now', 'noon'], 'Cannot start the sandbox at "noon": it is not a time. Write it as 2026-06-15T09:00:00Z.'],
    [['--accounts', 'A1:hidden,B2'], 'Cannot use --accounts: entry 2 is not CODE:PASSWORD.'],
  ])('%j: status 1 and a sentence, before it listens', async (words, sentence) => {
    const { status, out, err } = await runHere(['sandbox', '--port', '0', ...words]);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(sentence);
    expect(err).not.toContain('hidden');
  });

  it('says that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, out, err } = await runHere(['sandbox', '--port', String(port)]);
    other.close();
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/^Cannot listen for the sandbox on .*EADDRINUSE.*Choose another port or host\.\n$/);
  });

  it('serves the accounts it was given until SIGTERM, and logs JSON lines', async () => {
    const child = await startPaydrop(['sandbox', '--port', '0', '--accounts', 'A1:word-1,B2:word-2']);
    await child.says('Ctrl-C ends it.');
    const [, url = ''] = /listens on (\S+) for the accounts A1, B2\./.exec(child.err()) ?? [];
    const taken = await askForResult(url, 'A1', 'word-1');
    const turnedAway = await askForResult(url, 'C3', 'word-3');
    expect(taken).not.toBe(turnedAway);
    expect(await askForResult(url, 'B2', 'word-2')).toBe(taken);
    expect(await askForResult(url, 'B2', 'word-1')).toBe(turnedAway);
    child.process.kill('SIGTERM');
    expect(await child.ended).toEqual({ status: 0, signal: null });
    expect(child.out()).toBe('');
    const logged = child
      .err()
      .split('\n')
      .filter((line) => line !== '' && !/^(?:The sandbox listens on|Its books are lost) /.test(line));
    for (const line of logged) expect(JSON.parse(line)).toHaveProperty('msg');
    expect(child.err()).not.toMatch(/word-/);
  });
});

/** Queries a batch that does not exist; a wrong login gets a different answer. */
async function askForResult(url: string, agentCode: string, password: string): Promise<string> {
  const fields = { agentCode, password, customerIPAddress: '', batchId: '1' };
  const { headers, body } = soapRequest('GetBatchProcessResultFile', fields, 'soap 1.1');
  const answer = await fetch(`${url}/NetGate/ProcessLinkv2.asmx`, { method: 'POST', headers, body });
  return answer.text();
}
