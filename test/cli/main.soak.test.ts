import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quoteWord } from '../../src/cli/print/paydrop-line.ts';
import { cardRow, lines, upTo } from '../support/payment-rows.ts';
import { paydropWords, runPaydrop, startChild } from './support/run-child.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'paydrop-main-'));
});
afterAll(() => rm(root, { recursive: true }));

describe('the command line as a process', () => {
  it('--help: data on standard output, status 0', async () => {
    const { status, out, err } = await runPaydrop(['--help']);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain('Exit status:');
  });

  it('an error is one sentence on standard error without a stack, status 5', async () => {
    const account = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'A', password: 'P' };
    const folders = [{ path: 'in', account: 'main', operation: 'card' }];
    await writeFile(join(root, 'paydrop.yaml'), JSON.stringify({ accounts: { main: account }, folders }));
    const env = { DATABASE_URL: 'postgres://nobody:hidden@127.0.0.1:1/never' };
    const { status, out, err } = await runPaydrop(['--dir', root, 'status'], env);
    expect({ status, out }).toEqual({ status: 5, out: '' });
    expect(err).toMatch(/^Cannot open the ledger: .*DATABASE_URL is right\.\n$/);
    expect(err).not.toContain('hidden');
  });

  it('a reader that goes away early, as head does, changes nothing of the exit status', async () => {
    // Far more than a pipe holds.
    const path = join(root, 'many faults.csv');
    await writeFile(path, lines(upTo(2_000).map((n) => cardRow(n, { amount: 'ten' }))));
    const line = [...(await paydropWords()), 'validate', path, '--operation', 'card', '--json']
      .map(quoteWord)
      .join(' ');
    const piped = startChild('sh', ['-c', `{ ${line}; echo "status $?" >&2; } | head -n 1`]);
    await piped.ended;
    expect(piped.out()).toBe('{"faults":[\n');
    expect(piped.err()).toBe('status 2\n');
  });
});
