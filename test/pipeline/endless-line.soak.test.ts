import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeInstallation } from '../support/installation.ts';
import { writeEndlessLine } from './support/endless-line.ts';
import { runInSmallHeap } from './support/run-in-small-heap.ts';

it('a file of one endless line of 200 MB is refused in a heap that cannot hold it', async () => {
  const installation = await makeInstallation({ accounts: ['main'], serviceUrl: 'http://127.0.0.1:9' });
  onTestFinished(() => installation.remove());
  await writeEndlessLine(join(installation.root, 'drop/main/card/endless.csv'), 200);
  const { status, stdout, stderr } = await runInSmallHeap('measured-intake.ts', installation.root);
  expect(status, stderr).toBe(0);
  const { files, peakMb } = JSON.parse(stdout) as { files: unknown[]; peakMb: number };
  expect(files).toMatchObject([{ state: 'rejected', records: 1, validRows: 0, batched: null }]);
  process.stdout.write(`intake of an endless line: peak ${Math.round(peakMb)} MB\n`);
}, 300_000);
