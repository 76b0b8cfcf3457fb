import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { renderFaults } from '../../../scripts/reference/faults.ts';
import { FAULT_KINDS, type FaultName, isFaultName } from '../../../src/sandbox/faults/fault-kinds.ts';
import { FAULT_EXPECTATIONS } from '../../support/fault-expectations.ts';
import { useSandboxes } from '../support/sandbox-world.ts';
import { strikeCall, type Tried } from './support/strike-client.ts';

const world = useSandboxes();
const NAMES = Object.keys(FAULT_KINDS) as FaultName[];
const CASES = NAMES.flatMap((kind) =>
  (['charge', 'submit', 'fetch'] as const).map((tried) => ({ kind, tried, expected: FAULT_EXPECTATIONS[kind][tried] })),
);
const STRIKES = CASES.flatMap(({ kind, tried, expected }) => (expected ? [{ kind, tried, expected }] : []));
const PASSES = CASES.filter(({ expected }) => expected === null);

/** Rows in the books that the call leaves when it is booked. */
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

  it.each(STRIKES)('$kind struck a $tried: the client says $expected, and the books are right', async (strike) => {
    const { kind, tried, expected } = strike;
    const sandbox = await world.start({ batchDelayMs: 0 });
    const answerMs = FAULT_EXPECTATIONS[kind].isEndless ? 120 : 10_000;
    // Struck once only: a charge that was sent again, or followed a redirect, would be booked by the second call.
    const times = tried === 'fetch' ? 'always' : 1;
    const { answer, booked } = await strikeCall(sandbox, tried, { kind, times }, answerMs);
    expect(expected).toContain(answer.kind);
    expect(booked).toBe(FAULT_KINDS[kind].books === 'before' ? ROWS[tried] : 0);
    expect(sandbox.faults.list()[0]?.fired).toBeGreaterThan(0);
  });

  it.each(['booked-then-reset', 'cut-document', 'reset-at-first-byte'] as const)(
    'a fetch that is struck once by %s is repeated and brings the file',
    async (kind) => {
      const sandbox = await world.start({ batchDelayMs: 0 });
      const { answer } = await strikeCall(sandbox, 'fetch', { kind }, 10_000);
      expect(answer.kind).toBe(kind === 'cut-document' ? 'failed' : 'approved');
    },
  );

  it.each(PASSES)('$kind lets a $tried pass', async ({ kind, tried }) => {
    const sandbox = await world.start({ batchDelayMs: 0 });
    // Without a batch before, and without a result, there is nothing for these to strike at.
    const { answer, booked } = await strikeCall(sandbox, tried, { kind, times: 'always' }, 10_000);
    expect(answer.kind).toBe(tried === 'submit' ? 'accepted' : 'approved');
    expect(booked).toBe(ROWS[tried]);
    expect(sandbox.faults.list()).toMatchObject([{ seen: 0, fired: 0 }]);
  });
});
