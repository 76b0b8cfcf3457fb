import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { keepHeapSmall } from '../../../src/cli/process/start.ts';
import { holdFlags, setFlags } from '../support/hold-flags.ts';

/** Creates many objects that live for a while, and reports the peak sizes of the young and old heap in MB. */
const WORK = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  const sizeOf = (name) => getHeapSpaceStatistics().find((space) => space.space_name === name).space_size / 2 ** 20;
  const most = { young: 0, old: 0 };
  for (let round = 0; round < 20; round += 1) {
    const living = [];
    for (let index = 0; index < 100_000; index += 1) living.push({ index });
    most.young = Math.max(most.young, sizeOf('new_space'));
    most.old = Math.max(most.old, sizeOf('old_space'));
  }
  process.stdout.write(JSON.stringify(most));
`;

it('keepHeapSmall keeps the heap from growing with objects that are soon gone', async () => {
  const flags = holdFlags();
  keepHeapSmall();
  const [small, large] = await Promise.all([measure(setFlags(flags) + WORK), measure(WORK)]);

  expect(small.young).toBeGreaterThan(0);
  expect(small.young).toBeLessThanOrEqual(8);
  expect(large.young).toBeGreaterThan(8);
  expect(small.young + small.old).toBeLessThan(large.young + large.old);
});

async function measure(script: string): Promise<{ young: number; old: number }> {
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout) as { young: number; old: number };
}
