import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { confirmProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { keepReport } from '../../../src/ledger/doubt/keep-report.ts';
import { propose } from '../../../src/ledger/proposal/propose.ts';
import { disownBatch, RESOLUTION_ACTIONS, type ResolutionName } from '../../../src/ledger/doubt/resolution-actions.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { verifyAudit } from '../../../src/ledger/file/search.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import { type Transaction, transact } from '../../../src/ledger/engine/transaction.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const because = { actor: 'operator:ada', reason: 'looked at' };
const STATES = Object.keys(BATCH_STATES) as BatchState[];
/** Which state leads where, by resolution. Every other start is refused. */
const WAYS: Record<ResolutionName | 'disown', Partial<Record<BatchState, BatchState>>> = {
  adopt: { unknown: 'submitted' },
  'not-received': { unknown: 'ready' },
  journal: { unknown: 'reconciled' },
  'close-in-doubt': { unknown: 'reconciled', exception: 'reconciled' },
  disown: { exception: 'unknown' },
};

const NAMES = Object.keys(WAYS) as (ResolutionName | 'disown')[];

function subjectOf(batch: BatchRow) {
  const evidence = { batchId: `new-${batch.file_id}`, waitMs: 0 };
  return { file_id: batch.file_id, batch_no: batch.batch_no, evidence };
}

function carryOut(tx: Transaction, name: ResolutionName | 'disown', batch: BatchRow): Promise<unknown> {
  if (name === 'disown') return disownBatch(tx, keyOf(batch), because);
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
      const end = WAYS[name][state];
      const done = transact(world.ledger, (tx) => carryOut(tx, name, batch));
      if (end === undefined)
        await expect(done, `${name} from ${state}`).rejects.toMatchObject({ code: expect.any(String) });
      else await done;
      const after = await readBatchRow(world.ledger, keyOf(batch));
      expect(end === undefined ? after : after.state, name).toEqual(end ?? batch);
    }
  });

  it('leaves an audit chain that is whole', async () => {
    expect(await verifyAudit(world.ledger)).toBeUndefined();
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
