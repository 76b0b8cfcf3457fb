import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { endAttempt } from '../../../src/ledger/batch/end-attempt.ts';
import { readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import type { ResolutionContext } from '../../../src/actions/resolve/resolution-context.ts';
import { type FilePlan, keyOf, type LedgerWorld } from '../../support/ledger-world.ts';
import type { ReportLine } from './day-report.ts';

export const DAY_MS = 86_400_000;

/** Opens a batch for resolution. The service answers by batch id and knows no other ids. */
export async function contextAt(
  world: LedgerWorld,
  batch: Pick<BatchRow, 'file_id' | 'batch_no'>,
  {
    answers = {},
    gateway = {},
    ...others
  }: { answers?: Record<string, ResultAnswer>; gateway?: Partial<ResolutionContext['gateway']> } & Partial<
    Omit<ResolutionContext, 'gateway'>
  > = {},
): Promise<ResolutionContext> {
  return {
    ledger: world.ledger,
    account: { agentCode: 'TEST88', server: 'NA', resolveWaitMs: DAY_MS, secondPerson: persons(false) },
    gateway: {
      fetchBatchResult: async ({ batchId }) => answers[batchId] ?? { kind: 'not_known', text: 'no such batch' },
      askTime: async () => world.clock.now(),
      ...gateway,
    },
    file: await readFileRow(world.ledger, batch.file_id),
    batch: await readBatchRow(world.ledger, keyOf(batch)),
    actor: 'operator:ada',
    dryRun: false,
    ...others,
  };
}

export function persons(resolutions: boolean): ResolutionContext['account']['secondPerson'] {
  return { refunds: false, overrides: false, resolutions };
}

/** Same, where a resolution needs two people. */
export async function contextForTwo(
  world: LedgerWorld,
  batch: Pick<BatchRow, 'file_id' | 'batch_no'>,
): Promise<ResolutionContext> {
  const dashboard = await contextAt(world, batch);
  return { ...dashboard, account: { ...dashboard.account, secondPerson: persons(true) } };
}

/** Makes a payment that the service charged at this moment, and returns its line in a report. */
export async function chargedAt(world: LedgerWorld, account: string, at: Date): Promise<ReportLine> {
  world.clock.set(at);
  const batch = await world.sending({ account });
  const end = { verdict: 'submitted', batchId: `c-${batch.file_id}`, firstPollMs: 0, evidence: {} } as const;
  await endAttempt(world.ledger, batch, { ...end, serviceAt: at });
  await world.putBatch(keyOf(batch), 'reconciled');
  const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
  await world.force(
    `INSERT INTO row_outcome (file_no, line, outcome, code, message, "authorization")
     SELECT file_no, line, 'accepted_pending', NULL, 'Received', '' FROM payment_row WHERE file_no = $1`,
    [fileNo],
  );
  // Normally a trigger does this, but `force` turns triggers off.
  await world.force(
    `INSERT INTO batch_outcome SELECT file_no, batch_no, 'accepted_pending', count(*), sum(amount_cents)
     FROM payment_row WHERE file_no = $1 GROUP BY file_no, batch_no`,
    [fileNo],
  );
  return { at, invoice: `INV-${batch.file_id}-2`, number: '****0001', total: '2.00' };
}

/** Makes a batch in doubt, from a call that broke off. */
export async function doubtfulBatch(world: LedgerWorld, plan: FilePlan = {}): Promise<BatchRow> {
  const batch = await world.sending(plan);
  const end = { verdict: 'unknown', reason: 'the connection was reset', evidence: { bytesWritten: 10 } } as const;
  await endAttempt(world.ledger, batch, { ...end, serviceAt: world.clock.now() });
  return readBatchRow(world.ledger, keyOf(batch));
}

/** Returns a batch's result file as the service makes it, with these lines. */
export function resultOf(batch: Pick<BatchRow, 'file_id'>, lines: readonly number[] = [2, 3]): ResultAnswer {
  const rows = lines.map(
    (line) => `INV-${batch.file_id}-${line},Ada,Byron,CHECKING,**********0001,${line}.00,June dues, Received\r\n`,
  );
  return { kind: 'done', file: Buffer.from(rows.join('')), text: 'Batch Process Has Been Done' };
}
