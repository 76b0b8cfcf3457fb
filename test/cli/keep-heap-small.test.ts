import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const KEEP = new URL('../../src/cli/keep-heap-small.ts', import.meta.url).href;

/** Makes objects of which many live for a while, and tells how large the place is where they begin, in MB. */
const WORK = `
  const { getHeapSpaceStatistics } = await import('node:v8');
  for (let round = 0; round < 20; round += 1) {
    const living = [];
    for (let index = 0; index < 100_000; index += 1) living.push({ index });
  }
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  process.stdout.write(String(space.space_size / 2 ** 20));
`;

it('keepHeapSmall keeps the young part of the heap from growing', { timeout: 60_000 }, async () => {
  const small = await measure(`(await import('${KEEP}')).keepHeapSmall(); ${WORK}`);
  const large = await measure(WORK);

  expect(small).toBeGreaterThan(0);
  expect(small).toBeLessThanOrEqual(8);
  expect(large).toBeGreaterThan(8);
});

async function measure(script: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    'tsx',
    '--input-type=module',
    '-e',
    script,
  ]);
  return Number(stdout);
}
