import { isBatchId } from '../../gateway/soap/read-batch-fields.ts';
import { holdsCardNumber, maskText } from '../../kernel/mask.ts';
import { findBatchById } from '../../ledger/doubt/in-doubt.ts';
import type { Difference } from '../../reconcile/match-results.ts';
import { type CarriedOut, carryOut, mustBeIn, refuse } from './carry-out.ts';
import type { ResolutionContext } from './resolution-context.ts';
import type { SentRow } from '../../rows/rows.ts';
import { readSentRows } from '../../ledger/file/read-file.ts';
import { compareRows } from '../../reconcile/compare-rows.ts';
import { sha256Of } from '../../kernel/hash.ts';
import { judgeResult, readResult } from '../../../workers/poll/judge-result.ts';

export type Adoption =
  | CarriedOut
  /** The result under the id is not that of the batch; nothing was changed. */
  | { result: 'differs'; reason: string; differences: readonly Difference[] };

/**
 * Assigns a batch id to a batch in doubt. The service's own result is the proof: the batch becomes submitted only if
 * every row of that result was sent. The poll worker then fetches the result as usual.
 * @param reason in the operator's words; defaults to the proof
 * @throws PipelineError MOVE_REFUSED, and RESOLUTION_REFUSED when another batch has the id, or there is nothing to
 * compare
 */
export async function assignById(context: ResolutionContext, batchId: string, reason?: string): Promise<Adoption> {
  const action = `enter batch id "${shownId(batchId)}" for`;
  mustBeIn(context, action, 'unknown');
  if (!isBatchId(batchId))
    throw refuse(context, action, 'that is not a batch id', 'Enter the id only, without spaces.');
  const owner = await findBatchById(context.ledger, context.batch.account, batchId);
  if (owner) throw refuse(context, action, `batch ${owner.batchNo} of file "${owner.name}" (${owner.fileId}) has it`);
  const found = await compareResult(context, batchId);
  switch (found.kind) {
    case 'matches': {
      const { sha256, rows } = found;
      const order = { reason: reason ?? `every row of the result under batch id ${batchId} matches` };
      return carryOut(context, 'adopt', { ...order, evidence: { batchId, resultSha256: sha256, rows } });
    }
    case 'differs':
      return { result: 'differs', reason: found.reason, differences: found.differences };
    case 'running':
      throw refuse(
        context,
        action,
        'the service is still processing that batch',
        'Nothing was changed; try again in a minute.',
      );
    case 'not_known':
      throw refuse(context, action, `the service does not know that id: ${found.text}`);
    case 'failed':
      throw refuse(context, action, found.why, 'Nothing was changed; try again.');
  }
}

/** Returns an id in readable form, masked if it may be a card number pasted by mistake. */
function shownId(batchId: string): string {
  return isBatchId(batchId) && !holdsCardNumber(batchId) ? batchId : maskText(batchId);
}

/** What the result under a batch id says about the batch in doubt. The query changes nothing. */
type Comparison =
  /** Every row was sent; rows and cents equal those of the batch. */
  | { kind: 'matches'; sha256: string; rows: number }
  /** `alike`: how many of the sent rows it contains. */
  | { kind: 'differs'; reason: string; alike: number; rows: number; differences: readonly Difference[] }
  | { kind: 'running'; text: string }
  | { kind: 'not_known'; text: string }
  | { kind: 'failed'; why: string };

/** Fetches the result of one batch id and compares it with the sent rows, by position and identity. */
export async function compareResult(context: ResolutionContext, batchId: string): Promise<Comparison> {
  const answer = await context.gateway.fetchBatchResult({ batchId });
  if (answer.kind !== 'done') return answer;
  const { ledger, file, batch } = context;
  return compareFile(context, await readSentRows(ledger, file.file_no, batch), answer.file);
}

function compareFile({ file, batch }: ResolutionContext, sent: readonly SentRow[], bytes: Buffer): Comparison {
  const layout = file.layout!;
  const judged = judgeResult(batch, layout, sent, bytes);
  if (judged.kind === 'fits') return { kind: 'matches', sha256: sha256Of(bytes), rows: sent.length };
  const results = readResult(bytes, layout, sent.length);
  const isReadable = typeof results !== 'string';
  const alike = isReadable ? compareRows(layout, sent, results).filter((row) => row.isSame).length : 0;
  const differences = (judged.evidence['differences'] ?? []) as readonly Difference[];
  return { kind: 'differs', reason: judged.reason, alike, rows: isReadable ? results.length : 0, differences };
}
