import { REPORT_TIMES } from '../../../schemas/reports.ts';
import { suggestRange } from './probe-ids.ts';
import type { Account } from '../../config/config.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { InDoubt } from '../../ledger/doubt/in-doubt.ts';
import { seenBatchIds } from '../../explain/seen-batch-ids.ts';
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

/** Returns every way to resolve a batch in doubt, the safest first, in words that a newcomer can follow. */
export function resolutionOptions(found: InDoubt, context: OptionsContext): ResolutionOption[] {
  return [
    adoptOption(found),
    probeOption(found),
    { title: "Read the service's own report", says: journalWords(found, context), action: 'journal' },
    { title: 'Declare it as not received', says: notReceivedWords(context), action: 'not-received' },
    {
      title: 'Close it in doubt',
      says: [
        'If nobody can say. Rows that no report has explained go out as UNKNOWN for the suspense account, and are never sent again.',
        ...secondPersonWords(context),
      ],
      action: 'close-in-doubt',
    },
  ];
}

function adoptOption(found: InDoubt): ResolutionOption {
  const way = { title: 'Adopt a batch id of the service', action: 'adopt' } as const;
  const seen = seenBatchIds(found);
  if (seen.length === 0)
    return {
      ...way,
      says: [
        'If the service names a batch id for it, by telephone or on its pages. Every row of its result is compared before anything is changed, so a wrong id cannot be adopted by accident.',
      ],
    };
  return {
    ...way,
    says: [
      'The service has named a batch id for it, too late to count. Every row of its result is compared before anything is changed.',
    ],
    given: seen.map((batchId) => ({ label: `Compare with batch id ${batchId}`, filled: { batchId } })),
  };
}

function probeOption({ before, after }: InDoubt): ResolutionOption {
  const range = suggestRange(before?.batchId, after?.batchId);
  const ids = [before && `${before.batchId} before it`, after && `${after.batchId} after it`];
  const known = ids.filter((words) => words !== undefined).join(' and ');
  return {
    title: 'Look for it under the ids around it',
    action: 'probe',
    says: [
      'If nobody names an id. The service is asked for each id of a range, and every row is compared; this only reads.',
      known === ''
        ? 'The account has no other batch to go by, so the service has to name ids of that time.'
        : `The account got ${known}.`,
      ...(range ? [`So it would have an id from ${range.from} to ${range.to}.`] : []),
    ],
  };
}

function journalWords({ batch }: InDoubt, { account, calledAt }: OptionsContext): string[] {
  const kind = batch.operation === 'card' ? 'credit card' : 'ACH/EFT';
  const zone = account && REPORT_TIMES[account.server].timeZone;
  const when = zone === undefined ? 'the call' : `${formatInZone(calledAt, zone)} (the time of the service)`;
  return [
    `Download the report of approved ${kind} payments as CSV on the pages of the service, from a day before ${when} up to now.`,
    'Rows that it shows get their outcome. Rows that it lacks need a second report, made later; they were not charged when both lack them.',
  ];
}

function notReceivedWords(context: OptionsContext): string[] {
  const { account, calledAt } = context;
  const from = account && formatInZone(new Date(calledAt.getTime() + account.resolveWaitMs), account.timeZone);
  return [
    'Only if the service itself confirms that it never took it. It is then sent once more, and if it was taken after all every payer is charged twice.',
    'Write who confirmed it, when, and how.',
    ...(from === undefined ? [] : [`It can be declared from ${from} on.`]),
    ...secondPersonWords(context),
  ];
}

function secondPersonWords({ account }: OptionsContext): string[] {
  return account?.secondPerson?.resolutions ? ['Another person has to confirm it.'] : [];
}
