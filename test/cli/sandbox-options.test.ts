import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { makeProgram } from '../../src/cli/run-command-line.ts';
import { readSandboxOptions, SANDBOX_SWITCHES } from '../../src/cli/commands/sandbox.ts';

const DEFAULTS = {
  port: 8899,
  host: '127.0.0.1',
  accounts: [
    { agentCode: 'TEST88', password: 'TEST88' },
    { agentCode: 'TESTCA', password: 'TESTCA' },
  ],
  batchDelayMs: 1000,
  maxRows: 10_000,
  cardDuplicates: true,
  refundsMayExceed: false,
  refundsNeedSettlement: false,
  cutsLongValues: false,
  control: false,
};

describe('readSandboxOptions', () => {
  it.each<[readonly string[], object]>([
    [[], {}],
    [['--port', '0', '--host', '::1'], { port: 0, host: '::1' }],
    [['--accounts', 'A1:one@UK'], { accounts: [{ agentCode: 'A1', password: 'one', server: 'UK' }] }],
    [['--now', '2026-06-15T09:00:00Z'], { now: '2026-06-15T09:00:00Z' }],
    [['--data', 'books'], { dataDir: 'books' }],
    [['--batch-delay', '5', '--max-rows', '7'], { batchDelayMs: 5, maxRows: 7 }],
    [['--no-card-duplicates'], { cardDuplicates: false }],
    [['--refunds-may-exceed'], { refundsMayExceed: true }],
    [['--refunds-need-settlement'], { refundsNeedSettlement: true }],
    [['--cut-long-values'], { cutsLongValues: true }],
    [['--control'], { control: true }],
  ])('%j', async (words, changed) => {
    expect(await read(words)).toEqual({ ...DEFAULTS, ...changed });
  });

  it.each([['--port'], ['--batch-delay'], ['--max-rows'], ['--now'], ['--accounts']])(
    '%s x is refused',
    async (flag) => {
      await expect(read([flag, 'x'])).rejects.toThrow(expect.objectContaining({ code: 'USAGE' }));
    },
  );
});

describe('SANDBOX_SWITCHES', () => {
  it('stand in docs/sandbox.md', async () => {
    const docs = await readFile(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
    for (const [flags] of SANDBOX_SWITCHES) expect(docs).toContain(`| \`${flags}\` |`);
  });
});

/** Reads them through commander, from the command line. */
async function read(words: readonly string[]) {
  let wanted: ReturnType<typeof readSandboxOptions> | undefined;
  const command = {
    name: 'sandbox',
    about: 'x',
    options: SANDBOX_SWITCHES,
    examples: [],
    async run({ options }: { options: Parameters<typeof readSandboxOptions>[0] }) {
      wanted = readSandboxOptions(options);
      return 0;
    },
  };
  await makeProgram([command], () => {}).parseAsync(['sandbox', ...words], { from: 'user' });
  return wanted;
}
