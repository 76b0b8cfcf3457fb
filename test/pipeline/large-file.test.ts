import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { formatCents } from '../../src/kernel/money.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';

describe('10,000 rows, 3 % of them bad, dropped into a running instance', () => {
  it('come back as 10,000 lines in input order, whose totals are those of the books', async () => {
    const world = await openPipelineWorld();
    try {
      const workers = await world.start();
      const rows = upTo(10_000).map((n) =>
        cardRow(n, n % 33 === 0 ? { amount: 'x' } : { amount: formatCents(100 + n) }),
      );
      await world.drop('card', 'large.csv', lines(rows));
      await expect.poll(() => world.states(), { timeout: 60_000, interval: 200 }).toEqual({ 'large.csv': 'completed' });
      await workers.stop();

      const [result = ''] = Object.values(await world.outputs('result'));
      const table = result
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(','));
      expect(table).toHaveLength(10_000);
      expect(table.every((cells, index) => cells[2] === `C-${index + 1}`)).toBe(true);
      expect(table.filter((cells) => cells[13] === 'INVALID')).toHaveLength(303);
      const approvedCents = table
        .filter((cells) => cells[13] === 'APPROVED')
        .map((cells) => Math.round(Number(cells[9]) * 100));
      const books = world.sandbox.books();
      expect(books).toHaveLength(9_697);
      expect(approvedCents.reduce((sum, cents) => sum + cents, 0)).toBe(
        books.reduce((sum, row) => sum + row.amountCents, 0),
      );
      expect(await compareBooks(world.app, books)).toEqual([]);
    } finally {
      await world.close();
    }
  }, 120_000);
});

describe('a file of 1,000,000 rows', () => {
  const ROWS = 1_000_000;
  const LIMIT_MB = 300;
  let installation: Installation;
  let path: string;

  beforeAll(async () => {
    installation = await makeInstallation({ accounts: ['main'], serviceUrl: 'http://127.0.0.1:9' });
    path = join(installation.root, 'drop/main/card/million.csv');
    await writeRows(path, ROWS);
  }, 120_000);
  afterAll(() => installation?.remove());

  it(`is validated with the process below ${LIMIT_MB} MB`, async () => {
    const { status, stdout, stderr } = await run(
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
    expect(Number(/peak (\d+) MB/.exec(stderr)?.[1])).toBeLessThan(LIMIT_MB);
  }, 180_000);

  it(`is taken into the ledger with the process below ${LIMIT_MB} MB`, async () => {
    const { status, stdout, stderr } = await run('measured-intake.ts', installation.root);
    expect(status, stderr).toBe(0);
    const { files, peakMb } = JSON.parse(stdout) as { files: unknown[]; peakMb: number };
    expect(files).toEqual([{ state: 'accepted', records: ROWS, validRows: ROWS, kept: ROWS, batched: ROWS }]);
    expect(peakMb).toBeLessThan(LIMIT_MB);
  }, 300_000);
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

/**
 * Left to itself V8 lets garbage lie until it has some 100 MB of it, in some runs and not in others. With a small heap it
 * collects in time, and a process that needs more than that dies of it.
 */
const SMALL_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=16'];

async function run(
  script: string,
  ...words: string[]
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const path = join('test/pipeline/support', script);
  const child = spawn(process.execPath, [...SMALL_HEAP, '--import', 'tsx', path, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: child.exitCode, stdout, stderr };
}
