import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { expectLargeDrop } from './support/large-drop.ts';
import { runInSmallHeap } from './support/run-in-small-heap.ts';

describe('10,000 rows, 3 % of them bad, dropped into a running instance', () => {
  it('come back as 10,000 lines in input order, whose totals are those of the books', async () => {
    await expectLargeDrop(10_000, 150_000);
  });
});

describe('a file of 1,000,000 rows', () => {
  const ROWS = 1_000_000;
  let installation: Installation;
  let path: string;

  beforeAll(async () => {
    installation = await makeInstallation({ accounts: ['main'], serviceUrl: 'http://127.0.0.1:9' });
    path = join(installation.root, 'drop/main/card/million.csv');
    await writeRows(path, ROWS);
  });
  afterAll(() => installation?.remove());

  it('is validated in a heap that cannot hold it', async () => {
    const { status, stdout, stderr } = await runInSmallHeap(
      'measured-command.ts',
      '--dir',
      installation.root,
      'validate',
      path,
      '--operation',
      'card',
      '--account',
      'main',
    );
    expect(status, stderr).toBe(0);
    expect(stdout).toContain(`ACCEPTED. ${ROWS} rows, ${ROWS} valid`);
    process.stdout.write(`validate: ${stderr.trim()}\n`);
  }, 400_000);

  it('is taken into the ledger in a heap that cannot hold it', async () => {
    const { status, stdout, stderr } = await runInSmallHeap('measured-intake.ts', installation.root);
    expect(status, stderr).toBe(0);
    const { files, peakMb } = JSON.parse(stdout) as { files: unknown[]; peakMb: number };
    expect(files).toEqual([{ state: 'accepted', records: ROWS, validRows: ROWS, kept: ROWS, batched: ROWS }]);
    process.stdout.write(`intake: peak ${Math.round(peakMb)} MB\n`);
  }, 600_000);
});

async function writeRows(path: string, count: number): Promise<void> {
  const out = createWriteStream(path);
  for (let n = 1; n <= count; n += 1_000) {
    const chunk = lines(upTo(1_000).map((step) => cardRow(n + step - 1)));
    if (!out.write(chunk)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'close');
}
