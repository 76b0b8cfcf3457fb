import type { Difference } from '../../reconcile/match-results.ts';
import type { SentRow } from '../../rows/rows.ts';
import { readSentRows } from '../../ledger/file/read-file.ts';
import { compareRows } from '../../reconcile/compare-rows.ts';
import { sha256Of } from '../../kernel/hash.ts';
import { judgeResult, readResult } from '../../../workers/poll/judge-result.ts';
import type { ResolutionContext } from './resolution-context.ts';

/** What the result under a batch id says about the batch in doubt. The query changes nothing. */
export type Comparison =
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
