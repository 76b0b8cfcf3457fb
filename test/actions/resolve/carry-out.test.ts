import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepReport } from '../../../src/ledger/doubt/keep-report.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { transact, type Transaction } from '../../../src/ledger/engine/transaction.ts';
import { carryOut, mustBeIn, refuse, tryOut } from '../../../src/actions/resolve/carry-out.ts';
import { keyOf, type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';
import { contextAt, contextForTwo, doubtfulBatch } from '../../workers/support/resolve-context.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

const ORDER = { reason: 'nobody can say', evidence: { waitMs: 0 } };

async function reportsOf(fileId: string): Promise<number> {
  const { rowCount } = await world.ledger.pool.query('SELECT 1 FROM journal_report WHERE file_id = $1', [fileId]);
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
      `Cannot disown batch 1 of file "${context.file.name}": its state is outcome unknown; it must be exception.`,
    );
    expect(refuse(context, 'adopt', 'it is early', 'Wait.').message).toMatch(/: it is early\. Wait\.$/);
    expect(refuse(context, 'adopt', 'it is early').message).toMatch(/: it is early\. Nothing was changed;/);
  });
});
