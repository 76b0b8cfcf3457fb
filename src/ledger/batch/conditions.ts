import {
  type BatchState,
  FINAL_BATCH_STATES,
  FINAL_FILE_STATES,
  type Outcome,
  OUTCOMES,
  TAKEN_FILE_STATES,
  UNSENT_BATCH_STATES,
} from '../../../schemas/lifecycle.ts';

const oneOf = (states: readonly string[]) => `(${states.map((state) => `'${state}'`).join(', ')})`;

/** SQL: a batch still waits for something. Literal states, so that the planner can use the partial index of these. */
export const IS_OPEN = `state NOT IN ${oneOf(FINAL_BATCH_STATES)}`;

/** SQL: a batch waits for nothing more. */
export const IS_FINAL = `state IN ${oneOf(FINAL_BATCH_STATES)}`;

/** SQL: a file waits for nothing more. */
export const IS_FINAL_FILE = `state IN ${oneOf(FINAL_FILE_STATES)}`;

/** SQL: a file passed its checks or was approved, and was not cancelled as a whole. */
export const IS_TAKEN = `state IN ${oneOf(TAKEN_FILE_STATES)}`;

/** SQL: batches of a file may be sent. */
export const IS_SENDABLE = `state IN ${oneOf(TAKEN_FILE_STATES.slice(0, 2))}`;

/** SQL: a batch is certainly not sent, or was refused whole. */
export const IS_UNSENT = `state IN ${oneOf(UNSENT_BATCH_STATES)}`;

/** Returns the same of a state. */
export function isUnsent(state: BatchState): boolean {
  return (UNSENT_BATCH_STATES as readonly BatchState[]).includes(state);
}

/**
 * SQL condition on `batch` under which its account may send at all. Its file is wanted, neither the account nor all
 * accounts are stopped, and the batch was not in a forgotten call. No batch of the account is in doubt or refused. The
 * gate asks for it, too: `begin_call` in schemas/ledger/send.sql.
 */
export const MAY_LEAVE = 'batch.paid_since IS NULL AND may_leave(batch.account, batch.file_id, batch.body_sha256)';

/** Column values of a batch that no worker holds. */
export const NOBODY = { token: null, worker: null, lease_until: null } as const;

/** Condition of a move: no batch of the file waits for anything. */
export const NO_BATCH_OPEN = {
  sql: `NOT EXISTS (SELECT 1 FROM batch b WHERE b.file_id = file.file_id AND b.${IS_OPEN})`,
  values: [],
};

/**
 * Returns SQL for whether the time in a column has come.
 * @param longestMs longest possible wait of this kind
 */
export function hasCome(column: string, now: string, longestMs: number): string {
  return `has_come(${column}, ${now}, ${longestMs})`;
}

/** Outcomes after which a row may be sent again, as a value for the conditions here. */
export const CERTAINLY_NOT_CHARGED: readonly string[] = (Object.keys(OUTCOMES) as Outcome[]).filter(
  (name) => OUTCOMES[name].certainlyNotCharged,
);

/**
 * Returns SQL for whether anything of `file` was charged or may yet be. That is a batch in progress or unsent, or a row
 * whose outcome or later outcome is not a certain no. A rejected or cancelled file has no such batch.
 * @param certain parameter that holds CERTAINLY_NOT_CHARGED
 */
export function mayBeCharged(certain: string): string {
  return `(EXISTS (SELECT 1 FROM batch b WHERE b.file_id = file.file_id AND b.${IS_OPEN})
    OR EXISTS (SELECT 1 FROM batch_outcome o WHERE o.file_no = file.file_no AND o.outcome <> ALL (${certain}))
    OR EXISTS (SELECT 1 FROM row_change c WHERE c.file_no = file.file_no AND c.outcome <> ALL (${certain})))`;
}
