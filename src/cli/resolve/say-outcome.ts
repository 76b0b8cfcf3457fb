import type { CarriedOut } from '../../actions/resolve/carry-out.ts';
import type { ResolutionContext } from '../../actions/resolve/resolution-context.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import { readBatchRow } from '../../ledger/file/read-file.ts';
import { readHolds } from '../../ledger/account/read-holds.ts';
import { batchReference } from '../../explain/batch-reference.ts';

/** Result of a resolution, for programs and for users. */
export type Said = { status: number; json: Record<string, unknown>; text: string };

/**
 * Describes the result for the batch and what its account does now.
 * @param means what was done or would be done, as a sentence about the batch
 */
export async function sayOutcome(
  context: ResolutionContext,
  verb: string,
  outcome: CarriedOut,
  means: string,
  facts: Record<string, unknown> = {},
): Promise<Said> {
  const { file, batch, ledger } = context;
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  const { state, attempt } = await readBatchRow(ledger, key);
  const json = { batch: batchReference(key), ...key, name: file.name, verb, ...outcome, state, attempt, ...facts };
  const what = describeBatch(context);
  switch (outcome.result) {
    case 'done':
      return { status: EXIT.ok, json, text: `${what}: ${means}\n${await describeAccount(context)}` };
    case 'dry-run':
      return { status: EXIT.ok, json, text: `Dry run, nothing was changed. ${what}: ${means}` };
    case 'proposed':
      return {
        status: EXIT.unknownOpen,
        json,
        text:
          `Proposed as number ${outcome.proposalNo}, nothing is done yet. ${what}: ${means}\n` +
          `Another person runs "paydrop confirm ${outcome.proposalNo}".`,
      };
  }
}

export function describeBatch({ file, batch }: ResolutionContext): string {
  return `Batch ${batch.batch_no} of ${file.name} (${counted(batch.rows, 'row')}, ${formatCents(batch.cents)})`;
}

/** Describes the account, which continues by itself when nothing else holds it. */
async function describeAccount({ ledger, batch: { account } }: ResolutionContext): Promise<string> {
  const { stops, batches } = await readHolds(ledger, account);
  const holding = batches.filter(({ state }) => state === 'unknown' || state === 'refused');
  if (stops.length === 0 && holding.length === 0)
    return `Account ${account} goes on by itself, in a paydrop that runs or by "paydrop run --once".`;
  return `Account ${account} still waits; see "paydrop account list".`;
}
