import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LayoutName } from '../../schemas/layouts.ts';
import { judgeResult } from '../../workers/poll/judge-result.ts';
import {
  answer,
  type Answered,
  ENCODINGS,
  MUTATIONS,
  operationOf,
  SAYS,
  sentRow,
  someFile,
  someMutation,
} from './support/result-rows.ts';

/**
 * Whatever happens to a result file in transit, every row gets exactly the service's outcome, or the batch is an
 * exception. The right outcome is known from making the file, not from reading it.
 */

function judge(layout: LayoutName, answered: readonly Answered[], bytes: Buffer) {
  const sent = answered.map((row) => row.sent);
  const cents = sent.reduce((sum, row) => sum + row.amountCents, 0);
  return judgeResult({ operation: operationOf(layout), rows: sent.length, cents }, layout, sent, bytes);
}

/** Checks that every row has the service's outcome, by line, and none is missing. */
function expectTruth(judged: ReturnType<typeof judge>, answered: readonly Answered[]): void {
  if (judged.kind !== 'fits') throw new Error(judged.reason);
  const truth = answered.map(({ sent, says: [, outcome, code] }) => ({ line: sent.line, outcome, code }));
  expect(judged.rows.map(({ line, outcome, code }) => ({ line, outcome, code }))).toEqual(truth);
}

describe('a result file', () => {
  it('gives every row its own outcome when nothing happens to it', () => {
    fc.assert(
      fc.property(someFile, fc.constantFrom('\r\n', '\n', '\r'), ({ layout, answered }, end) => {
        const text = answered.map((row) => row.text + end).join('');
        expectTruth(judge(layout, answered, Buffer.from(text)), answered);
      }),
    );
  });

  it('gives every row its own outcome, or none at all, whatever happens to it', () => {
    const seen = { fits: 0, misfit: 0 };
    fc.assert(
      fc.property(
        someFile,
        fc.array(someMutation, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...ENCODINGS),
        fc.constantFrom('\r\n', '\n', '\r'),
        ({ layout, answered }, mutations, encode, end) => {
          let lines: readonly string[] = answered.map((row) => row.text);
          for (const [mutation, pick] of mutations) if (lines.length > 0) lines = mutation.change(lines, pick);
          const judged = judge(layout, answered, encode(lines.map((line) => line + end).join('')));
          seen[judged.kind] += 1;
          if (judged.kind === 'fits') expectTruth(judged, answered);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(seen.fits).toBeGreaterThan(100);
    expect(seen.misfit).toBeGreaterThan(100);
  });

  it.each(MUTATIONS.filter((mutation) => mutation.breaks))('never passes for whole after: $name', ({ change }) => {
    fc.assert(
      fc.property(someFile, fc.nat(1_000), ({ layout, answered }, pick) => {
        const before = answered.map((row) => row.text);
        const lines = change(before, pick);
        fc.pre(lines.join('\n') !== before.join('\n'));
        expect(judge(layout, answered, Buffer.from(lines.map((line) => `${line}\r\n`).join(''))).kind).toBe('misfit');
      }),
    );
  });

  it.each(MUTATIONS.filter((mutation) => !mutation.breaks && !mutation.name.startsWith('repeat')))(
    'is understood after: $name',
    ({ change }) => {
      fc.assert(
        fc.property(someFile, fc.nat(1_000), ({ layout, answered }, pick) => {
          const lines = change(
            answered.map((row) => row.text),
            pick,
          );
          expectTruth(judge(layout, answered, Buffer.from(lines.map((line) => `${line}\r\n`).join(''))), answered);
        }),
      );
    },
  );

  it('cut anywhere, gives no row a charge, a decline or a code that the service did not say', () => {
    fc.assert(
      fc.property(someFile, fc.nat(4_000), ({ layout, answered }, pick) => {
        const whole = answered.map((row) => `${row.text}\r\n`).join('');
        const judged = judge(layout, answered, Buffer.from(whole.slice(0, pick % whole.length)));
        if (judged.kind === 'misfit') return;
        const last = judged.rows.at(-1)!;
        expectTruth({ ...judged, rows: [...judged.rows.slice(0, -1), trueRow(answered.at(-1)!, last)] }, answered);
        const [, outcome, code] = answered.at(-1)!.says;
        if (last.outcome !== 'unknown') expect([last.outcome, last.code]).toEqual([outcome, code]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of the same rows twice keeps the outcomes of equal rows among them, in order only', () => {
    const sent = [2, 3].map((line) => sentRow('ach-code', { line }));
    const says = [SAYS[3]!, SAYS[4]!];
    const answered = sent.map((row, index) => answer('ach-code', row, says[index]!, 'x'));
    const other = answer('ach-code', sentRow('ach-code', { line: 4, invoice: 'INV-2' }), SAYS[3]!, 'x');
    const bytes = (rows: readonly Answered[]) => Buffer.from(rows.map((row) => `${row.text}\r\n`).join(''));
    const all = [...answered, other];
    expectTruth(judge('ach-code', all, bytes(all)), all);
    expect(judge('ach-code', all, bytes(all.toReversed())).kind).toBe('misfit');
  });
});

/** Returns the last row with its true outcome, to compare the others. */
function trueRow<Row>({ says: [, outcome, code] }: Answered, row: Row): Row {
  return { ...row, outcome, code };
}
