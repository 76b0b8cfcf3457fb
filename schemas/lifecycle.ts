/**
 * States of payment files, batches and runs, every transition between them, and outcomes of rows. The ledger loads the
 * transitions into the database, which refuses any other change of state. No timer leads out of `unknown`, and out of
 * `sending` only to `unknown`.
 */

export const FILE_STATES = {
  claimed: 'taken out of the drop folder by one rename, hashed, the original sealed',
  rejected: 'refused; nothing in it is ever sent; the NAK says why',
  held: 'needs approval',
  accepted: 'rows fixed, batches cut and sealed',
  in_progress: 'at least one batch is being sent, waiting for its result or done',
  completed: 'every row has its outcome and the output files are written',
  cancelled: 'cancelled by a person before anything was sent',
  partly_cancelled: 'cancelled by a person after some batches were sent',
} as const;
export type FileState = keyof typeof FILE_STATES;

export const BATCH_STATES = {
  ready: 'bytes fixed and sealed, may be sent',
  sending: 'intent is durable, request bytes may be leaving',
  unknown: 'the service may or may not have accepted it; never sent again without a resolution',
  submitted: 'the service gave it a batch id and is processing it',
  result_in: 'the result file has arrived and is sealed',
  exception: 'the result does not match what was sent',
  reconciled: 'every row has its outcome',
  refused: 'the service refused it; nothing was charged',
  cancelled: 'never sent',
} as const;
export type BatchState = keyof typeof BATCH_STATES;

/** States in which money may have moved although no row has an outcome yet. */
export const IN_DOUBT_STATES = ['sending', 'unknown'] as const satisfies readonly BatchState[];

/** States of a file that passed its checks or was approved, and was not cancelled as a whole. */
export const TAKEN_FILE_STATES = [
  'accepted',
  'in_progress',
  'completed',
  'partly_cancelled',
] as const satisfies readonly FileState[];

/** States in which a file waits for nothing more. */
export const FINAL_FILE_STATES = [
  'completed',
  'cancelled',
  'partly_cancelled',
  'rejected',
] as const satisfies readonly FileState[];

/**
 * States in which a batch is certainly not sent, or was refused whole. It can be stopped there.
 */
export const UNSENT_BATCH_STATES = ['ready', 'refused'] as const satisfies readonly BatchState[];

/** States in which a batch waits for nothing more. When all batches are there, the file can be delivered. */
export const FINAL_BATCH_STATES = ['reconciled', 'cancelled'] as const satisfies readonly BatchState[];

/**
 * Outcome of a row. `certainlyNotCharged` rows may be corrected and dropped again (rejects file). Rows with the outcome
 * `unknown` never may. `says` tells the reader of a result what to do.
 */
export const OUTCOMES = {
  approved: {
    label: 'APPROVED',
    certainlyNotCharged: false,
    means: 'charged or refunded',
    says: 'Charged or refunded; nothing to do',
  },
  accepted_pending: {
    label: 'ACCEPTED_PENDING',
    certainlyNotCharged: false,
    means: 'passed to the bank, not paid yet',
    says: 'Passed to the bank but not paid yet; a return would come later',
  },
  declined: {
    label: 'DECLINED',
    certainlyNotCharged: true,
    means: 'refused by the service with a code',
    says: 'Refused by the service; see the message and correct the row in the rejects file',
  },
  duplicate: {
    label: 'DUPLICATE',
    certainlyNotCharged: false,
    means: 'the service says that it already has it',
    says: 'The service says that it already has it; look up the earlier payment and do not send it again',
  },
  format_error: {
    label: 'FORMAT_ERROR',
    certainlyNotCharged: true,
    means: 'the service could not read the row',
    says: 'The service could not read the row; correct it and drop the rejects file',
  },
  unknown: {
    label: 'UNKNOWN',
    certainlyNotCharged: false,
    means: 'may or may not have been charged; ask the service',
    says: 'May or may not have been charged; ask the service before sending it again',
  },
  not_charged: {
    label: 'NOT_CHARGED',
    certainlyNotCharged: true,
    means: 'sent but not charged: it is missing from two reports of the service',
    says: 'Not charged: it is missing from two reports of the service; send it again by "paydrop resubmit"',
  },
  not_sent: {
    label: 'NOT_SENT',
    certainlyNotCharged: true,
    means: 'never sent',
    says: 'Never sent; drop the rejects file if it is still to be paid',
  },
  invalid: {
    label: 'INVALID',
    certainlyNotCharged: true,
    means: 'withheld because it has faults',
    says: 'Withheld because it has faults; correct it and drop the rejects file',
  },
} as const;
export type Outcome = keyof typeof OUTCOMES;

const OUTCOME_OF_LABEL = new Map(
  (Object.keys(OUTCOMES) as Outcome[]).map((name) => [OUTCOMES[name].label as string, name]),
);

/** Returns the outcome that a result file names. */
export function outcomeOfLabel(label: string): Outcome | undefined {
  return OUTCOME_OF_LABEL.get(label);
}

/** Outcomes that the ledger stores per sent row; `invalid` and `not_sent` follow from the row and its batch. */
export type SentOutcome = Exclude<Outcome, 'invalid' | 'not_sent'>;

type Actor = 'worker' | 'operator';
export type Move<State extends string> = {
  readonly name: string;
  readonly from: State | null;
  readonly to: State;
  readonly by: Actor;
  readonly about: string;
};

export const FILE_MOVES = [
  { name: 'claim', from: null, to: 'claimed', by: 'worker', about: 'sealed and hashed after the rename' },
  { name: 'accept', from: 'claimed', to: 'accepted', by: 'worker', about: 'every check passed' },
  { name: 'hold', from: 'claimed', to: 'held', by: 'worker', about: 'needs approval' },
  { name: 'reject', from: 'claimed', to: 'rejected', by: 'worker', about: 'a fault of the whole file' },
  { name: 'approve', from: 'held', to: 'accepted', by: 'operator', about: 'reviewed and found right' },
  { name: 'decline', from: 'held', to: 'cancelled', by: 'operator', about: 'reviewed and not wanted' },
  {
    name: 'decline-rest',
    from: 'held',
    to: 'partly_cancelled',
    by: 'operator',
    about: 'not wanted, but calls of some of its batches were found; what was not sent was cancelled',
  },
  { name: 'begin', from: 'accepted', to: 'in_progress', by: 'worker', about: 'the first batch left ready' },
  { name: 'cancel', from: 'accepted', to: 'cancelled', by: 'operator', about: 'before anything was sent' },
  { name: 'complete', from: 'in_progress', to: 'completed', by: 'worker', about: 'all rows final, outputs read back' },
  { name: 'stop', from: 'in_progress', to: 'partly_cancelled', by: 'operator', about: 'the unsent rest was cancelled' },
] as const satisfies readonly Move<FileState>[];
export type FileMove = (typeof FILE_MOVES)[number]['name'];

export const BATCH_MOVES = [
  { name: 'cut', from: null, to: 'ready', by: 'worker', about: 'canonical bytes sealed and read again' },
  { name: 'send', from: 'ready', to: 'sending', by: 'worker', about: 'intent durable in ledger and journal' },
  {
    name: 'submit',
    from: 'sending',
    to: 'submitted',
    by: 'worker',
    about: 'answered with a batch id new to the account',
  },
  { name: 'refuse', from: 'sending', to: 'refused', by: 'worker', about: 'answered with a definite no' },
  { name: 'unsent', from: 'sending', to: 'ready', by: 'worker', about: 'this process proves that no byte left' },
  {
    name: 'doubt',
    from: 'sending',
    to: 'unknown',
    by: 'worker',
    about: 'the call ended in any other way, or its process died',
  },
  { name: 'adopt', from: 'unknown', to: 'submitted', by: 'operator', about: 'a batch id whose every row matches' },
  { name: 'absolve', from: 'unknown', to: 'ready', by: 'operator', about: 'confirmed not received, with evidence' },
  {
    name: 'settle',
    from: 'unknown',
    to: 'reconciled',
    by: 'operator',
    about: 'resolved row by row, or closed in doubt',
  },
  { name: 'receive', from: 'submitted', to: 'result_in', by: 'worker', about: 'the result file sealed and hashed' },
  {
    name: 'distrust',
    from: 'submitted',
    to: 'exception',
    by: 'worker',
    about: 'the service says repeatedly that it does not know the batch id',
  },
  {
    name: 'reconcile',
    from: 'result_in',
    to: 'reconciled',
    by: 'worker',
    about: 'every row matched, and counts and cents agree',
  },
  { name: 'except', from: 'result_in', to: 'exception', by: 'worker', about: 'rows do not match what was sent' },
  {
    name: 'map',
    from: 'exception',
    to: 'reconciled',
    by: 'operator',
    about: 'a later good result, or a mapping by hand',
  },
  {
    name: 'recover',
    from: 'exception',
    to: 'reconciled',
    by: 'worker',
    about: 'fetched again, the result matches',
  },
  { name: 'disown', from: 'exception', to: 'unknown', by: 'operator', about: "it was another batch's result" },
  {
    name: 'recall',
    from: 'ready',
    to: 'unknown',
    by: 'worker',
    about: 'the send journal shows a call of it that the ledger had lost',
  },
  { name: 'recall-refused', from: 'refused', to: 'unknown', by: 'worker', about: 'the same, after a refusal' },
  { name: 'retry', from: 'refused', to: 'ready', by: 'operator', about: 'the cause is fixed' },
  { name: 'withdraw', from: 'refused', to: 'cancelled', by: 'operator', about: 'it is not to be sent again' },
  { name: 'cancel', from: 'ready', to: 'cancelled', by: 'operator', about: 'before it was sent' },
] as const satisfies readonly Move<BatchState>[];
export type BatchMove = (typeof BATCH_MOVES)[number]['name'];

export const RUN_STATES = {
  running: 'a worker is running it, or died while running it',
  done: 'done; it is never run again',
  missed: 'its time and its window passed while paydrop was not running',
  failed: 'started but not finished',
} as const;
export type RunState = keyof typeof RUN_STATES;

/** Transitions of a run: what a schedule does on one business date. */
export const RUN_MOVES = [
  {
    name: 'begin-run',
    from: null,
    to: 'running',
    by: 'worker',
    about: 'its time has come and no process had started it',
  },
  { name: 'finish-run', from: 'running', to: 'done', by: 'worker', about: 'all its work is done' },
  { name: 'fail-run', from: 'running', to: 'failed', by: 'worker', about: 'it broke off' },
  { name: 'retry-run', from: 'failed', to: 'running', by: 'worker', about: 'tried again within its window' },
  { name: 'miss-run', from: null, to: 'missed', by: 'worker', about: 'nothing ran in time' },
  { name: 'make-up-run', from: 'missed', to: 'running', by: 'operator', about: 'run late, on the same day' },
] as const satisfies readonly Move<RunState>[];
export type RunMove = (typeof RUN_MOVES)[number]['name'];

export const PROFILE_STATES = {
  draft: 'imported; it reads nothing',
  confirmed: 'reads the files of its folders; only one version of a profile does',
  retired: 'reads no new files; those taken before are still read with it',
} as const;
export type ProfileState = keyof typeof PROFILE_STATES;

/** Transitions of a version of an import profile. */
export const PROFILE_MOVES = [
  { name: 'import-profile', from: null, to: 'draft', by: 'operator', about: 'its text has no faults' },
  {
    name: 'confirm-profile',
    from: 'draft',
    to: 'confirmed',
    by: 'operator',
    about: 'a sample has the rows and the total of the accounting system',
  },
  { name: 'replace-profile', from: 'confirmed', to: 'retired', by: 'operator', about: 'another version was confirmed' },
  { name: 'retire-profile', from: 'confirmed', to: 'retired', by: 'operator', about: 'it is to read nothing more' },
] as const satisfies readonly Move<ProfileState>[];
export type ProfileMove = (typeof PROFILE_MOVES)[number]['name'];

export const REPROCESS_STATES = {
  selected: 'chosen by a person; nothing is done yet',
  running: 'a worker does one item after the other, or died while doing so',
  ended: 'every item was done or left out',
} as const;
export type ReprocessState = keyof typeof REPROCESS_STATES;

/** Transitions of a set of things that a person has done again. */
export const REPROCESS_MOVES = [
  { name: 'select-reprocess', from: null, to: 'selected', by: 'operator', about: 'exactly these items, frozen' },
  { name: 'begin-reprocess', from: 'selected', to: 'running', by: 'operator', about: 'its plan is right' },
  { name: 'end-reprocess', from: 'running', to: 'ended', by: 'worker', about: 'no item is left' },
] as const satisfies readonly Move<ReprocessState>[];
export type ReprocessMove = (typeof REPROCESS_MOVES)[number]['name'];

/** What happens to an item of such a set. */
export const REPROCESS_ACTIONS = ['resubmit', 'retry', 'drop-again'] as const;
export type ReprocessAction = (typeof REPROCESS_ACTIONS)[number];

/** How an item ended. */
export const REPROCESS_RESULTS = ['done', 'left_out', 'failed'] as const;
export type ReprocessResult = (typeof REPROCESS_RESULTS)[number];

/** How a drop was known to be complete. Without a control file or marker it is only inferred. */
export const COMPLETENESS = {
  sidecar: 'confirmed by the control file beside it',
  marker: 'confirmed by its marker file',
  quiet: 'inferred from quiet time',
} as const;
export type Completeness = keyof typeof COMPLETENESS;

/** Kinds of output file, in order of appearance. */
export const OUTPUT_KINDS = {
  ack: { suffix: 'ack.csv', about: 'the file was accepted; lists the rows that were withheld' },
  nak: { suffix: 'nak.csv', about: 'the file was refused; lists every fault' },
  held: { suffix: 'held.csv', about: 'the file needs approval; lists why' },
  cancelled: { suffix: 'cancelled.csv', about: 'a person cancelled the file before anything in it was sent; says why' },
  result: { suffix: 'result.csv', about: 'one line per row of the file, in its order, with the outcome' },
  'result-xlsx': { suffix: 'result.xlsx', about: 'the same as an Excel workbook, if the account wants it' },
  sent: { suffix: 'sent.csv', about: 'what an import profile made of each row that passed the check, in the layout' },
  rejects: { suffix: 'rejects.csv', about: 'rows certainly not charged, ready to correct and drop again' },
  retry: { suffix: 'retry.csv', about: 'rows that may be sent again later as they are' },
  'summary-json': { suffix: 'summary.json', about: 'control totals, money per outcome and hashes, for programs' },
  'summary-txt': { suffix: 'summary.txt', about: 'the same as text' },
  correction: { suffix: 'result.c01.csv', about: 'rows whose outcome changed later, old and new; the next is c02' },
  'correction-json': { suffix: 'summary.c01.json', about: 'totals after a correction, for programs' },
  'correction-txt': { suffix: 'summary.c01.txt', about: 'the same as text' },
} as const;
export type OutputKind = keyof typeof OUTPUT_KINDS;
