import { REPORT_TIMES } from '../../../schemas/reports.ts';
import { suggestRange } from './probe-ids.ts';
import type { Account } from '../../config/config.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { InDoubt } from '../../ledger/doubt/in-doubt.ts';
import { seenBatchIds } from '../../explain/batch-reference.ts';
import type { Filled, HandledAction } from '../action.ts';

/** One way to resolve a batch in doubt: when it fits, and the action that does it. */
export type ResolutionOption = {
  readonly title: string;
  readonly says: readonly string[];
  readonly action: HandledAction;
  /** Inputs that are known; each makes the action ready to plan. */
  readonly given?: readonly { readonly label: string; readonly filled: Filled }[];
};

export type OptionsContext = {
  /** Undefined when it is no longer configured. */
  readonly account:
    | (Pick<Account, 'server' | 'resolveWaitMs' | 'timeZone'> & Partial<Pick<Account, 'secondPerson'>>)
    | undefined;
  readonly calledAt: Date;
};

/**
 * Returns every way to resolve a batch in doubt, or the unknown rows of a finished one, the safest first, in words that a
 * newcomer can follow.
 */
export function resolutionOptions(found: InDoubt, context: OptionsContext): ResolutionOption[] {
  const report = {
    title: "Read the service's transaction report",
    says: journalWords(found, context),
    action: 'journal',
  } as const;
  if (found.batch.state === 'reconciled')
    return [
      report,
      {
        title: 'Close the rows with unknown outcome',
        says: [
          'The last resort, for example after the service could not say it either. The rows keep the outcome UNKNOWN, for the suspense account, and are never sent again.',
          ...secondPersonWords(context),
        ],
        action: 'close-in-doubt',
      },
    ];
  return [
    adoptOption(found),
    probeOption(found),
    report,
    { title: 'Mark it as not received', says: notReceivedWords(context), action: 'not-received' },
    {
      title: 'Close it with unknown outcome',
      says: [
        'The last resort. Rows that no transaction report explains get the outcome UNKNOWN, for the suspense account, and are never sent again.',
        ...secondPersonWords(context),
      ],
      action: 'close-in-doubt',
    },
  ];
}

function adoptOption(found: InDoubt): ResolutionOption {
  const way = { title: 'Enter the batch id of the service', action: 'adopt' } as const;
  const seen = seenBatchIds(found);
  if (seen.length === 0)
    return {
      ...way,
      says: [
        'Use this if the service names a batch id, by telephone or on its pages. Every row of its result is compared before anything is changed, so a wrong id is rejected.',
      ],
    };
  return {
    ...way,
    says: [
      'The service named a batch id for it, but too late. Every row of its result is compared before anything is changed.',
    ],
    given: seen.map((batchId) => ({ label: `Compare with batch id ${batchId}`, filled: { batchId } })),
  };
}

function probeOption({ before, after }: InDoubt): ResolutionOption {
  const range = suggestRange(before?.batchId, after?.batchId);
  const ids = [before && `${before.batchId} before it`, after && `${after.batchId} after it`];
  const known = ids.filter((words) => words !== undefined).join(' and ');
  return {
    title: 'Look for it under nearby ids',
    action: 'probe',
    says: [
      'Use this if no id is known. The service is asked for each id in a range, and every row is compared; this only reads.',
      known === ''
        ? 'The account has no other batch to compare with; ask the service for ids of that time.'
        : `The account got ${known}.`,
      ...(range ? [`Its id would be from ${range.from} to ${range.to}.`] : []),
    ],
  };
}

function journalWords({ batch }: InDoubt, { account, calledAt }: OptionsContext): string[] {
  const kind = batch.operation === 'card' ? 'credit card' : 'ACH/EFT';
  const zone = account && REPORT_TIMES[account.server].timeZone;
  const when =
    zone === undefined ? 'the call' : `${formatInZone(calledAt, zone).slice(0, 16)} in the time of the service`;
  return [
    `Download the report of approved ${kind} payments as CSV from the pages of the service, from a day before ${when} up to now.`,
    'Rows that it shows get their outcome. Other rows need a second, later report; rows in neither report were not charged.',
  ];
}

function notReceivedWords(context: OptionsContext): string[] {
  const { account, calledAt } = context;
  const from = account && formatInZone(new Date(calledAt.getTime() + account.resolveWaitMs), account.timeZone);
  return [
    'Use this only if the service confirms that it never received it. It is then sent again; if the service did receive it, every payer is charged twice.',
    'Write who confirmed it, when and how.',
    ...(from === undefined ? [] : [`This is possible from ${from} on.`]),
    ...secondPersonWords(context),
  ];
}

function secondPersonWords({ account }: OptionsContext): string[] {
  return account?.secondPerson?.resolutions ? ['Another person must confirm it.'] : [];
}
