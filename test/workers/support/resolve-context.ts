import { reconcileBatch } from '../../support/end-batches.ts';
import type { ResultAnswer } from '../../../src/gateway/answers.ts';
import { readBatches, readBatchRow, readFileRow } from '../../../src/ledger/file/read-file.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import type { ResolutionContext } from '../../../src/actions/resolve/resolution-context.ts';
import { type FilePlan, keyOf, type LedgerWorld, outcomesOf } from '../../support/ledger-world.ts';
import type { App } from '../../../src/app.ts';
import { askForResult } from '../../../workers/poll/poll.ts';
import { answering, answeringResult } from './scripted-gateway.ts';
import { query } from './story.ts';
import { formatInZone } from '../../../src/calendar/zone-time.ts';
import type { InDoubt } from '../../../src/ledger/doubt/in-doubt.ts';
import { endCall } from '../../../src/ledger/batch/commit-send.ts';
import { submitBatch } from '../../support/work-alone.ts';

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
  await endCall(world.ledger, batch, { ...end, serviceAt: at });
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
  await endCall(world.ledger, batch, { ...end, serviceAt: world.clock.now() });
  return readBatchRow(world.ledger, keyOf(batch));
}

/** Makes a finished batch of lines 2 and 3. The service answered TIMEOUT for line 3, so its outcome is unknown. */
export async function undecidedBatch(world: LedgerWorld, plan: FilePlan = {}): Promise<BatchRow> {
  const batch = await world.sending(plan);
  const end = { verdict: 'submitted', batchId: `u-${batch.file_id}`, firstPollMs: 0, evidence: {} } as const;
  await endCall(world.ledger, batch, { ...end, serviceAt: world.clock.now() });
  const key = keyOf(batch);
  const { file_no: fileNo } = await readFileRow(world.ledger, batch.file_id);
  const received = await world.putBatch(key, 'result_in');
  await world.force('UPDATE file SET accepted_at = $2 WHERE file_id = $1', [batch.file_id, world.clock.now()]);
  const rows = outcomesOf(received).map((row) => ({
    ...row,
    ...(row.line === 3 && { outcome: 'unknown' as const, message: 'TIMEOUT', authorization: '' }),
  }));
  await reconcileBatch(world.ledger, key, fileNo, rows, {});
  return readBatchRow(world.ledger, key);
}

/** Returns a batch's result file as the service makes it, with these lines. */
export function resultOf(batch: Pick<BatchRow, 'file_id'>, lines: readonly number[] = [2, 3]): ResultAnswer {
  const rows = lines.map(
    (line) => `INV-${batch.file_id}-${line},Ada,Byron,CHECKING,**********0001,${line}.00,June dues, Received\r\n`,
  );
  return { kind: 'done', file: Buffer.from(rows.join('')), text: 'Batch Process Has Been Done' };
}

let batchIds = 300;

/**
 * Sends every batch of a file and fetches its result, without a service. `messageOf` gives the answer to each row by
 * its number, counted over all batches from 1.
 */
export async function carryOut(app: App, fileId: string, messageOf: (row: number) => string): Promise<void> {
  let row = 0;
  for (const { batch_no: batchNo } of await readBatches(app.ledger, fileId)) {
    const key = { fileId, batchNo };
    batchIds += 1;
    const service = answering(app, { kind: 'submitted', batchId: String(batchIds), text: 'taken' });
    await submitBatch(service.app, key);
    await query(app, `UPDATE batch SET next_poll_at = now() - interval '1 s' WHERE file_id = $1`, [fileId]);
    const rows = service.bodies[0]!.split('\n').map((cells) => `${maskCells(cells)},${messageOf((row += 1))}\r\n`);
    await askForResult(answeringResult(app, { kind: 'done', file: Buffer.from(rows.join('')), text: 'done' }), key);
  }
}

function maskCells(row: string): string {
  return row.replace(/\d{12,}/g, (number) => '*'.repeat(number.length - 4) + number.slice(-4));
}

const TITLES =
  'Invoice,Date,Agent,Customer Code,Account Type,First Name, Last Name, Account Number, Total, Result, Detail,Transaction ID';

export type ReportLine = {
  at: Date;
  invoice?: string;
  number?: string;
  total?: string;
  result?: string;
  kind?: string;
  customerCode?: string;
};

/** Returns a day's report of bank payments as the service writes it. */
export function dayReport(lines: readonly ReportLine[], agent = 'TEST88'): string {
  const rows = lines.map(({ at, ...line }, index) => {
    const { invoice = `OTHER-${index}`, number = '******0009', total = '5.00', kind = 'CHECKING' } = line;
    const { result = 'OK:555555:', customerCode = 'Quick Client' } = line;
    return `${invoice},${writeTime(at)},${agent},"${customerCode}",${kind},"Ada","Byron",'${number},${total},${result}, ,A900000${index}`;
  });
  return [TITLES, ...rows].map((line) => `${line}\r\n`).join('');
}

/** Writes a time as the North American server does. */
function writeTime(at: Date): string {
  const text = formatInZone(at, 'America/Vancouver');
  const [year, month, day] = text.slice(0, 10).split('-');
  return `${month}/${day}/${year} ${text.slice(11, 19)}`;
}

export const CALLED_AT = new Date('2026-06-15T10:00:00.000Z');

/** A batch in doubt as the ledger describes it. */
export function foundDoubt(change: Partial<InDoubt> = {}): InDoubt {
  return {
    batch: {
      file_id: 'g7fhpaqs00000000',
      batch_no: 2,
      account: 'main',
      operation: 'card',
      state: 'unknown',
      state_at: CALLED_AT,
      reason: 'the connection was reset',
      attempt: 1,
      rows: 3,
      cents: 7_500,
    } as BatchRow,
    file: {
      file_id: 'g7fhpaqs00000000',
      file_no: 1,
      name: 'monday.csv',
      account: 'main',
      operation: 'card',
      layout: 'card',
    },
    attempts: [
      {
        attempt: 1,
        host: 'service.test',
        request_bytes: 900,
        started_at: CALLED_AT,
        ended_at: CALLED_AT,
        verdict: 'unknown',
        evidence: { bytesWritten: 900, bytesRead: 0 },
        resolution: null,
      },
    ],
    lateAnswers: [],
    reports: [],
    before: undefined,
    after: undefined,
    proposal: undefined,
    unknownRows: [],
    ...change,
  };
}

export const ACCOUNT = { server: 'NA', resolveWaitMs: 86_400_000, timeZone: 'America/Toronto' } as const;
