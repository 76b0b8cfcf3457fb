import { dashboardForTests, type TestBrowser } from '../support/dashboard-world.ts';
import { describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';

const world = dashboardForTests();

const BECAUSE = { actor: 'operator:ann', reason: 'to see' };

describe('GET /live', () => {
  it('is for those who are logged in', async () => {
    const { status } = await world.stranger().get('/live', { accept: 'text/event-stream' });
    expect(status).toBe(401);
  });

  it('tells a page that something has moved, and nothing of what', async () => {
    const { cookie } = await world.as('viewer');
    const stop = new AbortController();
    const answer = await fetch(`${world.url}/live`, { headers: { cookie }, signal: stop.signal });
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    let text = '';
    const reading = (async () => {
      for await (const chunk of answer.body!) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    let isPaused = false;
    await expect
      .poll(
        async () => {
          await (isPaused ? resumeAccount : pauseAccount)(world.app.ledger, 'main', BECAUSE);
          isPaused = !isPaused;
          return text;
        },
        { interval: 300 },
      )
      .toContain('event: change\ndata: \n\n');
    expect(text.replaceAll('event: change\ndata: \n\n', '').replaceAll(':\n\n', '')).toBe('retry: 3000\n\n');
    stop.abort();
    await reading;
  });

  it('is for ten pages of one user at most, and others have theirs', async () => {
    const [viewer, operator] = [await world.as('viewer'), await world.as('operator')];
    const stop = new AbortController();
    const open = ({ cookie }: TestBrowser) => fetch(`${world.url}/live`, { headers: { cookie }, signal: stop.signal });
    const answers = [];
    for (let pages = 0; pages < 10; pages += 1) answers.push((await open(viewer)).status);
    expect(answers).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await open(viewer)).status).toBe(429);
    expect((await open(operator)).status).toBe(200);
    stop.abort();
    // A page that is closed makes room for another.
    const again = new AbortController();
    const status = () => fetch(`${world.url}/live`, { headers: { cookie: viewer.cookie }, signal: again.signal });
    await expect.poll(async () => (await status()).status).toBe(200);
    again.abort();
  });
});
