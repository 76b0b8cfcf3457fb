import {
  type OptionsContext,
  type ResolutionOption,
  resolutionOptions,
} from '../../actions/resolve/resolution-options.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { maskText } from '../../kernel/mask.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { InDoubt } from '../../ledger/doubt/in-doubt.ts';
import { describeAnswer, describeWait, describeWritten } from '../../explain/attempt-words.ts';
import { batchReference, seenBatchIds } from '../../explain/batch-reference.ts';
import { labelLines } from '../print/table.ts';
import { suggestRange } from '../../actions/resolve/probe-ids.ts';
import type { Filled } from '../../actions/action.ts';
import { lineHere } from '../print/paydrop-line.ts';

/** A batch in doubt as shown. Money is integer cents, times are UTC in JSON. */
export type ShownDoubt = {
  batch: string;
  fileId: string;
  batchNo: number;
  name: string;
  account: string;
  /** Who is charged. */
  merchant: string;
  operation: string;
  rows: number;
  cents: number;
  calledAt: Date;
  waitingMs: number;
  notReceivedFrom: Date;
  reason: string | null;
  seenBatchIds: string[];
  timeZone: string;
} & Pick<InDoubt, 'attempts' | 'lateAnswers' | 'reports' | 'before' | 'after' | 'proposal' | 'unknownRows'> & {
    nextSteps: NextStep[];
  };

/** Returns everything that an operator needs to resolve it. */
export function showInDoubt(
  found: InDoubt,
  {
    account,
    merchant,
    now,
    dir,
  }: { account: NonNullable<OptionsContext['account']>; merchant: string; now: Date; dir: string },
): ShownDoubt {
  const { batch, file, attempts, lateAnswers, reports, before, after, proposal, unknownRows } = found;
  const calledAt = attempts[0]?.started_at ?? batch.state_at;
  return {
    batch: batchReference({ fileId: batch.file_id, batchNo: batch.batch_no }),
    fileId: batch.file_id,
    batchNo: batch.batch_no,
    name: file.name,
    account: file.account,
    merchant,
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
    unknownRows,
    nextSteps: nextSteps(found, { account, calledAt, dir }),
  };
}

export function describeInDoubt(doubt: ShownDoubt): string {
  const when = (at: Date) => `${at.toISOString()} (${formatInZone(at, doubt.timeZone)})`;
  const [last] = doubt.attempts;
  const isOfRows = doubt.unknownRows.length > 0;
  const facts = labelLines([
    ['Account', doubt.account],
    ['Merchant', doubt.merchant],
    ['Operation', doubt.operation],
    ['Rows', String(doubt.rows)],
    ['Total', formatCents(doubt.cents)],
    [
      'Sent',
      `${when(doubt.calledAt)}${last ? `, attempt ${last.attempt}${last.host === 'not known' ? '' : `, to ${last.host}`}` : ''}`,
    ],
    ['Written', last ? describeWritten(last) : ''],
    ['Returned', last ? describeAnswer(last) : ''],
    ...(isOfRows ? doubt.unknownRows.map((row) => ['Unknown', describeRow(row, when)] as const) : []),
    ['Why in doubt', isOfRows ? '' : (doubt.reason ?? '')],
    ...doubt.lateAnswers.map(({ at, reason }) => ['Then', `${when(at)}: ${reason}`] as const),
    ...doubt.reports.map((report) => ['Report', describeReport(report, when)] as const),
    [
      'Waits',
      isOfRows
        ? ''
        : `${describeWait(doubt.waitingMs)}; it can be marked as not received from ${when(doubt.notReceivedFrom)} on`,
    ],
  ]);
  const steps = doubt.nextSteps.map(({ when: words, command }, index) => `  ${index + 1}. ${words}\n     ${command}`);
  return `Batch ${doubt.batch} of ${doubt.name}\n${facts}\n\nNext steps\n${steps.join('\n')}`;
}

function describeRow(
  { line, invoice, cents, message, since, isClosed }: ShownDoubt['unknownRows'][number],
  when: (at: Date) => string,
): string {
  const what = `line ${line}, invoice ${maskText(invoice)}, ${formatCents(cents)}: “${message}”, since ${when(since)}`;
  return isClosed ? `${what}; closed by a person` : what;
}

function describeReport(
  { name, at, covers, found, absent }: ShownDoubt['reports'][number],
  when: (at: Date) => string,
) {
  const silence = covers ? '' : '; missing rows prove nothing';
  return `${name}, given ${when(at)}: ${counted(found, 'row')} found, ${absent} missing${silence}`;
}

/** One possible action for a batch in doubt: when it fits, and the line to paste. */
type NextStep = { readonly when: string; readonly command: string };

/** @param context.dir how the program was told where its configuration is */
type StepContext = OptionsContext & { readonly dir: string };

/** Lists what can be done about a batch in doubt, the most certain first, each with a line to paste. */
export function nextSteps(found: InDoubt, context: StepContext): NextStep[] {
  const reference = batchReference({ fileId: found.batch.file_id, batchNo: found.batch.batch_no });
  const line = (...words: string[]) => lineHere(context, ...words);
  if (found.proposal) return proposalSteps(found.proposal, line);
  return resolutionOptions(found, context).flatMap(({ says, action, given = [{ filled: {} }] }) =>
    given.map(({ filled }) => ({
      when: says.join(' '),
      command: line('resolve', reference, ...OPTIONS[action]!(filled, found)),
    })),
  );
}

/** Words of the command line for each way; what is not known is a placeholder. */
const OPTIONS: Partial<Record<ResolutionOption['action'], (filled: Filled, found: InDoubt) => string[]>> = {
  adopt: ({ batchId = 'BATCH-ID' }) => ['--adopt', batchId],
  probe: (_, { before, after }) => {
    const range = suggestRange(before?.batchId, after?.batchId);
    return ['--probe', range ? `${range.from}..${range.to}` : 'FROM..TO'];
  },
  journal: () => ['--report', 'report.csv'],
  // Without letters the evidence is refused when it is pasted unchanged.
  'not-received': () => ['--not-received', '--evidence', '…', '--reason', 'WHY'],
  'close-in-doubt': () => ['--close-in-doubt', '--reason', 'WHY'],
};

function proposalSteps(
  { proposalNo, action, madeBy }: NonNullable<InDoubt['proposal']>,
  line: (...words: string[]) => string,
): NextStep[] {
  const what = `Proposal ${proposalNo} of ${madeBy} waits for a second person: ${action}.`;
  return [
    { when: `${what} Another person confirms it:`, command: line('confirm', String(proposalNo)) },
    { when: 'Or refuse it:', command: line('refuse', String(proposalNo), '--reason', 'WHY') },
  ];
}
