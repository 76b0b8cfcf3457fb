import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { EVERY_ROLE, type Role } from '../../../schemas/roles.ts';
import { withDashboard } from '../../../src/cli/process/with-dashboard.ts';
import { readDashboard } from '../../../src/config/config-dashboard.ts';
import { keptLog } from '../../support/bad-input.ts';
import { findFreePort } from '../../support/find-free-port.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';
import { holdFlags } from '../support/hold-flags.ts';
import { startHere } from '../support/run-here.ts';
import { takeDown } from '../support/take-down.ts';

const { log, text: logText } = keptLog();
let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld({ log });
});
afterAll(() => world.close());

/** Serves the dashboard as `paydrop start` does, at a configured address or the default one. */
function open(
  port: number,
  last: (url: string | undefined, printed: Readonly<{ out: string }>) => Promise<void>,
  { roles = EVERY_ROLE, isWanted = true }: { roles?: ReadonlySet<Role>; isWanted?: boolean } = {},
) {
  const env = { PAYDROP_DASHBOARD: `127.0.0.1:${port}` };
  const dashboard = { ...readDashboard(undefined, { root: world.root, env, faults: [] })!, isWanted };
  const app = { ...world.app, settings: { ...world.settings, dashboard } };
  return takeDown((printed) => withDashboard(app, roles, (url) => last(url, printed)));
}

describe('withDashboard', () => {
  it('prints a set-up link at the first start, not into the log, and none when somebody is there', async () => {
    const port = await findFreePort();
    await open(port, async (url, printed) => {
      const [link = ''] = /http:\S+\/set-up\/[\w-]{43}/.exec(printed.out) ?? [];
      expect(link).toMatch(`${url}/set-up/`);
      const form = { name: 'ann', password: 'four words nobody guesses', repeated: 'four words nobody guesses' };
      const answer = await fetch(link, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    });
    expect(logText()).toContain('the dashboard is answered');
    expect(logText()).not.toContain('set-up');

    const second = await open(port, async (url) => expect((await fetch(`${url}/login`)).status).toBe(200));
    expect(second).toMatchObject({ out: '', err: '' });
    await expect(fetch(`http://127.0.0.1:${port}/login`)).rejects.toThrow('fetch failed');
  });

  it('answers nowhere without the role', async () => {
    const port = await findFreePort();
    const before = logText();
    const asked = async (url: string | undefined) => {
      expect(url).toBeUndefined();
      await expect(fetch(`http://127.0.0.1:${port}/login`)).rejects.toThrow('fetch failed');
    };
    expect(await open(port, asked, { roles: new Set(['submit']) })).toMatchObject({ out: '', err: '' });
    expect(logText()).toBe(before);
  });
});

describe('withDashboard, when another program has the address', () => {
  const taken = createServer();
  let port = 0;
  beforeAll(async () => {
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    ({ port } = taken.address() as { port: number });
  });
  afterAll(() => void taken.close());
  afterEach(() => void vi.stubEnv('PAYDROP_DASHBOARD', 'off'));

  it('ends the start if it was asked for', async () => {
    expect(holdFlags()).toEqual([]);
    vi.stubEnv('PAYDROP_DASHBOARD', `127.0.0.1:${port}`);
    const { status, err } = await world.paydrop('start');
    expect(status).not.toBe(0);
    expect(err).toContain('Choose another port or host for the dashboard');
  });

  it('does not mind in a process without the role', async () => {
    expect(holdFlags()).toEqual([]);
    vi.stubEnv('PAYDROP_DASHBOARD', `127.0.0.1:${port}`);
    const submitting = startHere(['--dir', world.root, 'start', '--roles', 'submit']);
    await submitting.interrupt();
    expect(await submitting.ended).toEqual({ status: 0, out: '', err: '' });
  });

  it('goes on without the dashboard if nobody asked for it, and says so in the log', async () => {
    const seen: unknown[] = [];
    await open(port, async (url) => void seen.push(url), { isWanted: false });
    expect(seen).toEqual([undefined]);
    expect(logText()).toContain('the dashboard stays closed: ');
  });
});
