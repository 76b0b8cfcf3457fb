import type { OutcomeTotals } from '../../kernel/rows.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { readBatches, readOutcomeTotals, readOutputs } from '../../ledger/queries/read-file.ts';
import { type AuditRow, findFile, readAudit } from '../../ledger/queries/search.ts';
import type { BatchRow, FileRow, OutputRow } from '../../ledger/records.ts';

/** All about one payment file, without its sealed key and the tokens of workers. */
export type FileStory = {
  file: Omit<FileRow, 'wrapped_key'>;
  batches: Omit<BatchRow, 'token'>[];
  outcomes: OutcomeTotals;
  outputs: OutputRow[];
  audit: AuditRow[];
};

/**
 * @param words id, first letters of it, or name
 * @throws PipelineError NOT_FOUND when no file or more than one is meant
 */
export async function readStory(ledger: Ledger, words: string): Promise<FileStory> {
  const { wrapped_key: _key, ...file } = await findFile(ledger, words);
  const [batches, outcomes, outputs, audit] = await Promise.all([
    readBatches(ledger, file.file_id),
    readOutcomeTotals(ledger, file.file_no),
    readOutputs(ledger, file.file_id),
    readAudit(ledger, file.file_id),
  ]);
  return { file, batches: batches.map(({ token: _token, ...batch }) => batch), outcomes, outputs, audit };
}
