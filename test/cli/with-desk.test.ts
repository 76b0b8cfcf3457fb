import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../support/find-free-port.ts';
import { type CliWorld, openCliWorld } from './support/cli-world.ts';
import { startPaydrop } from './support/run-child.ts';

let world: CliWorld;
afterEach(() => world?.close());

function start(env: Record<string, string>, ...words: string[]) {
  return startPaydrop(['--dir', world.root, 'start', ...words], { ...world.env, PAYDROP_LOG_LEVEL: 'info', ...env });
}

async function end(daemon: ReturnType<typeof start>): Promise<void> {
  daemon.process.kill('SIGTERM');
  expect(await daemon.ended).toEqual({ status: 0, signal: null });
}

describe('withDesk', () => {
  it('prints a set-up link at the first start, not into the log, and none when somebody is there', async () => {
    world = await openCliWorld();
    const PAYDROP_DESK = `127.0.0.1:${await findFreePort()}`;
    const first = start({ PAYDROP_DESK });
    await first.says('paydrop is running');
    const [link = ''] = /http:\S+\/set-up\/[\w-]{43}/.exec(first.out()) ?? [];
    expect(first.err()).not.toContain('set-up');
    const form = { name: 'ann', password: 'four words nobody guesses', repeated: 'four words nobody guesses' };
    const answer = await fetch(link, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    await end(first);

    const second = start({ PAYDROP_DESK });
    await second.says('paydrop is running');
    expect(second.out()).toBe('');
    await end(second);
  });

  it('answers nowhere without the role', async () => {
    world = await openCliWorld();
    const port = await findFreePort();
    const daemon = start({ PAYDROP_DESK: `127.0.0.1:${port}` }, '--roles', 'submit');
    await daemon.says('paydrop is running');
    await expect(fetch(`http://127.0.0.1:${port}/login`)).rejects.toThrow();
    expect(daemon.err()).not.toContain('the desk');
    await end(daemon);
  });

  it('ends the start when another program has the address that was asked for', async () => {
    world = await openCliWorld();
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as { port: number };
    const daemon = start({ PAYDROP_DESK: `127.0.0.1:${port}` });
    expect(await daemon.ended).toMatchObject({ signal: null, status: expect.not.toSatisfy((status) => status === 0) });
    expect(daemon.err()).toContain('Choose another port or host for the desk');
    await new Promise((resolve) => taken.close(resolve));
  });
});
