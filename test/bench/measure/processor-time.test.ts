import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { processorMsOf } from '../../../bench/measure/processor-time.ts';

const WORK_300_MS = `
  const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
  while (used() < 300);
`;

it('processorMsOf counts a process and what it has started, whether that has ended or not', async () => {
  const child = spawn(process.execPath, [
    '-e',
    `const { spawn, spawnSync } = require('node:child_process');
     const work = ${JSON.stringify(WORK_300_MS)};
     ${WORK_300_MS}
     spawnSync(process.execPath, ['-e', work]);
     const living = spawn(process.execPath, ['-e', work + "console.log('up'); setInterval(() => {}, 1000)"]);
     living.stdout.once('data', () => console.log('all'));
     process.stdin.on('end', () => { living.kill(); process.exit(); }).resume();`,
  ]);
  await once(child.stdout, 'data');
  const ms = processorMsOf(child.pid!);
  child.stdin.end();
  await once(child, 'exit');
  expect(ms).toBeGreaterThanOrEqual(850);
  expect(processorMsOf(child.pid!)).toBeNull();
});

it('processorMsOf is not led astray by the name of a process', async () => {
  const script = `process.title = 'a) R 1 2 (b'; ${WORK_300_MS} console.log('up'); process.stdin.resume()`;
  const child = spawn(process.execPath, ['-e', script]);
  await once(child.stdout, 'data');
  const ms = processorMsOf(child.pid!);
  child.stdin.end();
  await once(child, 'exit');
  expect(ms).toBeGreaterThanOrEqual(290);
  expect(ms).toBeLessThan(60_000);
});
