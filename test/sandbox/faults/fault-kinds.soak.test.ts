import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { renderFaults } from '../../../scripts/reference/faults.ts';
import { FAULT_KINDS, type FaultName, isFaultName } from '../../../src/sandbox/faults/fault-kinds.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { FAULT_EXPECTATIONS } from '../../support/fault-expectations.ts';
import { strikeCall, type Tried } from './support/strike-client.ts';

const NAMES = Object.keys(FAULT_KINDS) as FaultName[];
const CASES = NAMES.flatMap((kind) =>
  (['charge', 'submit', 'fetch'] as const).map((tried) => ({ kind, tried, expected: FAULT_EXPECTATIONS[kind][tried] })),
);
const STRIKES = CASES.flatMap(({ kind, tried, expected }) => (expected ? [{ kind, tried, expected }] : []));
const PASSES = CASES.filter(({ expected }) => expected === null);

/** Rows that a booked call leaves in the books. */
const ROWS: Readonly<Record<Tried, number>> = { charge: 1, submit: 1, fetch: 0 };

describe('FAULT_KINDS', () => {
  it('has thirty kinds at least, each with a name in kebab-case and a sentence', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(30);
    for (const name of NAMES) {
      expect(name).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)+$/);
      expect(FAULT_KINDS[name].about).toMatch(/^[A-Z0-9].*\.$/);
      expect(isFaultName(name)).toBe(true);
    }
    expect(isFaultName('toString')).toBe(false);
  });

  it('stands in docs/sandbox.md as it is; if not, run "npm run docs"', async () => {
    const docs = await readFile(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
    expect(docs).toContain(renderFaults());
    for (const name of NAMES) expect(renderFaults()).toContain(`\`${name}\``);
  });

  /** Many wait until a call is given up, so they run side by side. */
  describe.concurrent('in a call', () => {
    it.for(STRIKES)(
      '$kind struck a $tried: the client says $expected, and the books are right',
      async ({ kind, tried, expected }, { expect }) => {
        await useSandbox(async (sandbox) => {
          const answerMs = FAULT_EXPECTATIONS[kind].isEndless ? 120 : 20_000;
          // Strikes once only: a second call, after a resend or a redirect, would be booked.
          const times = tried === 'fetch' ? 'always' : 1;
          const { answer, countBooked } = await strikeCall(sandbox, tried, { kind, times }, answerMs);
          expect(expected).toContain(answer.kind);
          // A client that gives up may be faster than the sandbox.
          await expect.poll(() => sandbox.faults.list()[0]?.fired, QUICK).toBeGreaterThan(0);
          await expect.poll(countBooked, QUICK).toBe(FAULT_KINDS[kind].books === 'before' ? ROWS[tried] : 0);
        });
      },
    );

    it.for(['booked-then-reset', 'cut-document', 'reset-at-first-byte'] as const)(
      'a fetch that is struck once by %s is repeated and brings the file',
      async (kind, { expect }) => {
        await useSandbox(async (sandbox) => {
          const { answer } = await strikeCall(sandbox, 'fetch', { kind }, 20_000);
          expect(answer.kind).toBe(kind === 'cut-document' ? 'failed' : 'approved');
        });
      },
    );

    it.for(PASSES)('$kind lets a $tried pass', async ({ kind, tried }, { expect }) => {
      await useSandbox(async (sandbox) => {
        // Without an earlier batch or a result, these have nothing to strike.
        const { answer, countBooked } = await strikeCall(sandbox, tried, { kind, times: 'always' }, 20_000);
        expect(answer.kind).toBe(tried === 'submit' ? 'accepted' : 'approved');
        expect(countBooked()).toBe(ROWS[tried]);
        expect(sandbox.faults.list()).toMatchObject([{ seen: 0, fired: 0 }]);
      });
    });
  });
});

const QUICK = { interval: 2 };

/** Gives each test its own sandbox; an `afterEach` would close those of the others. */
async function useSandbox(work: (sandbox: Sandbox) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({ batchDelayMs: 0 });
  try {
    await work(sandbox);
  } finally {
    await sandbox.close();
  }
}
