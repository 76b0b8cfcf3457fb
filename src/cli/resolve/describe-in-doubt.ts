import type { OptionsContext } from '../../actions/resolve/resolution-options.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { InDoubt } from '../../ledger/doubt/in-doubt.ts';
import { describeAnswer, describeWait, describeWritten } from '../../explain/attempt-words.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import { seenBatchIds } from '../../explain/seen-batch-ids.ts';
import { labelLines } from '../print/label-lines.ts';
import { type NextStep, nextSteps } from './next-steps.ts';

/** A batch in doubt as shown. Money is integer cents, times are UTC in JSON. */
export type ShownDoubt = {
  batch: string;
  fileId: string;
  batchNo: number;
  name: string;
  account: string;
  operation: string;
  rows: number;
  cents: number;
  calledAt: Date;
  waitingMs: number;
  notReceivedFrom: Date;
  reason: string | null;
  seenBatchIds: string[];
  timeZone: string;
} & Pick<InDoubt, 'attempts' | 'lateAnswers' | 'reports' | 'before' | 'after' | 'proposal'> & { nextSteps: NextStep[] };

/** Returns everything that an operator needs to resolve it. */
export function showInDoubt(
  found: InDoubt,
  { account, now, dir }: { account: NonNullable<OptionsContext['account']>; now: Date; dir: string },
): ShownDoubt {
  const { batch, file, attempts, lateAnswers, reports, before, after, proposal } = found;
  const calledAt = attempts[0]?.started_at ?? batch.state_at;
  return {
    batch: batchReference({ fileId: batch.file_id, batchNo: batch.batch_no }),
    fileId: batch.file_id,
    batchNo: batch.batch_no,
    name: file.name,
    account: file.account,
    operation: file.operation,
    rows: batch.rows,
    cents: batch.cents,
    calledAt,
    waitingMs: now.getTime() - calledAt.getTime(),
    notReceivedFrom: new Date(calledAt.getTime() + account.resolveWaitMs),
    reason: batch.reason,
    seenBatchIds: seenBatchIds(found),
    timeZone: account.timeZone,
    attempts,
    lateAnswers,
    reports,
    before,
    after,
    proposal,
    nextSteps: nextSteps(found, { account, calledAt, dir }),
  };
}

export function describeInDoubt(doubt: ShownDoubt): string {
  const when = (at: Date) => `${at.toISOString()} (${formatInZone(at, doubt.timeZone)})`;
  const [last] = doubt.attempts;
  const facts = labelLines([
    ['Account', doubt.account],
    ['Operation', doubt.operation],
    ['Rows', String(doubt.rows)],
    ['Total', formatCents(doubt.cents)],
    ['Sent', `${when(doubt.calledAt)}${last ? `, attempt ${last.attempt}, to ${last.host}` : ''}`],
    ['Written', last ? describeWritten(last) : ''],
    ['Returned', last ? describeAnswer(last) : ''],
    ['Why in doubt', doubt.reason ?? ''],
    ...doubt.lateAnswers.map(({ at, reason }) => ['Then', `${when(at)}: ${reason}`] as const),
    ...doubt.reports.map((report) => ['Report', describeReport(report, when)] as const),
    [
      'Waits',
      `${describeWait(doubt.waitingMs)}; it can be marked as not received from ${when(doubt.notReceivedFrom)} on`,
    ],
  ]);
  const steps = doubt.nextSteps.map(({ when: words, command }, index) => `  ${index + 1}. ${words}\n     ${command}`);
  return `Batch ${doubt.batch} of ${doubt.name}\n${facts}\n\nNext steps\n${steps.join('\n')}`;
}

function describeReport(
  { name, at, covers, found, absent }: ShownDoubt['reports'][number],
  when: (at: Date) => string,
) {
  const silence = covers ? '' : '; missing rows prove nothing';
  return `${name}, given ${when(at)}: ${counted(found, 'row')} found, ${absent} missing${silence}`;
}
