import {
  type BatchState,
  type FileState,
  type Outcome,
  OUTCOMES,
  type ProfileState,
  type ReprocessState,
  type RunState,
} from './lifecycle.ts';
import { type Advice, rejectionOf } from './rejections.ts';

/** How a state looks. The word is enough; the color only helps. */
export type Tone = 'bad' | 'warn' | 'busy' | 'good' | 'quiet';

/**
 * The words in which pages, messages and the API say how a file, batch, run or version stands, the worst first. The
 * states in the ledger and in the audit trail keep their own names.
 */
export const SHOWN = {
  in_doubt: {
    word: 'In doubt',
    tone: 'bad',
    means: 'the service may or may not have taken the payments; they are not sent again until a person resolves it',
  },
  mismatch: { word: 'Result mismatch', tone: 'bad', means: 'the result differs from what was sent' },
  undecided: {
    word: 'Undecided rows',
    tone: 'bad',
    means:
      'it is not known whether the service charged some rows; they are not sent again until a person resolves them',
  },
  refused: { word: 'Refused', tone: 'bad', means: 'the service refused the payments; nothing was charged' },
  paid_meanwhile: {
    word: 'Perhaps paid already',
    tone: 'bad',
    means: 'a payment in it may have been charged meanwhile; it is not sent until a person cancels or releases it',
  },
  rejected: { word: 'Rejected', tone: 'bad', means: 'the file failed its checks; nothing in it is sent' },
  needs_approval: { word: 'Needs approval', tone: 'warn', means: 'nothing is sent until a person approves it' },
  blocked: { word: 'Blocked', tone: 'warn', means: 'its account sends nothing at present' },
  checking: { word: 'Checking', tone: 'busy', means: 'the file was taken, and its rows are checked' },
  processing: { word: 'Processing', tone: 'busy', means: 'batches are being sent, wait for their results or are done' },
  sending: { word: 'Sending', tone: 'busy', means: 'a request may be leaving' },
  awaiting_result: { word: 'Awaiting result', tone: 'busy', means: 'the service has it and is processing it' },
  reconciling: { word: 'Reconciling', tone: 'busy', means: 'the result is here and is compared with the rows' },
  queued: { word: 'Queued', tone: 'busy', means: 'checked and fixed, to be sent next' },
  unresolved: {
    word: 'Unresolved',
    tone: 'warn',
    means: 'a person closed rows without knowing whether they were charged; ask the service before paying them again',
  },
  partly_cancelled: { word: 'Partly cancelled', tone: 'quiet', means: 'a person cancelled what was not sent yet' },
  cancelled: { word: 'Cancelled', tone: 'quiet', means: 'never sent' },
  completed_with_declines: {
    word: 'Completed with declines',
    tone: 'warn',
    means: 'every row has its outcome, and some were not paid',
  },
  completed: { word: 'Completed', tone: 'good', means: 'every row has its outcome' },
  reconciled: { word: 'Reconciled', tone: 'good', means: 'every row has its outcome' },
  failed: { word: 'Failed', tone: 'bad', means: 'started but not finished' },
  missed: { word: 'Missed', tone: 'bad', means: 'its time passed while paydrop was not running' },
  running: { word: 'Running', tone: 'busy', means: 'a worker is running it' },
  done: { word: 'Done', tone: 'good', means: 'finished; never run again' },
  draft: { word: 'Draft', tone: 'quiet', means: 'imported; it reads nothing' },
  confirmed: { word: 'Confirmed', tone: 'good', means: 'reads the files of its folders' },
  retired: { word: 'Retired', tone: 'quiet', means: 'reads no new files' },
  selected: { word: 'Selected', tone: 'quiet', means: 'chosen to be reprocessed; nothing is done yet' },
} as const satisfies Readonly<Record<string, { word: string; tone: Tone; means: string }>>;
export type Shown = keyof typeof SHOWN;

/** How each state is shown when nothing worse is known. */
const OF_STATE = {
  claimed: 'checking',
  rejected: 'rejected',
  held: 'needs_approval',
  accepted: 'queued',
  in_progress: 'processing',
  completed: 'completed',
  cancelled: 'cancelled',
  partly_cancelled: 'partly_cancelled',
  ready: 'queued',
  sending: 'sending',
  unknown: 'in_doubt',
  submitted: 'awaiting_result',
  result_in: 'reconciling',
  exception: 'mismatch',
  reconciled: 'reconciled',
  refused: 'refused',
  running: 'running',
  done: 'done',
  missed: 'missed',
  failed: 'failed',
  draft: 'draft',
  confirmed: 'confirmed',
  retired: 'retired',
  selected: 'selected',
  ended: 'done',
} as const satisfies Readonly<Record<FileState | BatchState | RunState | ProfileState | ReprocessState, Shown>>;
type State = keyof typeof OF_STATE;

const WORST_FIRST = Object.keys(SHOWN) as Shown[];

/** Returns the worst, which stands first in the table. */
export function worstOf(shown: readonly [Shown, ...Shown[]]): Shown {
  return WORST_FIRST.find((each) => shown.includes(each))!;
}

/** Outcomes of rows that were not paid, for which a completed file is not shown as simply completed. */
export const NOT_PAID = ['declined', 'duplicate', 'format_error', 'not_charged'] as const satisfies readonly Outcome[];

/** What is known of a file beside its own state. */
export type Known = {
  /** States of its batches that still wait for something. */
  readonly open: readonly BatchState[];
  /** Outcomes of its rows, as far as they matter here. */
  readonly outcomes: readonly (Outcome | (string & {}))[];
  /** Whether the outcome of a row is unknown and no person has closed it. */
  readonly isUndecided: boolean;
  /** Whether something keeps its account from sending. */
  readonly isBlocked: boolean;
  /** Whether a payment in an unsent batch may have been charged meanwhile. */
  readonly isPaid?: boolean;
};

/** Returns how a file is shown: the worst of its own state, its open batches, its outcomes and its account. */
export function shownOfFile(
  state: FileState,
  { open, outcomes, isUndecided, isBlocked, isPaid = false }: Known,
): Shown {
  return worstOf([
    OF_STATE[state],
    ...open.map((each) => OF_STATE[each]),
    ...(isPaid ? (['paid_meanwhile'] as const) : []),
    ...(open.includes('ready') && isBlocked ? (['blocked'] as const) : []),
    ...(isUndecided ? (['undecided'] as const) : []),
    ...(outcomes.includes('unknown') ? (['unresolved'] as const) : []),
    ...(state === 'completed' && NOT_PAID.some((each) => outcomes.includes(each))
      ? (['completed_with_declines'] as const)
      : []),
  ]);
}

/**
 * Returns how a batch is shown. One that is not sent yet is perhaps paid already, needs approval
 * with its file, or is blocked with its account. A finished one may have undecided rows.
 */
export function shownOfBatch(
  state: BatchState,
  fileState: FileState,
  isBlocked: boolean,
  { isPaid = false, isUndecided = false }: { isPaid?: boolean; isUndecided?: boolean } = {},
): Shown {
  if (isUndecided) return 'undecided';
  if (state !== 'ready') return OF_STATE[state];
  if (isPaid) return 'paid_meanwhile';
  if (fileState === 'held') return OF_STATE.held;
  return isBlocked ? 'blocked' : OF_STATE.ready;
}

/** Returns how a state is shown that stands alone, as in a history; undefined for a name of none. */
export function shownOfState(state: string): Shown | undefined {
  return Object.hasOwn(OF_STATE, state) ? OF_STATE[state as State] : undefined;
}

/** Returns the word for the middle of a sentence, such as `needs approval`. */
export function saidWord(shown: Shown): string {
  return SHOWN[shown].word.toLowerCase();
}

/** Returns the word and its meaning, such as `needs approval (nothing is sent until a person approves it)`. */
export function saidShown(shown: Shown): string {
  return `${saidWord(shown)} (${SHOWN[shown].means})`;
}

/** Returns the same of a state that stands alone. */
export function saidState(state: string): string {
  const shown = shownOfState(state);
  return shown === undefined ? state.replaceAll('_', ' ') : saidWord(shown);
}

/** How an account stands, the worst first. One word stands for it on pages, in lists and in the API. */
export const SHOWN_ACCOUNTS = {
  in_doubt: { word: 'in doubt', tone: 'bad', means: 'the service may or may not have taken a batch of it' },
  refused: { word: 'refused', tone: 'bad', means: 'the service refused a batch of it' },
  stopped: { word: 'stopped', tone: 'bad', means: 'a fault stopped it; a person lets it send again' },
  ledger_closed: {
    word: 'ledger closed',
    tone: 'bad',
    means: 'nothing is sent before the hosts have reported their send journals',
  },
  not_configured: { word: 'not in the configuration', tone: 'quiet', means: 'it sends nothing' },
  paused: { word: 'paused', tone: 'warn', means: 'a person paused it, or all accounts' },
  window_closed: { word: 'window closed', tone: 'quiet', means: 'its sending window is closed at present' },
  sends: { word: 'sends', tone: 'good', means: 'nothing keeps it from sending' },
} as const satisfies Readonly<Record<string, { word: string; tone: Tone; means: string }>>;
export type ShownAccount = keyof typeof SHOWN_ACCOUNTS;

/** Returns the worst of what is true of an account. */
export function worstOfAccount(is: Readonly<Record<Exclude<ShownAccount, 'sends'>, boolean>>): ShownAccount {
  const worst = (Object.keys(SHOWN_ACCOUNTS) as ShownAccount[]).find((each) => each !== 'sends' && is[each]);
  return worst ?? 'sends';
}

/** The words of outcomes on pages and in messages. The output files keep their labels. */
export const SHOWN_OUTCOMES: Readonly<Record<Outcome, { readonly word: string; readonly tone: Tone }>> = {
  approved: { word: 'Approved', tone: 'good' },
  accepted_pending: { word: 'Pending at bank', tone: 'busy' },
  declined: { word: 'Declined', tone: 'warn' },
  duplicate: { word: 'Duplicate reported', tone: 'warn' },
  format_error: { word: 'Format error', tone: 'warn' },
  unknown: { word: 'In doubt', tone: 'bad' },
  not_charged: { word: 'Not charged', tone: 'quiet' },
  not_sent: { word: 'Not sent', tone: 'quiet' },
  invalid: { word: 'Invalid', tone: 'warn' },
};

/** Returns an outcome as text: its word and its meaning, such as `declined (refused by the service with a code)`. */
export function saidOutcome(outcome: Outcome): string {
  return `${SHOWN_OUTCOMES[outcome].word.toLowerCase()} (${OUTCOMES[outcome].means})`;
}

/** What to do about a row that was not paid, on pages and in messages. */
export const SHOWN_ADVICE: Readonly<Record<Advice, { readonly word: string; readonly says: string }>> = {
  later: { word: 'Try later', says: 'the same payment may be sent again later' },
  fix: { word: 'Correct first', says: 'correct the row before it is sent again' },
  cardholder: { word: 'Payer must act', says: 'the payer has to call their bank' },
  merchant: { word: 'Ask the service', says: 'the payment service has to change the merchant account' },
  never: { word: 'Never', says: 'do not send it again; ask the payer for another way to pay' },
  unknown: { word: 'Look it up', says: 'the money may have moved; look it up at the service first' },
};

/** What to do about an outcome without a code; those that are missing need nothing. */
const ADVICE_OF: Readonly<Partial<Record<Outcome, Advice>>> = {
  declined: 'unknown',
  duplicate: 'unknown',
  unknown: 'unknown',
  format_error: 'fix',
  invalid: 'fix',
  not_charged: 'later',
  not_sent: 'later',
};

/** Returns what to do about a row with this outcome; undefined for one that needs nothing. */
export function adviceOn(outcome: Outcome, code: number | null): Advice | undefined {
  return outcome === 'declined' && code !== null ? rejectionOf(code).advice : ADVICE_OF[outcome];
}
