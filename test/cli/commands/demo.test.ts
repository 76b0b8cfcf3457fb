import { rm } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serverOf } from '../support/embedded-server.ts';
import { type Child, startPaydrop } from '../support/run-child.ts';

/** Waits for its scratch folder and has it removed after the test. */
async function folderOf(demo: Child): Promise<string> {
  await expect.poll(demo.out, { interval: 10 }).toMatch(/^Working in .*\n/);
  const [, root = ''] = /^Working in (.*)\n/.exec(demo.out()) ?? [];
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

describe('demo', () => {
  it('takes the samples to their end, shows that all books agree, and leaves no process behind', async () => {
    const started = performance.now();
    const demo = startPaydrop(['demo'], {
      DATABASE_URL: 'postgres://nobody@127.0.0.1:1/never',
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    const root = await folderOf(demo);
    const server = await serverOf(root);
    expect(await demo.ended).toEqual({ status: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(await server.isAlive()).toBe(false);
    expect(demo.err()).toBe('');

    const table = demo
      .out()
      .split('\n')
      .filter((line) => /^\S+\.csv +(main|canada) /.test(line));
    expect(table).toHaveLength(10);
    expect(table.filter((line) => / completed /.test(line))).toHaveLength(8);
    expect(table.find((line) => line.startsWith('same-again.csv'))).toContain('nothing sent: DUPLICATE_FILE');
    expect(demo.out()).toContain('agree, row by row and to the cent.');
    for (const words of ['status', 'show card.csv', 'find --invoice C-1002'])
      expect(demo.out()).toContain(`\n  npm run paydrop -- --dir ${root} ${words}\n`);
  }, 60_000);

  it('comes to a tidy end at Ctrl-C', async () => {
    const demo = startPaydrop(['demo']);
    const server = await serverOf(await folderOf(demo));
    demo.process.kill('SIGINT');
    expect(await demo.ended).toEqual({ status: 5, signal: null });
    expect(await server.isAlive()).toBe(false);
    expect(demo.err()).toBe('Cannot bring the samples to their end: it was stopped. Start the demo again.\n');
  }, 60_000);

  it('leaves the desk open when it is asked to, with a link to set it up, until Ctrl-C', async () => {
    const demo = startPaydrop(['demo', '--keep']);
    const server = await serverOf(await folderOf(demo));
    await expect.poll(demo.out, { timeout: 60_000 }).toMatch(/The desk is open on http:\S+\. Ctrl-C ends it\.\n/);
    const [link = ''] = /http:\S+\/set-up\/[\w-]{43}/.exec(demo.out()) ?? [];
    const form = { name: 'ann', password: 'four words nobody guesses', repeated: 'four words nobody guesses' };
    const { headers } = await fetch(link, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
    const [cookie = ''] = headers.getSetCookie();
    const answer = await fetch(new URL('/', link), { headers: { cookie, accept: 'text/html' } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Today')]);
    demo.process.kill('SIGINT');
    expect(await demo.ended).toEqual({ status: 0, signal: null });
    expect(await server.isAlive()).toBe(false);
  }, 120_000);
});
