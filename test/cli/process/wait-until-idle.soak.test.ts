import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntilIdle } from '../../../src/cli/process/with-workers.ts';
import type { Workers } from '../../../workers/main.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { claimContent } from '../../workers/support/take-in.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

let world: PipelineWorld;
let workers: Workers | undefined;
beforeAll(async () => {
  world = await openPipelineWorld({ sandbox: { batchDelayMs: HOUR_MS } });
});
afterAll(async () => {
  await workers?.stop();
  await world.close();
});

const HOUR_MS = 3_600_000;
/** Long enough for a busy machine. */
const LONG_MS = 45_000;

/** Waits; the service finishes a batch only once its progress was shown. @returns the lines shown */
async function wait(timeoutMs: number, stop?: AbortSignal): Promise<{ isIdle: boolean; shown: string[] }> {
  const shown: string[] = [];
  const show = (text: string) => {
    shown.push(text);
    if (text.includes('in_progress 0/1')) world.sandbox.clock.advance(HOUR_MS);
  };
  return { isIdle: await waitUntilIdle(world.app, workers!, timeoutMs, show, stop), shown };
}

describe('waitUntilIdle, with nobody at work', () => {
  it('waits for a claim that the ledger does not know yet', async () => {
    for (const { work } of world.settings.folders) await mkdir(work, { recursive: true });
    await claimContent(world.app, 'drop/card', 'claimed.csv', lines([cardRow(3)]));
    workers = { look: () => Promise.resolve(0), stop: () => Promise.resolve() };
    expect(await wait(1)).toEqual({ isIdle: false, shown: ['1 being read'] });
  });
});

describe('waitUntilIdle', () => {
  beforeAll(async () => {
    workers = await world.start();
  });

  it('has seen the end of what was claimed before', async () => {
    expect(await wait(LONG_MS)).toMatchObject({ isIdle: true });
    expect(await world.states()).toEqual({ 'claimed.csv': 'completed' });
  });

  it('is done at once when there is nothing to do', async () => {
    expect(await wait(LONG_MS)).toEqual({ isIdle: true, shown: [] });
  });

  it('gives up when the time is over or the work is stopped, and the next wait goes on', async () => {
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    expect(await wait(1)).toMatchObject({ isIdle: false });
    expect(await wait(LONG_MS, AbortSignal.abort())).toEqual({ isIdle: false, shown: [] });
    const { isIdle, shown } = await wait(LONG_MS);
    expect(isIdle).toBe(true);
    expect(shown.join('\n')).toContain('monday.csv in_progress 0/1');
    expect(await world.states()).toMatchObject({ 'monday.csv': 'completed' });
  });

  it('does not wait for what waits for a person', async () => {
    await world.drop('card', 'held.csv.ctl', 'rows=99\n');
    await world.drop('card', 'held.csv', lines([cardRow(2)]));
    expect(await wait(LONG_MS)).toMatchObject({ isIdle: true });
    expect(await world.states()).toMatchObject({ 'held.csv': 'held' });
  });
});
