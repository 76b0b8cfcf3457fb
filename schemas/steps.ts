import type { ActionName } from './actions.ts';
import { withRows } from './features.ts';

/**
 * What a next step can name, each with its words behind `paydrop` on the command line. FILE, BATCH, ACCOUNT, SCHEDULE,
 * DATE and PROFILE stand for ids. Explanations hold these names; each face writes them in its own way.
 */

/** Actions of a user: a button on the dashboard. */
export const ACTION_COMMANDS = {
  approve: 'approve FILE --reason …',
  decline: 'decline FILE --reason …',
  acknowledge: 'acknowledge FILE --reason …',
  cancel: 'cancel FILE --reason …',
  move: 'move FILE --reason …',
  'cancel-batch': 'cancel BATCH --reason …',
  repoll: 'repoll BATCH',
  retry: 'retry BATCH --reason …',
  withdraw: 'withdraw BATCH --reason …',
  release: 'release BATCH --reason …',
  'acknowledge-batch': 'acknowledge BATCH --reason …',
  pause: 'account pause ACCOUNT',
  resume: 'account resume ACCOUNT --reason …',
  'answer-address': 'account address ACCOUNT --reason …',
  'run-now': 'schedule run SCHEDULE',
  'acknowledge-run': 'schedule acknowledge SCHEDULE DATE --reason …',
  'import-profile': 'profile import PROFILE.yaml --reason …',
  'confirm-profile': 'profile confirm PROFILE --sample SAMPLE --reason …',
} as const satisfies Partial<Record<ActionName, string>>;

/** Views that only read: a page of the dashboard. */
export const VIEW_COMMANDS = {
  show: 'show FILE',
  why: 'why BATCH',
  doubt: 'resolve BATCH',
  comparison: 'exceptions BATCH',
  'in-doubt': 'unknown list',
  forgotten: 'account forgotten ACCOUNT',
  schedules: 'schedule list',
  status: 'status',
  left: 'account left',
} as const;

/** What only the command line on the host can do. */
export const HOST_COMMANDS = withRows(
  {
    doctor: 'doctor',
    requeue: 'requeue FILE',
    reconcile: 'account reconcile ACCOUNT --report PATH --reason …',
    retention: 'retention report',
    senders: 'sender list',
  } as const,
  'hostCommands',
);

/** What a part is about. `*` stands for all accounts. */
export type StepIds = {
  readonly fileId?: string;
  readonly batchNo?: number;
  readonly account?: string;
  readonly schedule?: string;
  /** Business date of a run of the schedule, such as `2026-06-15`. */
  readonly day?: string;
  readonly profile?: string;
};

export type NamedPart = StepIds &
  (
    | { readonly action: keyof typeof ACTION_COMMANDS }
    | { readonly see: keyof typeof VIEW_COMMANDS }
    | { readonly run: keyof typeof HOST_COMMANDS }
  );

/** What to do next: text, and between it what can be done or looked at. */
export type Step = readonly (string | NamedPart)[];

/** Writes a step as text, with its commands in quotes. */
export function stepText(step: Step): string {
  return step.map((part) => (typeof part === 'string' ? part : `"${commandOf(part)}"`)).join('');
}

/** Returns the command of a part. An id that is missing stays a placeholder. */
export function commandOf(part: NamedPart): string {
  const { fileId, batchNo, account, schedule, day, profile } = part;
  const ids: Record<string, string | undefined> = {
    BATCH: batchNo === undefined ? undefined : `${fileId}/${batchNo}`,
    FILE: fileId,
    ACCOUNT: account === '*' ? '--all' : account,
    SCHEDULE: schedule,
    DATE: day,
    PROFILE: profile,
  };
  return `paydrop ${wordsOf(part).replace(PLACEHOLDERS, (name) => ids[name] ?? name)}`;
}

const PLACEHOLDERS = /PROFILE|BATCH|FILE|ACCOUNT|SCHEDULE|DATE/g;

/** Returns a step of a table with the ids that its commands take. */
export function withIds(step: Step, ids: { readonly [Name in keyof StepIds]: StepIds[Name] | null }): Step {
  return step.map((part) => {
    if (typeof part === 'string') return part;
    const words = wordsOf(part);
    const taken = Object.entries(ids).filter(([name, id]) => id !== null && TAKES[name as keyof StepIds].test(words));
    return { ...part, ...Object.fromEntries(taken) };
  });
}

const TAKES: Readonly<Record<keyof StepIds, RegExp>> = {
  fileId: /\bFILE|BATCH/,
  batchNo: /BATCH/,
  account: /ACCOUNT/,
  schedule: /SCHEDULE/,
  day: /DATE/,
  profile: /PROFILE/,
};

function wordsOf(part: NamedPart): string {
  if ('action' in part) return ACTION_COMMANDS[part.action];
  return 'see' in part ? VIEW_COMMANDS[part.see] : HOST_COMMANDS[part.run];
}
