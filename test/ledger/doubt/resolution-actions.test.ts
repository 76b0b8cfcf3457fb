import { beforeAll, describe, expect, it } from 'vitest';
import { BATCH_MOVES, BATCH_STATES, type BatchMove, type BatchState } from '../../../schemas/lifecycle.ts';
import { confirmProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { keepReport } from '../../../src/ledger/doubt/keep-report.ts';
import { bindingOfBatch, propose } from '../../../src/ledger/proposal/propose.ts';
import {
  detachResult,
  RESOLUTION_ACTIONS,
  type ResolutionName,
  settleBatch,
} from '../../../src/ledger/doubt/resolution-actions.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { verifyAudit } from '../../../src/ledger/overview/verify-audit.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { transact, type Transaction } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf, START } from '../../support/ledger-world.ts';
import { readLastCall, resolveAttempts } from '../../../src/ledger/doubt/resolve-attempts.ts';
import { findDueWork } from '../../support/due-work.ts';
import type { RowFinding } from '../../../src/rows/rows.ts';
import { decideRow, type KeptReport } from '../../../src/ledger/doubt/decide-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';

const world = openedForTests(openTestLedger);

const because = { actor: 'operator:ada', reason: 'looked at' };

const STATES = Object.keys(BATCH_STATES) as BatchState[];

/** The moves of each resolution. Every other start is refused. */
const WAYS: Record<ResolutionName | 'disown', readonly BatchMove[]> = {
  adopt: ['adopt'],
  'not-received': ['absolve'],
  journal: ['settle'],
  'close-in-doubt': ['settle', 'map'],
  disown: ['disown'],
};

const NAMES = Object.keys(WAYS) as (ResolutionName | 'disown')[];

function endOf(name: ResolutionName | 'disown', state: BatchState): BatchState | undefined {
  return BATCH_MOVES.find((move) => move.from === state && WAYS[name].includes(move.name))?.to;
}

function subjectOf(batch: BatchRow) {
  const evidence = { batchId: `new-${batch.file_id}`, waitMs: 0 };
  return { file_id: batch.file_id, batch_no: batch.batch_no, evidence };
}

function carryOut(tx: Transaction, name: ResolutionName | 'disown', batch: BatchRow): Promise<unknown> {
  if (name === 'disown') return detachResult(tx, keyOf(batch), because);
  return RESOLUTION_ACTIONS[name].carryOut(tx, subjectOf(batch), because);
}

/** Keeps a report that shows both rows of a batch. */
async function report(batch: BatchRow): Promise<void> {
  const findings = [2, 3].map((line) => ({
    line,
    finding: 'found' as const,
    outcome: 'approved' as const,
    code: null,
    message: 'OK',
    authorization: '',
    transactionId: '',
  }));
  const given = { attempt: 1, name: 'r.csv', sha256: 'b'.repeat(64), lines: 2, oldestAt: null, newestAt: null };
  await transact(world.ledger, (tx) => keepReport(tx, keyOf(batch), { ...given, covers: false, findings }, because));
}

describe('every resolution in every state', () => {
  it.each(STATES)('leads from %s only where the table says', async (state) => {
    for (const name of NAMES) {
      const batch = await world.batchIn(state);
      if (name === 'journal' && state === 'unknown') await report(batch);
      const end = endOf(name, state);
      const done = transact(world.ledger, (tx) => carryOut(tx, name, batch));
      if (end === undefined)
        await expect(done, `${name} from ${state}`).rejects.toMatchObject({ code: expect.any(String) });
      else await done;
      const after = await readBatchRow(world.ledger, keyOf(batch));
      expect(end === undefined ? after : after.state, name).toEqual(end ?? batch);
    }
  });

  it('leaves an audit chain that is whole', async () => {
    expect((await verifyAudit(world.ledger)).brokenAt).toBeUndefined();
  });
});

describe('journal', () => {
  it('is refused while the reports leave a row in doubt', async () => {
    const batch = await world.batchIn('unknown');
    const done = transact(world.ledger, (tx) => carryOut(tx, 'journal', batch));
    await expect(done).rejects.toThrow('the reports leave 2 rows in doubt');
  });
});

describe('close-in-doubt', () => {
  it('keeps what reports have shown and makes the other rows UNKNOWN', async () => {
    const batch = await world.batchIn('unknown', { rowsPerBatch: 3 });
    await report(batch);
    await transact(world.ledger, (tx) => carryOut(tx, 'close-in-doubt', batch));
    const { rows } = await world.ledger.pool.query(
      'SELECT o.outcome FROM row_outcome o JOIN file USING (file_no) WHERE file_id = $1 ORDER BY line',
      [batch.file_id],
    );
    expect(rows.map((row) => row.outcome)).toEqual(['approved', 'approved', 'unknown']);
  });
});

describe('a proposal', () => {
  async function proposed(name: ResolutionName, batch: BatchRow): Promise<number> {
    return transact(world.ledger, async (tx) => {
      const binding = await RESOLUTION_ACTIONS[name].bindingOf(tx, subjectOf(batch));
      const { evidence } = subjectOf(batch);
      return propose(tx, { action: name, ...keyOf(batch), binding, evidence, ...because });
    });
  }

  it('is done when another person confirms it, with who proposed it in the audit trail', async () => {
    const batch = await world.batchIn('unknown');
    const proposalNo = await proposed('not-received', batch);
    await expect(confirmProposal(world.ledger, proposalNo, 'operator:ada')).rejects.toMatchObject({
      code: 'SECOND_PERSON',
    });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('unknown');
    await confirmProposal(world.ledger, proposalNo, 'operator:bea');
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('ready');
    const link = (await world.links(batch.file_id)).find(({ move }) => move === 'absolve');
    expect(link).toMatchObject({
      actor: 'operator:bea',
      evidence: { proposalNo, proposedBy: 'operator:ada', waitMs: 0 },
    });
  });

  it('is void when a report was read since it was made', async () => {
    const batch = await world.batchIn('unknown');
    const proposalNo = await proposed('close-in-doubt', batch);
    await report(batch);
    await expect(confirmProposal(world.ledger, proposalNo, 'operator:bea')).rejects.toMatchObject({
      code: 'PROPOSAL_VOID',
    });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('unknown');
  });

  it('without the waiting time in it does nothing', async () => {
    const batch = await world.batchIn('unknown');
    const subject = { ...subjectOf(batch), evidence: {} };
    for (const name of ['not-received', 'journal', 'close-in-doubt'] as const) {
      const done = transact(world.ledger, (tx) => RESOLUTION_ACTIONS[name].carryOut(tx, subject, because));
      await expect(done).rejects.toMatchObject({ code: 'INTERNAL' });
    }
  });
});

describe('resolveAttempts', () => {
  beforeAll(() => world.empty());

  it('stands beside attempts in doubt only, and ends what was proposed about the batch', async () => {
    const batch = await world.sending();
    await endCall(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence: {} });
    await world.force(
      `INSERT INTO attempt (file_id, batch_no, attempt, worker, host, request_bytes, started_at, ended_at, verdict, call)
       VALUES ($1, 1, 2, 'w', 'h', 1, now(), now(), 'refused', gen_random_uuid())`,
      [batch.file_id],
    );
    await transact(world.ledger, async (tx) => {
      const binding = await bindingOfBatch(tx, keyOf(batch));
      const proposal = { action: 'close-in-doubt', ...keyOf(batch), binding, reason: 'late', actor: 'operator:bea' };
      await propose(tx, proposal);
    });
    await transact(world.ledger, (tx) => resolveAttempts(tx, keyOf(batch), 'settled', because));
    const { rows } = await world.ledger.pool.query(
      'SELECT attempt, resolution, resolved_by FROM attempt WHERE file_id = $1 ORDER BY attempt',
      [batch.file_id],
    );
    expect(rows).toEqual([
      { attempt: 1, resolution: 'settled', resolved_by: 'operator:ada' },
      { attempt: 2, resolution: null, resolved_by: null },
    ]);
    const proposals = await world.ledger.pool.query('SELECT verdict FROM proposal');
    expect(proposals.rows).toEqual([{ verdict: 'void' }]);
  });
});

describe('readLastCall', () => {
  it('is when the last call began, or since when the batch is as it is when there was none', async () => {
    const sent = await world.sending();
    world.clock.advance(60_000);
    const unsent = await world.batchIn('unknown');
    const read = (batch: typeof unsent) => transact(world.ledger, (tx) => readLastCall(tx, keyOf(batch)));
    expect(await read(sent)).toEqual(new Date(START));
    expect(await read(unsent)).toEqual(world.clock.now());
    expect(await transact(world.ledger, (tx) => readLastCall(tx, { fileId: 'nobody', batchNo: 1 }))).toBeNull();
  });
});

async function doubtful(): Promise<BatchRow> {
  const batch = await world.sending();
  await endCall(world.ledger, batch, { verdict: 'unknown', reason: 'reset', evidence: {} });
  return batch;
}

describe('settleBatch', () => {
  beforeAll(() => world.empty());

  it('writes one outcome for each row and makes the outputs of the file due', async () => {
    const batch = await doubtful();
    await transact(world.ledger, (tx) => settleBatch(tx, keyOf(batch), outcomesOf(batch), 'settled', because));
    const settled = await readBatchRow(world.ledger, keyOf(batch));
    expect(settled).toMatchObject({ state: 'reconciled', batch_id: null, next_poll_at: null });
    expect(settled.submitted_at).toEqual(new Date(START));
    expect((await findDueWork(world.ledger)).deliver).toContain(batch.file_id);
    const { rows } = await world.ledger.pool.query('SELECT resolution FROM attempt WHERE file_id = $1', [
      batch.file_id,
    ]);
    expect(rows).toEqual([{ resolution: 'settled' }]);
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ ...because, move: 'settle' });
  });

  it.each([
    ['a row too few', (batch: BatchRow) => outcomesOf(batch).slice(1)],
    ['a row of no batch', (batch: BatchRow) => [...outcomesOf(batch).slice(1), { ...outcomesOf(batch)[0]!, line: 99 }]],
  ])('writes nothing when the outcomes have %s', async (_what, outcomes) => {
    const batch = await doubtful();
    const settle = transact(world.ledger, (tx) => settleBatch(tx, keyOf(batch), outcomes(batch), 'settled', because));
    await expect(settle).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown' });
    const { rows } = await world.ledger.pool.query('SELECT resolution FROM attempt WHERE file_id = $1', [
      batch.file_id,
    ]);
    expect(rows).toEqual([{ resolution: null }]);
  });
});

describe('decideRow', () => {
  const HOUR_MS = 3_600_000;
  const calledAt = new Date('2026-06-15T10:00:00Z');
  const times = { calledAt, waitMs: 24 * HOUR_MS };
  function hoursLater(hours: number): Date {
    return new Date(calledAt.getTime() + hours * HOUR_MS);
  }
  /** A report given `atHours` after the call, with its newest line `newestHours` after it. */
  function report(reportNo: number, atHours: number, newestHours: number, covers = true): KeptReport {
    return { reportNo, covers, newestAt: hoursLater(newestHours), at: hoursLater(atHours) };
  }
  function says(reportNo: number, finding: RowFinding['finding'], outcome: RowFinding['outcome'] = null) {
    return { reportNo, line: 2, finding, outcome, code: null, message: 'm', authorization: '', transactionId: '' };
  }
  const FIRST = report(1, 2, 1);
  const SECOND = report(2, 26, 25);

  it('takes the outcome of the latest report that shows the row, whatever others lack', () => {
    const findings = [says(1, 'found', 'accepted_pending'), says(2, 'found', 'declined'), says(3, 'absent')];
    const row = decideRow(2, findings, [FIRST, SECOND, report(3, 60, 59)], times);
    expect(row).toMatchObject({ line: 2, outcome: 'declined', message: 'm' });
  });

  it('takes a row for not charged when two reports lack it, the second long after the first and reaching further', () => {
    const row = decideRow(2, [says(1, 'absent'), says(2, 'absent')], [FIRST, SECOND], times);
    expect(row).toMatchObject({ outcome: 'not_charged', authorization: '' });
  });

  it.each<[string, ReturnType<typeof says>[], KeptReport[]]>([
    ['no report was given', [], []],
    ['one report lacks it', [says(1, 'absent')], [FIRST]],
    ['the second was given too early', [says(1, 'absent'), says(2, 'absent')], [FIRST, report(2, 25.9, 25)]],
    ['the second reaches no further', [says(1, 'absent'), says(2, 'absent')], [report(1, 2, 25), SECOND]],
    ['the second ends too soon after the call', [says(1, 'absent'), says(2, 'absent')], [FIRST, report(2, 26, 23.9)]],
    ['the first proves nothing', [says(1, 'absent'), says(2, 'absent')], [report(1, 2, 1, false), SECOND]],
    ['the second proves nothing', [says(1, 'absent'), says(2, 'absent')], [FIRST, report(2, 26, 25, false)]],
    ['the second has no times', [says(1, 'absent'), says(2, 'absent')], [FIRST, { ...SECOND, newestAt: null }]],
    ['one report may show it', [says(1, 'absent'), says(2, 'absent'), says(3, 'ambiguous')], [FIRST, SECOND]],
  ])('leaves a row in doubt when %s', (_why, findings, reports) => {
    expect(decideRow(2, findings, reports, times)).toBeUndefined();
  });
});
