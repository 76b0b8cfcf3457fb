import { describe, expect, it } from 'vitest';
import { expectSamplesDone, folderOf, NOBODY_THERE } from '../support/demo-story.ts';
import { serverOf } from '../support/embedded-server.ts';
import { startPaydrop } from '../support/run-child.ts';

describe('demo, as a process', { timeout: 180_000 }, () => {
  it('takes the samples to their end, shows that all books agree, and leaves no process behind', async () => {
    const demo = await startPaydrop(['demo'], NOBODY_THERE);
    const root = await folderOf(demo);
    const server = await serverOf(root);
    expect(await demo.ended).toEqual({ status: 0, signal: null });
    expect(await server.isAlive()).toBe(false);
    expect(demo.err()).toBe('');
    expectSamplesDone(demo.out(), root);
  });

  it('comes to a tidy end at Ctrl-C', async () => {
    const demo = await startPaydrop(['demo']);
    const server = await serverOf(await folderOf(demo));
    demo.process.kill('SIGINT');
    expect(await demo.ended).toEqual({ status: 5, signal: null });
    expect(await server.isAlive()).toBe(false);
    expect(demo.err()).toBe('Cannot bring the samples to their end: it was stopped. Start the demo again.\n');
  });

  it('leaves the dashboard open when it is asked to, with a link to set it up, until Ctrl-C', async () => {
    const demo = await startPaydrop(['demo', '--keep']);
    const server = await serverOf(await folderOf(demo));
    await expect.poll(demo.out, { timeout: 120_000 }).toMatch(/The dashboard is open on http:\S+\. Ctrl-C ends it\.\n/);
    const [link = ''] = /http:\S+\/set-up\/[\w-]{43}/.exec(demo.out()) ?? [];
    const form = { name: 'ann', password: 'four words nobody guesses', repeated: 'four words nobody guesses' };
    const { headers } = await fetch(link, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' });
    const [cookie = ''] = headers.getSetCookie();
    const answer = await fetch(new URL('/', link), { headers: { cookie, accept: 'text/html' } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('Today')]);
    demo.process.kill('SIGINT');
    expect(await demo.ended).toEqual({ status: 0, signal: null });
    expect(await server.isAlive()).toBe(false);
  });
});
