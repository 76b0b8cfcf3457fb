import type { OutcomeTotals, Totals } from '../rows/rows.ts';
import type { Settings } from '../config/config.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import type { FaultCount } from '../ledger/row/fault-counts.ts';
import { readBatches, readOutcomeTotals, readOutputs } from '../ledger/file/read-file.ts';
import { type AuditRow, findFile, readAudit } from '../ledger/file/search.ts';
import type { BatchRow, OutputRow, PlainFileRow } from '../ledger/engine/records.ts';
import { readBlocks, readShownFile, showBatch, type ShownFile } from './read-blocks.ts';
import { readHoldReasons } from './hold-reasons.ts';
import { splitOpenRows } from './split-open-rows.ts';

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
};

/**
 * @param words id, its first letters, or name
 * @param settings determine which faults hold a file, and when an account may send
 * @throws PipelineError NOT_FOUND when no file matches, or several do
 */
export async function readStory(
  ledger: Ledger,
  words: string,
  settings: Pick<Settings, 'folders' | 'accounts'>,
): Promise<FileStory> {
  const { wrapped_key: _key, content_key: _contentKey, row_set: _mark, ...file } = await findFile(ledger, words);
  const batches = await readBatches(ledger, file.file_id);
  const [shown, blocksOf, totals, outputs, audit, held] = await Promise.all([
    readShownFile(ledger, settings, file),
    readBlocks(ledger, settings),
    readOutcomeTotals(ledger, file.file_no),
    readOutputs(ledger, file.file_id),
    readAudit(ledger, file.file_id),
    readHoldReasons(ledger, settings, file),
  ]);
  const withoutTokens = batches.map(({ token: _token, ...batch }) => ({
    ...batch,
    ...showBatch(batch, file, blocksOf),
  }));
  return { file: shown, batches: withoutTokens, ...splitOpenRows(totals, batches), outputs, audit, held };
}
