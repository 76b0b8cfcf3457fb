import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import type { ResolutionContext } from '../../../src/actions/resolve/resolution-context.ts';
import type { JournalReading } from '../../../src/actions/resolve/read-journal.ts';
import { contextAt, doubtfulBatch } from '../../workers/support/resolve-context.ts';
import { sayJournal } from '../../../src/cli/resolve/run-verb.ts';

let world: LedgerWorld;
let context: ResolutionContext;
beforeAll(async () => {
  world = await openTestLedger();
  context = await contextAt(world, await doubtfulBatch(world, { name: 'monday.csv' }));
});
afterAll(() => world.close());

const REPORT = {
  sha256: 'a',
  oldestAt: null,
  newestAt: null,
  covers: true,
  coversNot: '',
  neverCovers: false,
  lines: 9,
};

function reading(change: Partial<JournalReading>): JournalReading {
  const counts = { found: 1, absent: 1, ambiguous: 0 };
  return { outcome: { result: 'kept' }, counts, ambiguous: [], report: REPORT, certain: 1, uncertain: [3], ...change };
}

describe('sayJournal', () => {
  it('asks for the second report while rows are lacking', async () => {
    const said = await sayJournal(context, reading({}));
    expect(said).toMatchObject({ status: 4, json: { verb: 'journal', result: 'kept', uncertain: [3] } });
    expect(said.text).toContain('the report shows 1 row, lacks 1, and 0 cannot be told.');
    expect(said.text).toContain('1 of its rows is certain, 1 stays in doubt. What the report says is kept.');
    expect(said.text).toContain('at least 1 day after this one was given');
  });

  it('says why a report proves nothing by what it lacks', async () => {
    const report = { ...REPORT, covers: false, coversNot: 'it begins too late' };
    const said = await sayJournal({ ...context, dryRun: true }, reading({ report, outcome: { result: 'dry-run' } }));
    expect(said.text).toContain('What it lacks proves nothing: it begins too late.');
    expect(said.text).toContain('Dry run, nothing was changed.');
  });

  it('lists rows that cannot be told, the first of many', async () => {
    const ambiguous = Array.from({ length: 25 }, (_, index) => ({ line: index + 2, why: 'another amount' }));
    const counts = { found: 0, absent: 0, ambiguous: 25 };
    const said = await sayJournal(context, reading({ ambiguous, counts }));
    expect(said.text).toMatch(/Line +Cannot be told, because\n[^]*and 5 more/);
    expect(said.text).toContain('give the report of the day');
  });

  it('says that the batch ends when every row is certain', async () => {
    const said = await sayJournal(context, reading({ outcome: { result: 'done' }, certain: 2, uncertain: [] }));
    expect(said).toMatchObject({ status: 0, json: { verb: 'journal', certain: 2 } });
    expect(said.text).toContain('Every row is certain now');
  });
});
