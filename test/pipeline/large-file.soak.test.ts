import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compareBooks } from '../../src/cli/demo/compare-books.ts';
import { formatCents } from '../../src/kernel/money.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld } from '../support/pipeline-world.ts';
import { buildProgram } from '../support/build-program.ts';

/** One row in this many cannot be sent. */
const BAD_EVERY = 33;

describe('10,000 rows, 3 % of them bad, dropped into a running instance', () => {
  it('come back as 10,000 lines in input order, whose totals are those of the books', async () => {
    const count = 10_000;
    const world = await openPipelineWorld();
    onTestFinished(() => world.close());
    const workers = await world.start();
    const rows = upTo(count).map((n) =>
      cardRow(n, n % BAD_EVERY === 0 ? { amount: 'x' } : { amount: formatCents(100 + n) }),
    );
    await world.drop('card', 'large.csv', lines(rows));
    await expect.poll(() => world.states(), { timeout: 150_000, interval: 50 }).toEqual({ 'large.csv': 'completed' });
    await workers.stop();

    const bad = Math.floor(count / BAD_EVERY);
    const [result = ''] = Object.values(await world.outputs('result'));
    const table = result
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','));
    expect(table).toHaveLength(count);
    expect(table.every((cells, index) => cells[2] === `C-${index + 1}`)).toBe(true);
    expect(table.filter((cells) => cells[13] === 'INVALID')).toHaveLength(bad);
    const approvedCents = table
      .filter((cells) => cells[13] === 'APPROVED')
      .map((cells) => Math.round(Number(cells[9]) * 100));
    const books = world.sandbox.books();
    expect(books).toHaveLength(count - bad);
    expect(approvedCents.reduce((sum, cents) => sum + cents, 0)).toBe(
      books.reduce((sum, row) => sum + row.amountCents, 0),
    );
    expect(await compareBooks(world.app, books)).toEqual([]);
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

/**
 * A process that piles up rows dies of this heap. Its total memory depends on when V8 collects, so it is reported but
 * not judged here.
 */
const SMALL_HEAP = ['--max-old-space-size=128', '--max-semi-space-size=16'];

async function runInSmallHeap(
  script: string,
  ...words: string[]
): Promise<{ status: number | null; stdout: string; stderr: string }> {
  const { fileOf } = await buildProgram();
  const child = spawn(process.execPath, [...SMALL_HEAP, fileOf(`test/pipeline/support/${script}`), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: child.exitCode, stdout, stderr };
}

/** Many bytes without a single line end, such as an export that lost them, or a film. */
describe('a file of one endless line', () => {
  it('of 200 MB is refused in a heap that cannot hold it', async () => {
    const installation = await makeInstallation({ accounts: ['main'], serviceUrl: 'http://127.0.0.1:9' });
    onTestFinished(() => installation.remove());
    await writeEndlessLine(join(installation.root, 'drop/main/card/endless.csv'), 200);
    const { status, stdout, stderr } = await runInSmallHeap('measured-intake.ts', installation.root);
    expect(status, stderr).toBe(0);
    const { files, peakMb } = JSON.parse(stdout) as { files: unknown[]; peakMb: number };
    expect(files).toMatchObject([{ state: 'rejected', records: 1, validRows: 0, batched: null }]);
    process.stdout.write(`intake of an endless line: peak ${Math.round(peakMb)} MB\n`);
  }, 300_000);

  const MEBIBYTE = 1_048_576;

  /** Writes the line in pieces, so that the test itself takes no memory. */
  async function writeEndlessLine(path: string, mebibytes: number): Promise<void> {
    const piece = Buffer.from('K-1,A10000001,25.00,June dues,'.repeat(40_000)).subarray(0, MEBIBYTE);
    const handle = await open(path, 'wx');
    for (let written = 0; written < mebibytes; written += 1) await handle.writeFile(piece);
    await handle.close();
  }
});
