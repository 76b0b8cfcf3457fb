import { REPORT_TIMES } from '../../../schemas/reports.ts';
import { suggestRange } from '../../actions/resolve/probe-ids.ts';
import type { Account } from '../../config/config.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { InDoubt } from '../../ledger/doubt/in-doubt.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import { seenBatchIds } from '../../explain/seen-batch-ids.ts';
import { paydropLine } from '../print/paydrop-line.ts';

/** One possible action for a batch in doubt: when it fits, and the line to paste. */
export type NextStep = { readonly when: string; readonly command: string };

/** What the steps need besides the batch. */
export type StepContext = {
  readonly account: Pick<Account, 'server' | 'resolveWaitMs' | 'timeZone'>;
  readonly calledAt: Date;
  /** How the program was told where its configuration is. */
  readonly dir: string;
};

/**
 * Lists what can be done about a batch in doubt, the most certain first. The operator must be able to resolve it from
 * this alone. So each step says what it takes and prints a line to paste.
 */
export function nextSteps(found: InDoubt, context: StepContext): NextStep[] {
  const reference = batchReference({ fileId: found.batch.file_id, batchNo: found.batch.batch_no });
  const line = (...words: string[]) => paydropLine([...dirWords(context.dir), ...words]);
  const resolve = (...words: string[]) => line('resolve', reference, ...words);
  if (found.proposal) return [...proposalSteps(found.proposal, line)];
  return [
    ...adoptSteps(found, resolve),
    { when: probeWords(found), command: resolve('--probe', ...rangeOf(found)) },
    { when: journalWords(found, context), command: resolve('--journal', 'report.csv') },
    {
      when: notReceivedWords(context),
      // A placeholder without letters: pasted unchanged, it is refused as evidence.
      command: resolve('--not-received', '--evidence', '…', '--reason', 'WHY'),
    },
    {
      when: 'If nobody can say. Its rows go out as UNKNOWN for the suspense account, and are never sent again:',
      command: resolve('--close-in-doubt', '--reason', 'WHY'),
    },
  ];
}

function dirWords(dir: string): string[] {
  return dir === '.' ? [] : ['--dir', dir];
}

function proposalSteps(
  { proposalNo, action, madeBy }: NonNullable<InDoubt['proposal']>,
  line: (...words: string[]) => string,
): NextStep[] {
  const what = `Proposal ${proposalNo} of ${madeBy} waits for a second person: ${action}.`;
  return [
    { when: `${what} Another person confirms it:`, command: line('confirm', String(proposalNo)) },
    { when: 'Or it is refused:', command: line('refuse', String(proposalNo), '--reason', 'WHY') },
  ];
}

function adoptSteps(found: InDoubt, resolve: (...words: string[]) => string): NextStep[] {
  const seen = seenBatchIds(found);
  if (seen.length === 0)
    return [
      {
        when: 'If the service names a batch id for it. Every row is compared before anything is changed:',
        command: resolve('--adopt', 'BATCH-ID'),
      },
    ];
  return seen.map((id) => ({
    when: `The service named batch id ${id} for it, too late to count. Every row is compared before anything is changed:`,
    command: resolve('--adopt', id),
  }));
}

function rangeOf({ before, after }: InDoubt): string[] {
  const range = suggestRange(before?.batchId, after?.batchId);
  return range ? [`${range.from}..${range.to}`] : ['FROM..TO'];
}

function probeWords({ before, after }: InDoubt): string {
  const ids = [
    ...(before ? [`${before.batchId} before it`] : []),
    ...(after ? [`${after.batchId} after it`] : []),
  ].join(' and ');
  const known =
    ids === ''
      ? 'the account has no other batch to go by, so the service has to name ids of that time'
      : `the account got ${ids}`;
  return `Look for it under the ids around it; this only asks (${known}):`;
}

function journalWords({ batch }: InDoubt, { account, calledAt }: StepContext): string {
  const { timeZone } = REPORT_TIMES[account.server];
  const kind = batch.operation === 'card' ? 'credit card' : 'ACH/EFT';
  const when = formatInZone(calledAt, timeZone);
  return (
    `Download the report of approved ${kind} payments as CSV, from a day before ${when} (the time of the service) up to now. ` +
    'Rows that it shows get their outcome; rows that it lacks need a second, later report:'
  );
}

function notReceivedWords({ account, calledAt }: StepContext): string {
  const from = new Date(calledAt.getTime() + account.resolveWaitMs);
  return (
    `If the service confirms that it never took it, from ${from.toISOString()} (${formatInZone(from, account.timeZone)}) on. ` +
    'Write who confirmed it, when, and how; it is then sent once more:'
  );
}
