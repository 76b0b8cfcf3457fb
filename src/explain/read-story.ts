import { FINAL_BATCH_STATES } from '../../schemas/lifecycle.ts';
import type { OutcomeTotals, Totals } from '../rows/rows.ts';
import type { Settings } from '../config/config.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import type { FaultCount } from '../ledger/row/fault-counts.ts';
import { readBatches, readOutcomeTotals, readOutputs } from '../ledger/file/read-file.ts';
import { type AuditRow, findFile, readAudit } from '../ledger/file/search.ts';
import type { BatchRow, OutputRow, PlainFileRow } from '../ledger/engine/records.ts';
import { readArchiveOf, type RowArchive } from '../ledger/retention/archived-rows.ts';
import { readBlocks, readShownFile, showBatch, type ShownFile } from './read-blocks.ts';
import { readHoldReasons } from './hold-reasons.ts';

/** Everything about one payment file, without its sealed keys and the workers' tokens. */
export type FileStory = {
  file: PlainFileRow & ShownFile;
  batches: (Omit<BatchRow, 'token'> & ShownFile)[];
  outcomes: OutcomeTotals;
  /** Rows of batches that have not ended yet; their money may have moved. */
  open: Totals;
  outputs: OutputRow[];
  audit: AuditRow[];
  /** Every reason why a held file waits. */
  held: FaultCount[];
  /** Where its rows are, if they were archived. */
  rowArchive: RowArchive | null;
};

/**
 * @param words id, its first letters, or name
 * @param settings determine when an account may send
 * @throws PipelineError NOT_FOUND when no file matches, or several do
 */
export async function readStory(
  ledger: Ledger,
  words: string,
  settings: Pick<Settings, 'folders' | 'accounts'>,
): Promise<FileStory> {
  const { wrapped_key: _key, content_key: _contentKey, row_set: _mark, ...file } = await findFile(ledger, words);
  const batches = await readBatches(ledger, file.file_id);
  const [shown, blocksOf, totals, outputs, audit, held, archive] = await Promise.all([
    readShownFile(ledger, settings, file),
    readBlocks(ledger, settings),
    readOutcomeTotals(ledger, file.file_no),
    readOutputs(ledger, file.file_id),
    readAudit(ledger, file.file_id),
    readHoldReasons(ledger, file),
    readArchiveOf(ledger, file),
  ]);
  const withoutTokens = batches.map(({ token: _token, ...batch }) => ({
    ...batch,
    ...showBatch(batch, file, blocksOf),
  }));
  const rowArchive = archive ?? null;
  return { file: shown, batches: withoutTokens, ...splitOpenRows(totals, batches), outputs, audit, held, rowArchive };
}

/**
 * Separates rows of open batches from rows that were never sent. The ledger has no outcome for either, but only the
 * latter are certainly not charged. A user who read NOT_SENT for a batch in doubt would pay it again.
 * @param batches read before the outcomes, so that a batch that ends in between does not count as not sent
 */
export function splitOpenRows(
  { not_sent: unsent, ...decided }: OutcomeTotals,
  batches: readonly Pick<BatchRow, 'state' | 'rows' | 'cents'>[],
): { outcomes: OutcomeTotals; open: Totals } {
  const waiting = batches.filter(({ state }) => !(FINAL_BATCH_STATES as readonly string[]).includes(state));
  const open = {
    rows: waiting.reduce((sum, batch) => sum + batch.rows, 0),
    cents: waiting.reduce((sum, batch) => sum + batch.cents, 0),
  };
  const rows = (unsent?.rows ?? 0) - open.rows;
  const cents = (unsent?.cents ?? 0) - open.cents;
  return { outcomes: rows > 0 ? { ...decided, not_sent: { rows, cents } } : decided, open };
}
