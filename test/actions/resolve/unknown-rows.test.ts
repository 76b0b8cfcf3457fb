import { describe, expect, it } from 'vitest';
import { closeInDoubt } from '../../../src/actions/resolve/carry-out.ts';
import { closeBatchInDoubt } from '../../../src/actions/resolve/doubt-actions.ts';
import { journal } from '../../../src/actions/resolve/journal-action.ts';
import { readJournal } from '../../../src/actions/resolve/read-journal.ts';
import { resolutionOptions } from '../../../src/actions/resolve/resolution-options.ts';
import { confirm } from '../../../src/actions/proposal-actions.ts';
import { readProposal } from '../../../src/ledger/proposal/proposals.ts';
import type { ActionContext, Input } from '../../../src/actions/action.ts';
import { describeDoubt, readInDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import { listUndecided, readUnknownRows } from '../../../src/ledger/doubt/unknown-rows.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { confirmProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { changeOutcomes, readChanges } from '../../../src/ledger/row/change-outcomes.ts';
import { keyOf, openTestLedger, START } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import {
  ACCOUNT,
  chargedAt,
  contextAt,
  contextForTwo,
  DAY_MS,
  dayReport,
  doubtfulBatch,
  persons,
  type ReportLine,
  undecidedBatch,
} from '../../workers/support/resolve-context.ts';

/**
 * Rows of a finished batch whose outcome is unknown, because the service answered TIMEOUT: they stay listed until a
 * report, a later result or a person decides them.
 */
const world = openedForTests(openTestLedger);
const HOUR_MS = 3_600_000;

const hours = (count: number): ReportLine => ({ at: new Date(new Date(START).getTime() + count * HOUR_MS) });

function rowLine(batch: BatchRow, line: number, more: Partial<ReportLine> = {}): ReportLine {
  return { ...hours(0.01), invoice: `INV-${batch.file_id}-${line}`, total: `${line}.00`, number: '****0001', ...more };
}

const given = (lines: readonly ReportLine[], name = 'report.csv') => ({
  name,
  bytes: Buffer.from(dayReport(lines)),
  reason: 'what the report says',
});

async function undecided(account?: string): Promise<BatchRow> {
  world.clock.set(START);
  return undecidedBatch(world, account === undefined ? {} : { account });
}

const fileNoOf = async ({ file_id: fileId }: BatchRow) => (await readFileRow(world.ledger, fileId)).file_no;

async function unknownOf(batch: BatchRow) {
  const rows = await readUnknownRows(world.ledger.pool, await fileNoOf(batch), batch.batch_no);
  return rows.map(({ line, isClosed }) => ({ line, isClosed }));
}

const isListed = async ({ file_id: fileId }: BatchRow) =>
  (await listUndecided(world.ledger.pool)).some((batch) => batch.fileId === fileId);

/** Records another outcome of line 3, as a result that is fetched again does. */
async function correct(batch: BatchRow, outcome: 'approved' | 'unknown', code: number | null = null): Promise<void> {
  const row = { line: 3, outcome, code, message: 'later', authorization: '' };
  const by = { actor: 'worker:poll', reason: 'asked again', source: 'asked again' };
  await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), [row], by));
}

describe('undecided rows', () => {
  it('are listed with rows and money, apart from the batch in doubt and from rows with an outcome', async () => {
    await world.empty();
    const batch = await undecided();
    await doubtfulBatch(world);
    expect(await listUndecided(world.ledger.pool)).toEqual([
      {
        fileId: batch.file_id,
        batchNo: 1,
        account: batch.account,
        name: expect.any(String),
        rows: 1,
        cents: 300,
        since: new Date(START),
      },
    ]);
    const found = await readInDoubt(world.ledger);
    expect(found.map(({ batch: { state }, unknownRows }) => [state, unknownRows.length])).toEqual([
      ['unknown', 0],
      ['reconciled', 1],
    ]);
    expect(found[1]!.unknownRows[0]).toMatchObject({ line: 3, message: 'TIMEOUT', isClosed: false });
    expect(await listUndecided(world.ledger.pool, await fileNoOf(batch))).toHaveLength(1);
    expect(await listUndecided(world.ledger.pool, 0)).toEqual([]);
  });

  it('leave the list when a later result decides them, and return with a later doubt', async () => {
    const batch = await undecided();
    await correct(batch, 'approved');
    expect(await isListed(batch)).toBe(false);
    await correct(batch, 'unknown');
    expect(await isListed(batch)).toBe(true);
  });

  it('leave the list when a person closes them, and return when something new casts doubt on them', async () => {
    const batch = await undecided();
    await closeInDoubt(await contextAt(world, batch), 'the service cannot say');
    expect(await unknownOf(batch)).toEqual([{ line: 3, isClosed: true }]);
    expect(await isListed(batch)).toBe(false);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ move: 'close-rows', actor: 'operator:ada' });
    world.clock.advance(HOUR_MS);
    await correct(batch, 'unknown', 70);
    expect(await unknownOf(batch)).toEqual([{ line: 3, isClosed: false }]);
    expect(await isListed(batch)).toBe(true);
  });

  it.each(['unknown', 'exception'] as const)('are none of a batch that a person closed while %s', async (state) => {
    const batch = await doubtfulBatch(world);
    await world.putBatch(keyOf(batch), state);
    await closeInDoubt(await contextAt(world, batch), 'the service cannot say');
    expect(await unknownOf(batch)).toEqual([
      { line: 2, isClosed: true },
      { line: 3, isClosed: true },
    ]);
    expect(await isListed(batch)).toBe(false);
  });
});

describe('readJournal of a finished batch', () => {
  it.each([
    ['charged', {}, 'accepted_pending', 'unknown > accepted_pending'],
    ['declined', { result: 'REJ: 15' }, 'declined', 'unknown > declined'],
  ])('takes the outcome of a row that a report shows as %s, as a correction', async (_word, more, outcome, change) => {
    const batch = await undecided();
    const context = await contextAt(world, batch);
    const report = given([rowLine(batch, 3, more)]);
    expect(await readJournal({ ...context, dryRun: true }, report)).toMatchObject({ outcome: { result: 'dry-run' } });
    expect(await isListed(batch)).toBe(true);
    const reading = await readJournal(context, report);
    expect(reading).toMatchObject({ outcome: { result: 'done' }, counts: { found: 1, absent: 0 }, certain: 1 });
    expect(await readChanges(world.ledger, await fileNoOf(batch), 1)).toMatchObject([
      { line: 3, outcome, old_outcome: 'unknown', source: 'a transaction report of the service' },
    ]);
    const links = await world.links(batch.file_id);
    expect(links.at(-1)).toMatchObject({
      move: 'correct',
      evidence: { changes: { [change]: { rows: 1, cents: 300 } } },
    });
    expect(await isListed(batch)).toBe(false);
    await expect(readJournal(context, report)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('takes no single report that lacks a row for proof, and two only under the rules of a batch in doubt', async () => {
    const known = await chargedAt(world, 'silent', hours(-1).at);
    const batch = await undecided('silent');
    const context = await contextAt(world, batch);
    const others = [known, rowLine(batch, 2)];
    world.clock.advance(2 * HOUR_MS);
    const first = await readJournal(context, given([...others, hours(1)]));
    expect(first).toMatchObject({ outcome: { result: 'kept' }, certain: 0, uncertain: [3], report: { covers: true } });
    world.clock.advance(HOUR_MS);
    expect(await readJournal(context, given([...others, hours(2)], 'soon.csv'))).toMatchObject({
      outcome: { result: 'kept' },
      uncertain: [3],
    });
    expect(await isListed(batch)).toBe(true);
    world.clock.advance(DAY_MS);
    const last = await readJournal(context, given([...others, hours(26)], 'later.csv'));
    expect(last).toMatchObject({ outcome: { result: 'done' }, certain: 1, uncertain: [] });
    const [changed] = await readChanges(world.ledger, await fileNoOf(batch), 1);
    expect(changed).toMatchObject({ line: 3, outcome: 'not_charged' });
  });

  it('never changes a row whose outcome is known, whatever a report shows', async () => {
    const batch = await undecided();
    const lines = [rowLine(batch, 2, { result: 'REJ: 15' }), rowLine(batch, 3)];
    await readJournal(await contextAt(world, batch), given(lines));
    const changes = await readChanges(world.ledger, await fileNoOf(batch), 1);
    expect(changes.map(({ line }) => line)).toEqual([3]);
  });

  it('also decides a row that a person had closed', async () => {
    const batch = await undecided();
    await closeInDoubt(await contextAt(world, batch), 'the service cannot say');
    const reading = await readJournal(await contextAt(world, batch), given([rowLine(batch, 3)]));
    expect(reading).toMatchObject({ outcome: { result: 'done' }, certain: 1 });
    expect(await unknownOf(batch)).toEqual([]);
  });

  it('only proposes where two persons are needed, and decides when the second one confirms', async () => {
    const batch = await undecided();
    const reading = await readJournal(await contextForTwo(world, batch), given([rowLine(batch, 3)]));
    expect(reading.outcome).toMatchObject({ result: 'proposed' });
    expect(await isListed(batch)).toBe(true);
    const { proposalNo } = reading.outcome as { proposalNo: number };
    await confirmProposal(world.ledger, proposalNo, 'operator:bob');
    expect(await isListed(batch)).toBe(false);
  });

  it('decides nothing when a result that is fetched again decided the row before the second person', async () => {
    const batch = await undecided();
    const { outcome } = await readJournal(await contextForTwo(world, batch), given([rowLine(batch, 3)]));
    await correct(batch, 'approved');
    const { proposalNo } = outcome as { proposalNo: number };
    await expect(confirmProposal(world.ledger, proposalNo, 'operator:bob')).rejects.toMatchObject({
      code: 'PROPOSAL_VOID',
    });
    expect(await readChanges(world.ledger, await fileNoOf(batch), 2)).toEqual([]);
  });

  it('shows the second person each row with its outcome, and binds the confirmation to them', async () => {
    const batch = await undecided();
    const outcome = await closeInDoubt(await contextForTwo(world, batch), 'the service cannot say');
    const { proposalNo } = outcome as { proposalNo: number };
    const context = { ledger: world.ledger, settings: { accounts: new Map(), folders: [], newcomerDays: 0 } };
    const plan = async () => {
      const proposal = await readProposal(world.ledger, proposalNo);
      const subject = { kind: 'proposal', proposal, file: await readFileRow(world.ledger, batch.file_id) } as const;
      return confirm.plan(context as unknown as ActionContext, subject, { actor: 'operator:bob' } as Input);
    };
    const { listing, facts } = await plan();
    expect(listing!.rows).toEqual([['3', 'In doubt', expect.stringContaining('closed in doubt')]]);
    expect(facts).toContainEqual(['Rows by outcome', 'In doubt: 1']);
    // Another row than the one that was looked at.
    const by = { actor: 'worker:poll', reason: 'asked again', source: 'asked again' };
    const row = { line: 2, outcome: 'unknown', code: null, message: 'later', authorization: '' } as const;
    await transact(world.ledger, (tx) => changeOutcomes(tx, keyOf(batch), [row], by));
    await expect(plan()).rejects.toMatchObject({ code: 'PROPOSAL_VOID' });
    await expect(confirmProposal(world.ledger, proposalNo, 'operator:bob')).rejects.toMatchObject({
      code: 'PROPOSAL_VOID',
    });
    expect(await unknownOf(batch)).toEqual([
      { line: 2, isClosed: false },
      { line: 3, isClosed: false },
    ]);
  });
});

describe('the actions on a finished batch', () => {
  async function placeOf(batch: BatchRow) {
    const { account, gateway, ...rest } = await contextAt(world, batch);
    const context = {
      ledger: world.ledger,
      settings: { accounts: new Map() },
      account: () => account,
      gateway: () => gateway,
    };
    return {
      context: context as unknown as ActionContext,
      place: { kind: 'batch', file: rest.file, batch: rest.batch } as const,
    };
  }
  const input = (lines: readonly ReportLine[]) => ({ actor: 'operator:ada', filled: {}, file: given(lines) });
  const because = { actor: 'operator:ada', reason: 'as the report says' };

  it('plan and do what the report decides, and say that a correction follows', async () => {
    const batch = await undecided();
    const { context, place } = await placeOf(batch);
    const plan = await journal.plan(context, place, input([rowLine(batch, 3)]));
    expect(plan.says.join(' ')).toContain(
      '1 unknown row gets the outcome of the reports, and a correction file follows.',
    );
    expect(plan.button).toBe('Give the rows the outcomes of the reports');
    const done = await journal.run(context, place, input([rowLine(batch, 3)]), because);
    expect(done.details?.join(' ')).toContain('a correction file follows');
    expect(done.status).toBeUndefined();
  });

  it('say what is still unknown when the report decides nothing', async () => {
    const batch = await undecided();
    const { context, place } = await placeOf(batch);
    const plan = await journal.plan(context, place, input([hours(1)]));
    expect(plan.says.join(' ')).toContain('The reports decide no row yet.');
    expect(plan.button).toBe('Save the findings of the report');
    const done = await journal.run(context, place, input([hours(1)]), because);
    expect(done).toMatchObject({ status: 'unknownOpen', says: expect.stringContaining('still unknown') });
  });

  it('name the rows and the money that are closed, and not the whole batch', async () => {
    const { context, place } = await placeOf(await undecided());
    const plan = await closeBatchInDoubt.plan(context, place, { actor: 'operator:ada', filled: {} });
    expect(plan.button).toContain('1 row, 3.00');
  });

  it.each(['journal', 'close-in-doubt'] as const)('refuse %s when every row has a known outcome', async (name) => {
    const batch = await undecided();
    await correct(batch, 'approved');
    const { context, place } = await placeOf(batch);
    const action = name === 'journal' ? journal : closeBatchInDoubt;
    await expect(action.plan(context, place, input([hours(1)]))).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });

  it('are the report and the closing, and nothing that would send the batch again', async () => {
    const found = await describeDoubt(world.ledger, await undecided());
    const account = { ...ACCOUNT, secondPerson: persons(true) };
    const options = resolutionOptions(found, { account, calledAt: new Date(START) });
    expect(options.map(({ action }) => action)).toEqual(['journal', 'close-in-doubt']);
    expect(options[1]!.says.join(' ')).toContain('Another person must confirm it.');
  });
});
