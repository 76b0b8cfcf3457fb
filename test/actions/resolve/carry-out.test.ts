import { describe, expect, it } from 'vitest';
import { keepReport } from '../../../src/ledger/doubt/keep-report.ts';
import { readBatchRow, readOutcomeTotals } from '../../../src/ledger/file/read-file.ts';
import { transact, type Transaction } from '../../../src/ledger/engine/transaction.ts';
import {
  carryOut,
  closeInDoubt,
  declareNotReceived,
  detachBatchResult,
  mustBeIn,
  refuse,
  tryOut,
} from '../../../src/actions/resolve/carry-out.ts';
import { keyOf, openTestLedger } from '../../support/ledger-world.ts';
import { contextAt, contextForTwo, DAY_MS, doubtfulBatch, resultOf } from '../../workers/support/resolve-context.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { assignById, compareResult } from '../../../src/actions/resolve/assign-batch-id.ts';
import { CARD } from '../../support/payment-rows.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';

const world = openedForTests(openTestLedger);

const ORDER = { reason: 'nobody can say', evidence: { waitMs: 0 } };

async function reportsOf(fileId: string): Promise<number> {
  const { rowCount } = await world.ledger.pool.query('SELECT 1 FROM transaction_report WHERE file_id = $1', [fileId]);
  return rowCount ?? 0;
}

function keepEmptyReport(batch: Parameters<typeof keyOf>[0]) {
  const report = { attempt: 1, name: 'r.csv', sha256: 'c'.repeat(64), lines: 0, oldestAt: null, newestAt: null };
  return async (tx: Transaction): Promise<void> => {
    const because = { actor: 'operator:ada', reason: 'read' };
    await keepReport(tx, keyOf(batch), { ...report, covers: false, findings: [] }, because);
  };
}

describe('carryOut', () => {
  it('does it at once where one person is enough', async () => {
    const batch = await doubtfulBatch(world);
    expect(await carryOut(await contextAt(world, batch), 'close-in-doubt', ORDER)).toEqual({ result: 'done' });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('reconciled');
  });

  it('only tries it in a dry run: neither the batch nor anything beside it changes', async () => {
    const batch = await doubtfulBatch(world);
    const before = await world.links(batch.file_id);
    const context = await contextAt(world, batch, { dryRun: true });
    expect(await carryOut(context, 'close-in-doubt', ORDER, keepEmptyReport(batch))).toEqual({ result: 'dry-run' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await world.links(batch.file_id)).toEqual(before);
    expect(await reportsOf(batch.file_id)).toBe(0);
  });

  it('proposes it where two persons are needed, and keeps what comes with it', async () => {
    const batch = await doubtfulBatch(world);
    const context = await contextForTwo(world, batch);
    const outcome = await carryOut(context, 'close-in-doubt', ORDER, keepEmptyReport(batch));
    expect(outcome).toEqual({ result: 'proposed', proposalNo: expect.any(Number) });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await reportsOf(batch.file_id)).toBe(1);
    const { rows } = await world.ledger.pool.query('SELECT action, evidence, made_by, verdict FROM proposal');
    expect(rows).toEqual([
      { action: 'close-in-doubt', evidence: { waitMs: 0 }, made_by: 'operator:ada', verdict: null },
    ]);
    await expect(carryOut(context, 'close-in-doubt', ORDER)).rejects.toMatchObject({ code: 'PROPOSAL_OPEN' });
  });

  it('proposes nothing that would be refused', async () => {
    const batch = await doubtfulBatch(world);
    const tooEarly = carryOut(await contextForTwo(world, batch), 'not-received', {
      ...ORDER,
      evidence: { waitMs: 1_000 },
    });
    await expect(tooEarly).rejects.toMatchObject({ code: 'RESOLUTION_REFUSED' });
    const { rowCount } = await world.ledger.pool.query('SELECT 1 FROM proposal WHERE file_id = $1', [batch.file_id]);
    expect(rowCount).toBe(0);
  });
});

describe('tryOut', () => {
  it('passes on what went wrong, and the transaction can go on', async () => {
    const done = transact(world.ledger, async (tx) => {
      await expect(tryOut(tx, async (trial) => void (await trial.client.query('SELECT nonsense')))).rejects.toThrow();
      return (await tx.client.query<{ one: number }>('SELECT 1 AS one')).rows[0]!.one;
    });
    expect(await done).toBe(1);
  });
});

describe('mustBeIn and refuse', () => {
  it('name the batch, why, and what is to be done', async () => {
    const batch = await doubtfulBatch(world);
    const context = await contextAt(world, batch);
    expect(() => mustBeIn(context, 'adopt', 'unknown')).not.toThrow();
    expect(() => mustBeIn(context, 'disown', 'exception')).toThrow(
      `Cannot disown batch 1 of file "${context.file.name}": its state is in doubt; it must be result mismatch.`,
    );
    expect(refuse(context, 'adopt', 'it is early', 'Wait.').message).toMatch(/: it is early\. Wait\.$/);
    expect(refuse(context, 'adopt', 'it is early').message).toMatch(/: it is early\. Nothing was changed;/);
  });
});

describe('assignById', () => {
  it('adopts the id under which every row matches, with the proof in the audit trail', async () => {
    const batch = await doubtfulBatch(world);
    const context = await contextAt(world, batch, { answers: { 9001: resultOf(batch) } });
    expect(await assignById({ ...context, dryRun: true }, '9001')).toEqual({ result: 'dry-run' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await assignById(context, '9001')).toEqual({ result: 'done' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'submitted', batch_id: '9001' });
    const evidence = { batchId: '9001', rows: 2, resultSha256: expect.stringMatching(/^[0-9a-f]{64}$/) };
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject({ move: 'adopt', actor: 'operator:ada', evidence });
  });

  it('shows the rows that differ and changes nothing', async () => {
    const batch = await doubtfulBatch(world);
    const context = await contextAt(world, batch, { answers: { 9002: resultOf(batch, [2, 9]) } });
    const outcome = await assignById(context, '9002');
    expect(outcome).toMatchObject({ result: 'differs', differences: [expect.objectContaining({ position: 2 })] });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('is refused with its reason where there is nothing to compare', async () => {
    const batch = await doubtfulBatch(world, { account: 'shared' });
    const known = await world.batchIn('reconciled', { account: 'shared' });
    const context = await contextAt(world, batch, {
      answers: { busy: { kind: 'running', text: 'wait' }, down: { kind: 'failed', why: 'connection refused' } },
    });
    const reasons: [string, RegExp][] = [
      ['busy', /the service is still processing that batch\. Nothing was changed; try again/],
      ['down', /connection refused/],
      ['nobody', /the service does not know that id: no such batch/],
      ['has blanks', /that is not a batch id/],
      [known.batch_id!, /batch 1 of file .* has it/],
    ];
    for (const [id, words] of reasons) {
      const refused = assignById(context, id);
      await expect(refused, id).rejects.toMatchObject({ code: 'RESOLUTION_REFUSED' });
      await expect(refused, id).rejects.toThrow(words);
    }
    await expect(assignById(context, CARD)).rejects.toThrow(/^(?![^]*4222222222222220)/);
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });

  it('asks the service nothing about a batch that is not in doubt', async () => {
    const batch = await world.batchIn('submitted');
    const context = await contextAt(world, batch, {
      gateway: { fetchBatchResult: () => Promise.reject(new Error('was asked')) },
    });
    await expect(assignById(context, '9003')).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

describe('closeInDoubt', () => {
  it.each(['unknown', 'exception'] as const)('makes every row of a batch that is %s UNKNOWN', async (state) => {
    const batch = await world.batchIn(state);
    const context = await contextAt(world, batch);
    expect(await closeInDoubt(context, 'nobody can say')).toEqual({ result: 'done' });
    expect((await readBatchRow(world.ledger, keyOf(batch))).state).toBe('reconciled');
    expect(await readOutcomeTotals(world.ledger, context.file.file_no)).toEqual({ unknown: { rows: 2, cents: 500 } });
  });

  it('is refused for a batch that is on its way', async () => {
    const context = await contextAt(world, await world.batchIn('submitted'));
    await expect(closeInDoubt(context, 'tired of waiting')).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

const WORDS = { evidence: 'Ann, ticket 4711', reason: 'never arrived' };

describe('declareNotReceived', () => {
  it('is possible from the end of the waiting time on, with the evidence in the audit trail', async () => {
    const batch = await doubtfulBatch(world);
    const context = await contextAt(world, batch);
    world.clock.advance(DAY_MS - 1);
    await expect(declareNotReceived(context, WORDS)).rejects.toThrow('the service may still book it');
    world.clock.advance(1);
    expect(await declareNotReceived(context, WORDS)).toEqual({ result: 'done' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'ready', attempt: 2 });
    const link = { move: 'absolve', reason: WORDS.reason, evidence: { evidence: WORDS.evidence, waitMs: DAY_MS } };
    expect((await world.links(batch.file_id)).at(-1)).toMatchObject(link);
  });

  it.each(['', 'yes', 'it is', '- - - -'])('does not take "%s" for evidence', async (evidence) => {
    const batch = await doubtfulBatch(world);
    world.clock.advance(DAY_MS);
    const done = declareNotReceived(await contextAt(world, batch), { ...WORDS, evidence });
    await expect(done).rejects.toThrow('the evidence is too short');
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
  });
});

describe('detachBatchResult', () => {
  it('puts an exception in doubt; a dry run leaves it', async () => {
    const batch = await world.batchIn('exception');
    const context = await contextAt(world, batch);
    expect(await detachBatchResult({ ...context, dryRun: true }, 'of another file')).toEqual({ result: 'dry-run' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toEqual(batch);
    expect(await detachBatchResult(context, 'of another file')).toEqual({ result: 'done' });
    expect(await readBatchRow(world.ledger, keyOf(batch))).toMatchObject({ state: 'unknown', batch_id: null });
  });

  it('is refused for a batch whose result fits', async () => {
    const context = await contextAt(world, await world.batchIn('reconciled'));
    await expect(detachBatchResult(context, 'of another file')).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
  });
});

describe('compareResult', () => {
  it('matches only when every row is one that was sent', async () => {
    const batch = await doubtfulBatch(world);
    const garbage: ResultAnswer = { kind: 'done', file: Buffer.from('\u0000'), text: '' };
    const running: ResultAnswer = { kind: 'running', text: 'Batch Processing' };
    const answers = {
      all: resultOf(batch),
      turned: resultOf(batch, [3, 2]),
      one: resultOf(batch, [2]),
      more: resultOf(batch, [2, 3, 4]),
      other: resultOf({ file_id: 'other' }),
      garbage,
      running,
    };
    const context = await contextAt(world, batch, { answers });
    const compare = (id: string) => compareResult(context, id);
    expect(await compare('all')).toMatchObject({ kind: 'matches', rows: 2, sha256: expect.any(String) });
    expect(await compare('turned')).toMatchObject({ kind: 'matches' });
    expect(await compare('one')).toMatchObject({ kind: 'differs', alike: 1, rows: 1 });
    expect(await compare('more')).toMatchObject({ kind: 'differs', alike: 2, rows: 3 });
    expect(await compare('other')).toMatchObject({ kind: 'differs', alike: 0, rows: 2 });
    expect(await compare('garbage')).toMatchObject({ kind: 'differs', alike: 0 });
    expect(await compare('running')).toEqual(running);
    expect(await compare('none')).toEqual({ kind: 'not_known', text: 'no such batch' });
  });
});
