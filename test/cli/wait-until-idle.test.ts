import { mkdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntilIdle } from '../../src/cli/wait-until-idle.ts';
import type { Workers } from '../../workers/main.ts';
import { cardRow, lines } from '../support/payment-rows.ts';
import { claimContent } from '../workers/support/take-in.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';

let world: PipelineWorld;
let workers: Workers | undefined;
beforeAll(async () => {
  world = await openPipelineWorld({ sandbox: { batchDelayMs: 500 } });
});
afterAll(async () => {
  await workers?.stop();
  await world.close();
});

function wait(timeoutMs: number, show: (text: string) => void = () => {}, stop?: AbortSignal): Promise<boolean> {
  return waitUntilIdle(world.app, workers!, timeoutMs, show, stop);
}

describe('waitUntilIdle, with nobody at work', () => {
  it('waits for a claim that the ledger does not know yet', async () => {
    for (const { work } of world.settings.folders) await mkdir(work, { recursive: true });
    await claimContent(world.app, 'drop/card', 'claimed.csv', lines([cardRow(3)]));
    workers = { look: () => Promise.resolve(0), stop: () => Promise.resolve() };
    const shown: string[] = [];
    expect(await wait(300, (text) => shown.push(text))).toBe(false);
    expect(shown).toContain('1 being read');
  });
});

describe('waitUntilIdle', () => {
  beforeAll(async () => {
    workers = await world.start();
  });

  it('has seen the end of what was claimed before', async () => {
    expect(await wait(15_000)).toBe(true);
    expect(await world.states()).toEqual({ 'claimed.csv': 'completed' });
  });

  it('is done at once when there is nothing to do', async () => {
    const shown: string[] = [];
    expect(await wait(5_000, (text) => shown.push(text))).toBe(true);
    expect(shown).toEqual([]);
  });

  it('gives up when the time is over or the work is stopped, and the next wait goes on', async () => {
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    expect(await wait(1)).toBe(false);
    expect(await wait(15_000, () => {}, AbortSignal.abort())).toBe(false);
    const shown: string[] = [];
    expect(await wait(15_000, (text) => shown.push(text))).toBe(true);
    expect(shown.join('\n')).toContain('monday.csv in_progress 0/1');
    expect(await world.states()).toMatchObject({ 'monday.csv': 'completed' });
  });

  it('does not wait for what waits for a person', async () => {
    await world.drop('card', 'held.csv.ctl', 'rows=99\n');
    await world.drop('card', 'held.csv', lines([cardRow(2)]));
    expect(await wait(15_000)).toBe(true);
    expect(await world.states()).toMatchObject({ 'held.csv': 'held' });
  });
});
