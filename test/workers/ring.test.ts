import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { App } from '../../src/app.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { ring, ringAfter, ringNowAndThen } from '../../workers/ring.ts';
import { logIntoLines } from '../queue/support/queue-world.ts';

/** Returns an app whose queue only notes its rings, and fails when told to. */
function ringingApp({ isAway = false } = {}) {
  const { log, lines } = logIntoLines();
  const rings: (string | undefined)[][] = [];
  const note: App['queue']['ring'] = async (name, site) => {
    rings.push([name, site]);
    if (isAway) throw new PipelineError('QUEUE_UNREACHABLE', `ring "${name}"`);
  };
  return { app: { log, queue: { ring: note } } as unknown as App, rings, lines };
}

describe('ring', () => {
  it('rings the stage at the site that is named', async () => {
    const { app, rings } = ringingApp();
    await ring(app, 'deliver', 'there');
    await ring(app, 'submit');
    expect(rings).toEqual([
      ['deliver', 'there'],
      ['submit', undefined],
    ]);
  });

  it('fails while the queue is away; ringAfter only says so, because the next sweep finds what follows', async () => {
    const { app, rings, lines } = ringingApp({ isAway: true });
    await expect(ring(app, 'submit')).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    await ringAfter(app, 'deliver', 'there');
    expect(rings).toHaveLength(2);
    expect(lines).toMatchObject([{ level: 'warn', stage: 'deliver', msg: expect.stringContaining('finds it later') }]);
  });
});

describe('ringNowAndThen', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('rings at the first, at most every 250 ms, and at the end', async () => {
    const { app, rings } = ringingApp();
    const bell = ringNowAndThen(app, 'intake');
    const ringsAfter = async (ms: number) => {
      vi.advanceTimersByTime(ms);
      await bell.more();
      return rings.length;
    };
    expect(await ringsAfter(0)).toBe(1);
    expect(await ringsAfter(0)).toBe(1);
    expect(await ringsAfter(249)).toBe(1);
    expect(await ringsAfter(1)).toBe(2);
    expect(await ringsAfter(249)).toBe(2);
    await bell.end();
    expect(rings.length).toBe(3);
  });

  it('rings for nothing when there is nothing, and not twice for the last', async () => {
    const { app, rings } = ringingApp();
    const bell = ringNowAndThen(app, 'intake');
    await bell.end();
    expect(rings).toEqual([]);
    await bell.more();
    await bell.end();
    expect(rings).toEqual([['intake', undefined]]);
  });

  it('rings again for what comes after a ring that failed', async () => {
    const { app, rings } = ringingApp({ isAway: true });
    const bell = ringNowAndThen(app, 'intake');
    await bell.more();
    await bell.more();
    await bell.end();
    expect(rings).toHaveLength(2);
  });
});
