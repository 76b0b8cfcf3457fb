import { join } from 'node:path';
import { saidCode } from '../../../schemas/errors.ts';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { formatCents } from '../../kernel/money.ts';
import type { OutcomeTotals, Totals } from '../../rows/rows.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readBatches, readOutcomeTotals, readOutputs } from '../../ledger/file/read-file.ts';
import type { PlainFileRow } from '../../ledger/engine/records.ts';
import { splitOpenRows } from '../../explain/split-open-rows.ts';
import { textTable } from './table.ts';

/** Result of a payment file, in one row. Money is integer cents. */
export type FileSummary = {
  fileId: string;
  name: string;
  account: string;
  operation: string;
  state: string;
  reasonCode: string | null;
  rows: number;
  validCents: number;
  outcomes: OutcomeTotals;
  /** Rows of batches that have not ended yet; their money may have moved. */
  open: Totals;
  /** Paths of the output files. */
  outputs: string[];
};

/**
 * Reads files of the ledger in the order in which they were taken.
 * @param since only those whose state changed at this time or later
 * @param outFolder where the output files are
 */
export async function readFileSummaries(ledger: Ledger, since: Date, outFolder: string): Promise<FileSummary[]> {
  const { rows: files } = await ledger.pool.query<PlainFileRow>(
    'SELECT * FROM file WHERE state_at >= $1 ORDER BY file_no',
    [since],
  );
  const summaries: FileSummary[] = [];
  for (const file of files) summaries.push(await summarize(ledger, file, outFolder));
  return summaries;
}

async function summarize(ledger: Ledger, file: PlainFileRow, outFolder: string): Promise<FileSummary> {
  const batches = await readBatches(ledger, file.file_id);
  return {
    fileId: file.file_id,
    name: file.name,
    account: file.account,
    operation: file.operation,
    state: file.state,
    reasonCode: file.reason_code,
    rows: file.records ?? 0,
    validCents: file.valid_cents ?? 0,
    ...splitOpenRows(await readOutcomeTotals(ledger, file.file_no), batches),
    outputs: (await readOutputs(ledger, file.file_id)).map((output) => join(outFolder, output.name)),
  };
}

export function fileSummaryTable(files: readonly FileSummary[]): string {
  const rows = files.map((file) => [
    file.name,
    file.account,
    file.operation,
    file.state,
    String(file.rows),
    describeOutcomes(file),
    formatCents(file.validCents),
  ]);
  return textTable(['File', 'Account', 'Operation', 'State', 'Rows', 'Outcomes', 'Valid total'], rows, [4, 6]);
}

function describeOutcomes({ state, reasonCode, outcomes, open }: FileSummary): string {
  if (state === 'rejected' || state === 'held' || state === 'cancelled')
    return `nothing sent: ${reasonCode === null ? state : saidCode(reasonCode)}`;
  const names = Object.keys(OUTCOMES) as Outcome[];
  const counts = names
    .filter((name) => outcomes[name])
    .map((name) => `${outcomes[name]!.rows} ${OUTCOMES[name].label.toLowerCase().replaceAll('_', ' ')}`);
  return [...counts, ...(open.rows > 0 ? [`${open.rows} without outcome yet`] : [])].join(', ');
}
