import { ERRORS } from '../../schemas/errors.ts';
import type { Outcome } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { formatInZone } from '../../src/calendar/zone-time.ts';
import type { KeptRow } from '../../src/ledger/row/read-kept-rows.ts';
import type { BatchRow, FileRow } from '../../src/ledger/engine/records.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';
import type { FinishedRow } from '../../src/reconcile/outputs/result-row.ts';

/** Returns a function that describes a row for an output file. Times are in the account's zone. */
export function rowDescriber(
  app: App,
  file: FileRow,
  batches: readonly BatchRow[],
): (row: KeptRow, faults: readonly Fault[]) => FinishedRow {
  const { timeZone } = app.account(file.account);
  const when = (at: Date | null) => (at ? formatInZone(at, timeZone) : '');
  const sentBy = new Map(
    batches.map((batch) => [
      batch.batch_no,
      { batch, sentAt: when(batch.submitted_at), resultAt: when(batch.result_at) },
    ]),
  );
  return (row, faults) => {
    const sent = row.batch_no === null ? undefined : sentBy.get(row.batch_no);
    return {
      line: row.line,
      outcome: outcomeOf(row),
      code: row.code,
      message: messageOf(row, faults),
      authorization: row.authorization ?? '',
      batchId: sent?.batch.batch_id ?? '',
      sentAt: sent?.sentAt ?? '',
      resultAt: sent?.resultAt ?? '',
      attempt: wasSent(sent?.batch) ? sent!.batch.attempt : null,
    };
  };
}

function messageOf(row: KeptRow, faults: readonly Fault[]): string {
  if (row.message !== null) return keptMessage(row.message);
  return row.batch_no === null ? faultSentence(faults) : 'never sent';
}

/** Returns the outcome. Without one, a withheld row is invalid and a row of a canceled batch was never sent. */
function outcomeOf(row: KeptRow): Outcome {
  if (row.outcome) return row.outcome as Outcome;
  return row.batch_no === null ? 'invalid' : 'not_sent';
}

function wasSent(batch: BatchRow | undefined): boolean {
  return batch?.submitted_at !== null && batch !== undefined;
}

function faultSentence(faults: readonly Fault[]): string {
  return faults
    .filter((fault) => ERRORS[fault.code].effect !== 'warn')
    .map((fault) => `${fault.code}: ${ERRORS[fault.code].means}`)
    .join('; ');
}
