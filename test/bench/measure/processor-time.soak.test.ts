import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { processorMsOf } from '../../../bench/measure/processor-time.ts';

const WORK_100_MS = `
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  while (used() < 100);
`;

/** The system counts user and system time in ticks, each rounded down. */
const TICKS_MS = 20;

it('processorMsOf counts a process and what it has started, whether that has ended or not', async () => {
  const child = spawn(process.execPath, [
    '-e',
    `const { spawn, spawnSync } = require('node:child_process');
     const work = ${JSON.stringify(WORK_100_MS)};
     ${WORK_100_MS}
     spawnSync(process.execPath, ['-e', work]);
     const living = spawn(process.execPath, ['-e', work + "console.log('up'); setInterval(() => {}, 1000)"]);
     living.stdout.once('data', () => console.log('all'));
     process.stdin.on('end', () => { living.kill(); process.exit(); }).resume();`,
  ]);
  await once(child.stdout, 'data');
  const ms = processorMsOf(child.pid!);
  child.stdin.end();
  await once(child, 'exit');
  expect(ms).toBeGreaterThanOrEqual(3 * 100 - 3 * TICKS_MS);
  expect(processorMsOf(child.pid!)).toBeNull();
});

it('processorMsOf is not led astray by the name of a process', async () => {
  const script = `process.title = 'a) R 1 2 (b'; ${WORK_100_MS} console.log('up'); process.stdin.resume()`;
  const child = spawn(process.execPath, ['-e', script]);
  await once(child.stdout, 'data');
  const ms = processorMsOf(child.pid!);
  child.stdin.end();
  await once(child, 'exit');
  expect(ms).toBeGreaterThanOrEqual(100 - TICKS_MS);
  expect(ms).toBeLessThan(60_000);
});
