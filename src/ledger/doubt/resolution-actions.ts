import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { sha256Of } from '../../kernel/hash.ts';
import type { ReconciledRow } from '../../rows/rows.ts';
import { type Transaction, violates } from '../engine/transaction.ts';
import { countReports } from './decide-rows.ts';
import { decideOpenRows, type DecidedRows } from './unknown-rows.ts';
import { changeOutcomes } from '../row/change-outcomes.ts';
import { type AuditReason, type BatchKey, moveBatch } from '../engine/move.ts';
import { type Binding, bindingOfBatch, type ProposalRow, voidProposals } from '../proposal/propose.ts';
import {
  type AttemptResolution,
  mustBeResolved,
  readFileNo,
  readLastCall,
  readWaited,
  resolveAttempts,
} from './resolve-attempts.ts';
import type { BatchRow } from '../engine/records.ts';
import { CERTAINLY_NOT_CHARGED } from '../batch/conditions.ts';
import { learnBatch, learnCharged, lockDecisionsOf } from '../duplicates/double-charges.ts';
import { writeOutcomes } from '../batch/receive-result.ts';
import { mustBeOpen } from '../admission/close-ledger.ts';
import { nextAttempt } from '../batch/retry-refused.ts';
import { storableJson } from '../engine/storable-text.ts';

/** The subject of a resolution. Its evidence holds what the action needs: `batchId`, `waitMs`. */
type ResolutionSubject = Pick<ProposalRow, 'file_id' | 'batch_no' | 'evidence'>;

/** How a confirmed proposal of one kind is carried out. */
export type ResolutionAction = {
  /** Shown in the list of proposals. */
  readonly about: string;
  /** Returns the current binding of the subject, to compare with that of the proposal. Locks what it reads. */
  bindingOf(tx: Transaction, subject: ResolutionSubject): Promise<Binding>;
  /** Runs in the transaction that confirms it. Throws PipelineError MOVE_REFUSED or RESOLUTION_REFUSED. */
  carryOut(tx: Transaction, subject: ResolutionSubject, because: AuditReason): Promise<void>;
};

/** How a batch in doubt can end, by proposal name. One person decides, or one proposes and another confirms. */
export const RESOLUTION_ACTIONS = {
  adopt: {
    about: 'enter a batch id under which every row matches; its result is fetched',
    bindingOf: bindBatch,
    carryOut: (tx, subject, because) =>
      assignBatchId(tx, keyOf(subject), String(subject.evidence['batchId']), withEvidence(subject, because)),
  },
  'not-received': {
    about: 'mark the batch as not received; it is sent again',
    bindingOf: bindBatch,
    carryOut: (tx, subject, because) =>
      declareNotReceived(tx, keyOf(subject), waitOf(subject), withEvidence(subject, because)),
  },
  journal: {
    about: "give the rows the outcomes of the service's reports",
    bindingOf: bindRows,
    carryOut: settleByReports,
  },
  'close-in-doubt': {
    about: 'close the batch with unknown outcome; rows that no report shows stay UNKNOWN',
    bindingOf: bindRows,
    carryOut: closeInDoubt,
  },
} as const satisfies Record<string, ResolutionAction>;

export type ResolutionName = keyof typeof RESOLUTION_ACTIONS;

/** Binds a proposal to the number of reports too: one that is read meanwhile may change what the resolution means. */
async function bindBatch(tx: Transaction, subject: ResolutionSubject): Promise<Binding> {
  await lockDecisionsOf(tx, keyOf(subject));
  const binding = await bindingOfBatch(tx, keyOf(subject));
  return { ...binding, reports: await countReports(tx, keyOf(subject)) };
}

/**
 * Binds a proposal to each row with the outcome that it would get, too: the second person confirms no other. A closed row
 * has the outcome unknown.
 */
async function bindRows(tx: Transaction, subject: ResolutionSubject): Promise<Binding> {
  const binding = await bindBatch(tx, subject);
  const rows = await readProposedRows(tx, subject, String(binding['state']));
  const lines = rows.map(({ line, outcome, code, message, authorization }) =>
    [line, outcome, code, message, authorization].join(' '),
  );
  const counts = [...groupBy(rows, ({ outcome }) => outcome)].map(([outcome, own]) => [outcome, own.length]);
  return { ...binding, ...Object.fromEntries(counts), outcomes: sha256Of(lines.join('\n')) };
}

/** Outcomes that a proposal to settle or close rows would write, in line order; empty for a batch that is past that. */
export async function readProposedRows(
  tx: Transaction,
  subject: ResolutionSubject,
  state: string,
): Promise<ReconciledRow[]> {
  if (!['unknown', 'exception', 'reconciled'].includes(state)) return [];
  const { certain, uncertain } = await decideOpenRows(tx, keyOf(subject), waitOf(subject));
  return [...certain, ...uncertain.map(inDoubt)].toSorted((one, other) => one.line - other.line);
}

async function settleByReports(tx: Transaction, subject: ResolutionSubject, because: AuditReason): Promise<void> {
  const key = keyOf(subject);
  const { certain, uncertain, isFinished } = await decideOpenRows(tx, key, waitOf(subject));
  if (isFinished) {
    if (certain.length > 0) return correctRows(tx, key, certain, withEvidence(subject, because));
    const action = `decide rows of batch ${key.batchNo} of file "${key.fileId}"`;
    throw new PipelineError('RESOLUTION_REFUSED', action, 'the reports decide no row whose outcome is unknown');
  }
  if (uncertain.length > 0) {
    const action = `settle batch ${key.batchNo} of file "${key.fileId}"`;
    throw new PipelineError(
      'RESOLUTION_REFUSED',
      action,
      `the reports leave ${counted(uncertain.length, 'row')} in doubt`,
    );
  }
  await settleBatch(tx, key, certain, 'settled', withEvidence(subject, because));
}

async function closeInDoubt(tx: Transaction, subject: ResolutionSubject, because: AuditReason): Promise<void> {
  const key = keyOf(subject);
  await lockDecisionsOf(tx, key);
  const { state } = await bindingOfBatch(tx, key);
  const decided = await decideOpenRows(tx, key, waitOf(subject));
  const { certain, uncertain } = decided;
  const told = withEvidence(subject, because);
  if (decided.isFinished) return closeRows(tx, key, decided, told);
  const rows = [...certain, ...uncertain.map(inDoubt)];
  const resolution = uncertain.length === 0 ? 'settled' : 'in_doubt';
  if (state === 'exception') await mapBatch(tx, key, rows, resolution, told);
  else await settleBatch(tx, key, rows, resolution, told);
}

/** Gives unknown rows of a finished batch the outcomes that reports prove. A correction file follows. */
async function correctRows(
  tx: Transaction,
  key: BatchKey,
  rows: readonly ReconciledRow[],
  because: AuditReason,
): Promise<void> {
  await changeOutcomes(tx, key, rows, { ...because, source: 'a transaction report of the service' });
  await voidProposals(tx, key, because);
}

/**
 * Closes the unknown rows of a finished batch: their outcome stays unknown, and no list names them any more. Those that reports decide get their
 * outcome first.
 * @throws PipelineError MOVE_REFUSED when no row is unknown
 */
async function closeRows(
  tx: Transaction,
  key: BatchKey,
  { certain, uncertain }: DecidedRows,
  because: AuditReason,
): Promise<void> {
  if (certain.length + uncertain.length === 0) {
    const action = `close batch ${key.batchNo} of file "${key.fileId}"`;
    throw new PipelineError('MOVE_REFUSED', action, 'every row of it has a known outcome');
  }
  await correctRows(tx, key, certain, because);
  await tx.client.query('UPDATE batch SET doubt_closed_at = $3 WHERE file_id = $1 AND batch_no = $2', [
    key.fileId,
    key.batchNo,
    tx.at,
  ]);
  tx.audit({ ...because, ...key, move: 'close-rows', evidence: { ...because.evidence, rows: uncertain.length } });
}

function inDoubt(line: number): ReconciledRow {
  return { line, outcome: 'unknown', code: null, message: CLOSED_IN_DOUBT, authorization: '' };
}

const CLOSED_IN_DOUBT = 'closed in doubt: the service may or may not have charged it';

function keyOf({ file_id: fileId, batch_no: batchNo }: ResolutionSubject): BatchKey {
  return { fileId: fileId!, batchNo: batchNo ?? 0 };
}

function waitOf({ evidence }: ResolutionSubject): number {
  const waitMs = evidence['waitMs'];
  if (typeof waitMs === 'number' && waitMs >= 0) return waitMs;
  throw new PipelineError('INTERNAL', 'resolve a batch in doubt', 'the required wait is not known');
}

/** Adds the evidence of the proposal to the audit link of the move. */
function withEvidence({ evidence }: ResolutionSubject, because: AuditReason): AuditReason {
  return { ...because, evidence: { ...evidence, ...because.evidence } };
}

/**
 * Move `adopt`: assigns the batch id under which the service has the batch. The caller has verified that every row of
 * the result under this id was sent. The result is fetched at once.
 * @throws PipelineError MOVE_REFUSED when the batch is not in doubt, RESOLUTION_REFUSED when another batch has the id
 */
export async function assignBatchId(
  tx: Transaction,
  key: BatchKey,
  batchId: string,
  because: AuditReason,
): Promise<void> {
  await lockDecisionsOf(tx, key);
  const set = {
    batch_id: batchId,
    submitted_at: await readLastCall(tx, key),
    polls: 0,
    next_poll_at: tx.at,
    releases: 0,
  };
  const row = await moveBatch(tx, 'adopt', key, because, { set }).catch((error: unknown) => {
    if (!violates(error, 'one_batch_per_batch_id')) throw error;
    throw new PipelineError('RESOLUTION_REFUSED', `enter batch id "${batchId}"`, 'another batch of the account has it');
  });
  await mustBeResolved(tx, row, key, 'enter a batch id for');
  await resolveAttempts(tx, key, 'adopted', because);
  await learnBatch(tx, key, { actor: because.actor, source: `the service has it under batch id ${batchId}` });
}

/** `settled` when every row is certain, `in_doubt` when a user closes rows without that. */
type RowsResolution = Extract<AttemptResolution, 'settled' | 'in_doubt'>;

/** Returns since when rows count as closed by a user. */
function closedAt(tx: Transaction, resolution: RowsResolution): Date | null {
  return resolution === 'in_doubt' ? tx.at : null;
}

/**
 * Move `map`: ends a batch whose result does not fit with one outcome per row, for which an operator answers. The
 * outcomes come from a later, good result, or none is certain.
 * @throws PipelineError MOVE_REFUSED when the batch is no exception, or the outcomes do not match its rows exactly
 */
export async function mapBatch(
  tx: Transaction,
  key: BatchKey,
  rows: readonly ReconciledRow[],
  resolution: RowsResolution,
  because: AuditReason,
): Promise<BatchRow> {
  await lockDecisionsOf(tx, key);
  const set = { result_at: tx.at, next_poll_at: null, doubt_closed_at: closedAt(tx, resolution) };
  const batch = await mustBeResolved(tx, await moveBatch(tx, 'map', key, because, { set }), key, 'map');
  await writeResolved(tx, batch, rows, because);
  await voidProposals(tx, key, because);
  return batch;
}

/**
 * Move `absolve`: an operator confirms that the service never received the batch, so it may be sent once more. The next
 * attempt gets a number that no call has used; earlier attempts keep their resolution.
 * @param waitMs how long ago the last call must have begun; until then, a slow service may still book it
 * @throws PipelineError MOVE_REFUSED when the batch is not in doubt; RESOLUTION_REFUSED when it is too early, or when a
 *   transaction report shows one of its rows
 */
export async function declareNotReceived(
  tx: Transaction,
  key: BatchKey,
  waitMs: number,
  because: AuditReason,
): Promise<void> {
  await mustBeOpen(tx);
  const attempt = await nextAttempt(tx, key);
  const waitedMs = await readWaited(tx, key);
  const row = await moveBatch(tx, 'absolve', key, because, { set: { attempt, not_before: tx.at, releases: 0 } });
  await mustBeResolved(tx, row, key, 'mark as not received');
  // A call in the future, from a clock that was set back since, counts as just begun.
  if (waitedMs < waitMs) {
    const from = new Date(tx.at.getTime() + waitMs - Math.max(0, waitedMs));
    throw refusal(key, `the service may still book it; this is possible from ${from.toISOString()} on`);
  }
  await refuseFound(tx, key);
  await resolveAttempts(tx, key, 'not_received', because);
}

/** Throws if a report read for the unresolved attempts shows a row. Earlier attempts are already resolved. */
async function refuseFound(tx: Transaction, key: BatchKey): Promise<void> {
  const { rows } = await tx.client.query<{ line: number; name: string }>(
    `SELECT f.line, r.name FROM row_finding f JOIN transaction_report r USING (report_no)
     WHERE r.file_id = $1 AND r.batch_no = $2 AND f.finding = 'found'
       AND EXISTS (SELECT 1 FROM attempt a WHERE a.file_id = r.file_id AND a.batch_no = r.batch_no
                     AND a.attempt = r.attempt AND a.resolution IS NULL)
     ORDER BY f.line LIMIT 1`,
    [key.fileId, key.batchNo],
  );
  const [found] = rows;
  if (found) throw refusal(key, `the report "${found.name}" shows that the row on line ${found.line} was booked`);
}

function refusal(key: BatchKey, why: string): PipelineError {
  const action = `mark batch ${key.fileId}/${key.batchNo} as not received`;
  return new PipelineError('RESOLUTION_REFUSED', action, why);
}

/**
 * Move `settle`: ends a batch in doubt with one outcome per row, from sources other than its result file, or `unknown`
 * for good. Outcomes are written like those of a result, so the outputs follow as usual.
 * @param resolution `settled` when every row is certain, `in_doubt` when the batch is closed without that
 * @throws PipelineError MOVE_REFUSED when the batch is not in doubt, or the outcomes do not match its rows exactly
 */
export async function settleBatch(
  tx: Transaction,
  key: BatchKey,
  rows: readonly ReconciledRow[],
  resolution: RowsResolution,
  because: AuditReason,
): Promise<BatchRow> {
  await lockDecisionsOf(tx, key);
  // The time of sending is known, whatever the outcome; the sender's result file states it.
  const set = {
    submitted_at: await readLastCall(tx, key),
    result_at: tx.at,
    next_poll_at: null,
    doubt_closed_at: closedAt(tx, resolution),
  };
  const row = await moveBatch(tx, 'settle', key, because, { set });
  const batch = await mustBeResolved(tx, row, key, 'settle');
  await writeResolved(tx, batch, rows, because);
  await resolveAttempts(tx, key, resolution, because);
  return batch;
}

/** Writes outcomes that a person answers for. A row that is no certain no is news for other files that hold it. */
async function writeResolved(
  tx: Transaction,
  batch: BatchRow,
  outcomes: readonly ReconciledRow[],
  { actor }: AuditReason,
): Promise<void> {
  const { file_id: fileId, account } = batch;
  const fileNo = await readFileNo(tx, { fileId, batchNo: batch.batch_no });
  await writeOutcomes(tx, { fileNo, batch, outcomes });
  const lines = outcomes.filter(({ outcome }) => !CERTAINLY_NOT_CHARGED.includes(outcome)).map(({ line }) => line);
  await learnCharged(tx, { account, fileNo, fileId, lines, source: 'a batch in doubt was resolved', actor });
}

/**
 * Move `disown`: detaches the result under the batch id, because it belongs to another batch. This batch is in doubt
 * again. The id becomes free for its own batch and stays recorded with the attempt.
 * @returns the detached batch id
 * @throws PipelineError MOVE_REFUSED when the batch is no exception
 */
export async function detachResult(tx: Transaction, key: BatchKey, because: AuditReason): Promise<string | null> {
  await mustBeOpen(tx);
  const { rows } = await tx.client.query<{ batch_id: string | null; attempt: number }>(
    'SELECT batch_id, attempt FROM batch WHERE file_id = $1 AND batch_no = $2 FOR UPDATE',
    [key.fileId, key.batchNo],
  );
  const [before] = rows;
  const disownedBatchId = before?.batch_id ?? null;
  const set = {
    batch_id: null,
    submitted_at: null,
    result_at: null,
    result_sha256: null,
    next_poll_at: null,
    stale_since: null,
    poll_alarm: null,
    not_known_polls: 0,
  };
  const evidence = { ...because.evidence, disownedBatchId };
  const row = await moveBatch(tx, 'disown', key, { ...because, evidence }, { set });
  await mustBeResolved(tx, row, key, 'detach the result of');
  // A batch id that was entered resolved every call in doubt, not only the newest.
  await tx.client.query(
    `UPDATE attempt SET verdict = 'unknown', resolution = NULL, resolved_at = NULL, resolved_by = NULL,
       evidence = coalesce(evidence, '{}') || $4::jsonb
     WHERE file_id = $1 AND batch_no = $2 AND (attempt = $3 OR resolution = 'adopted')`,
    [key.fileId, key.batchNo, before?.attempt, storableJson({ disownedBatchId })],
  );
  await voidProposals(tx, key, because);
  return disownedBatchId;
}
