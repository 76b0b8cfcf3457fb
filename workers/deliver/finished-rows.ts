import { ERRORS } from '../../schemas/errors.ts';
import type { Outcome } from '../../schemas/lifecycle.ts';
import type { App } from '../../src/app.ts';
import { readRawRows } from '../../src/csv/read-rows.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import type { Fault, RawRow } from '../../src/kernel/rows.ts';
import { formatInZone } from '../../src/kernel/zone-time.ts';
import { type AsOf, readBatches, readFaults, readRows } from '../../src/ledger/queries/read-file.ts';
import type { BatchRow, FileRow, LedgerRow } from '../../src/ledger/records.ts';
import { keptMessage } from '../../src/reconcile/kept-message.ts';
import type { FinishedRow } from '../../src/reconcile/outputs/result-row.ts';
import { openContent } from '../open-content.ts';

/**
 * Every row of a finished file with its first outcome and its cells, in input order: the ledger's rows and those of the sealed
 * original side by side. Both are read in pages, so a million rows cost no more memory than a thousand. What changed later
 * has files of its own, so that these can be written again with the same bytes.
 * @param asOf another state of the outcomes; empty for the present one
 */
export async function* finishedRows(
  app: App,
  file: FileRow,
  asOf: AsOf = { correctionNo: 0 },
): AsyncGenerator<{ row: FinishedRow; cells: readonly string[] }> {
  const describe = await rowDescriber(app, file);
  const { charset, header_line: headerLine, operation } = file;
  const original = openContent(app, file);
  const raw = flatten(readRawRows(original, { charset, headerLine, operation }));
  const faultsOf = byLine(flatten(readFaults(app.ledger, file.file_no)));
  try {
    for await (const kept of flatten(readRows(app.ledger, file.file_no, asOf))) {
      const next = await raw.next();
      const cells: RawRow | undefined = next.done ? undefined : next.value;
      if (cells?.line !== kept.line) {
        throw new PipelineError(
          'OUTPUT_MISMATCH',
          `match file "${file.file_id}" with its rows`,
          `line ${kept.line} is missing`,
        );
      }
      yield { row: describe(kept, await faultsOf(kept.line)), cells: cells.cells };
    }
  } finally {
    // Left by whoever wants only the first rows, it would stay open for as long as the process lives.
    original.destroy();
  }
}

/** What an output file says of a row, from what the ledger and its batch say. Times are in the zone of the account. */
export async function rowDescriber(
  app: App,
  file: FileRow,
): Promise<(row: LedgerRow, faults: readonly Fault[]) => FinishedRow> {
  const { timeZone } = app.account(file.account);
  const when = (at: Date | null | undefined) => (at ? formatInZone(at, timeZone) : '');
  const batches = new Map(
    (await readBatches(app.ledger, file.file_id)).map((batch) => [
      batch.batch_no,
      { batch, sentAt: when(batch.submitted_at), resultAt: when(batch.result_at) },
    ]),
  );
  return (row, faults) => {
    const sent = row.batch_no === null ? undefined : batches.get(row.batch_no);
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

function messageOf(row: LedgerRow, faults: readonly Fault[]): string {
  if (row.message !== null) return keptMessage(row.message);
  return row.batch_no === null ? faultSentence(faults) : 'never sent';
}

/** A withheld row is invalid; a row whose batch was cancelled was never sent. */
function outcomeOf(row: LedgerRow): Outcome {
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

/** Faults are kept in the order of lines but for those of the file; they are handed out line by line. */
function byLine(faults: AsyncGenerator<Fault>): (line: number) => Promise<Fault[]> {
  let waiting: Fault | undefined;
  let ended = false;
  const next = async () => {
    const step = await faults.next();
    ended = step.done === true;
    waiting = step.done ? undefined : step.value;
  };
  return async (line) => {
    const found: Fault[] = [];
    if (!waiting && !ended) await next();
    while (waiting && waiting.line <= line) {
      if (waiting.line === line) found.push(waiting);
      await next();
    }
    return found;
  };
}

async function* flatten<Item>(pages: AsyncGenerator<readonly Item[]>): AsyncGenerator<Item, undefined> {
  for await (const page of pages) yield* page;
}
