import { type BatchState, FINAL_BATCH_STATES } from '../../../schemas/lifecycle.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { BatchRow } from '../engine/records.ts';
import { isFormerName } from '../merchant/bound-accounts.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { askAtApproval } from '../duplicates/ask-again.ts';
import { wasCutOtherwise } from '../duplicates/find-duplicate.ts';
import { isUnsent } from '../batch/conditions.ts';
import { cancelOne } from './cancel-file.ts';
import { WAS_READ } from './decide-file.ts';
import { endLate } from './late-arrivals.ts';
import { type AuditReason, moveFile, mustHaveMoved, mustMove } from '../engine/move.ts';
import { mustNotBeMaker } from './note-upload.ts';
import { bindingOfFile, propose, voidProposals } from '../proposal/propose.ts';

/**
 * Makes the move `approve`: an operator looked at a held file and approves its valid rows.
 * @throws PipelineError MOVE_REFUSED when the file is not held, was never read, has no valid row, or may hold rows that
 *   were sent before the ledger was restored; SECOND_PERSON
 */
export async function approveFile(ledger: Ledger, fileId: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await approveHeld(tx, fileId, because);
    await voidProposals(tx, { fileId }, because);
  });
}

/** Makes only the move, for the transaction in which a second person confirms it. */
export async function approveHeld(tx: Transaction, fileId: string, because: AuditReason): Promise<void> {
  const action = `approve file "${fileId}"`;
  const { rows } = await tx.client.query<{ valid_rows: number | null; account: string }>(
    'SELECT valid_rows, account FROM file WHERE file_id = $1',
    [fileId],
  );
  if (rows[0]?.valid_rows === 0) throw new PipelineError('MOVE_REFUSED', action, NO_ROWS);
  if (rows[0] && isFormerName(rows[0].account))
    throw new PipelineError('MERCHANT_CHANGED', action, OTHER_MEANING, { next: MOVE_IT });
  await askAtApproval(tx, fileId, because.actor);
  if (await wasCutOtherwise(tx, fileId)) throw new PipelineError('MOVE_REFUSED', action, CUT_OTHERWISE);
  if (await isNotCompared(tx, fileId)) throw new PipelineError('MOVE_REFUSED', action, NOT_COMPARED);
  await mustHaveMoved(tx, { fileId }, await moveFile(tx, 'approve', fileId, because, WAS_READ), action);
  await mustNotBeMaker(tx, fileId, because.actor);
  await endLate(tx, fileId, because);
  await tx.client.query(ONE_FIRST_FILE_LESS, [fileId]);
}

/** A person has compared one of the first files of a version with the accounting system. */
const ONE_FIRST_FILE_LESS = `
  UPDATE profile_version v SET first_files_left = first_files_left - 1 FROM file f
  WHERE f.file_id = $1 AND v.profile_no = f.profile_version AND v.first_files_left > 0 AND v.sample_sha256 <> f.sha256`;

const CUT_OTHERWISE =
  'rows of it were sent before in batches of other sizes, so the rest may have been sent too; decline it, and drop a file of the rows that the service does not have';

/** A person may only overrule what the file shows, and it does not show calls that were found since. */
async function isNotCompared({ client }: Transaction, fileId: string): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM file WHERE file_id = $1 AND NOT is_compared(file_id)', [fileId]);
  return rowCount !== 0;
}

const NOT_COMPARED =
  'calls that the ledger had lost were found since it was read, and its rows are not compared with them yet; a running paydrop does that within minutes, then look at the file again';

const NO_ROWS = 'it has no rows to send; decline it';

const OTHER_MEANING = 'it was taken when the name of its account meant another merchant, country or currency';
const MOVE_IT =
  'Move it to the present account with "paydrop move FILE --reason …", where it is checked like a new file, or decline it.';

/**
 * Proposes to approve a held file with its current bytes, rows and money. It stays held until a second person confirms.
 * @returns the number of the proposal
 * @throws PipelineError MOVE_REFUSED when the file is not held or has no valid row, PROPOSAL_OPEN
 */
export async function proposeApproval(ledger: Ledger, fileId: string, because: AuditReason): Promise<number> {
  return transact(ledger, async (tx) => {
    const binding = await bindingOfFile(tx, fileId);
    const action = `propose to approve file "${fileId}"`;
    if (binding['state'] !== 'held') throw new PipelineError('MOVE_REFUSED', action);
    if (binding['rows'] === 0) throw new PipelineError('MOVE_REFUSED', action, NO_ROWS);
    return propose(tx, { action: 'approve', fileId, binding, ...because });
  });
}

/**
 * Makes the move `decline`: cancels the file and all its batches. Calls of some of them may have been found although the
 * file was held (recall-batch.ts): once each of these is decided, `decline-rest` cancels the others.
 * @throws PipelineError MOVE_REFUSED when the file is not held, or one of its batches may have been sent and is not decided
 */
export async function declineFile(ledger: Ledger, fileId: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await tx.client.query('SELECT FROM file WHERE file_id = $1 FOR UPDATE', [fileId]);
    const { rows } = await tx.client.query<Pick<BatchRow, 'file_id' | 'batch_no' | 'state'>>(
      `SELECT b.file_id, b.batch_no, b.state FROM batch b JOIN file f USING (file_id)
       WHERE b.file_id = $1 AND f.state = 'held' ORDER BY b.batch_no FOR UPDATE OF b`,
      [fileId],
    );
    const action = `decline file "${fileId}"`;
    const open = rows.find(({ state }) => !isUnsent(state) && !isFinalBatch(state));
    if (open)
      throw new PipelineError('MOVE_REFUSED', action, `batch ${open.batch_no} of it may have been sent`, {
        next: `First see "paydrop resolve ${fileId}/${open.batch_no}".`,
      });
    const move = rows.some(({ state }) => state === 'reconciled') ? 'decline-rest' : 'decline';
    await mustHaveMoved(tx, { fileId }, await moveFile(tx, move, fileId, because), action);
    await endLate(tx, fileId, because);
    for (const batch of rows) {
      if (isUnsent(batch.state))
        mustMove(await cancelOne(tx, batch, because), `${action}, whose batch ${batch.batch_no} may have been sent`);
    }
    await voidProposals(tx, { fileId }, because);
  });
}

function isFinalBatch(state: BatchState): boolean {
  return (FINAL_BATCH_STATES as readonly BatchState[]).includes(state);
}
