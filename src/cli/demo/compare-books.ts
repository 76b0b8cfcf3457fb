import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { type ColumnName, columnsOf } from '../../../schemas/layouts.ts';
import { type Outcome, outcomeOfLabel } from '../../../schemas/lifecycle.ts';
import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import type { App } from '../../app.ts';
import { readRawRows } from '../../csv/read/read-raw-lines.ts';
import { formatCents, parseAmount } from '../../kernel/money.ts';
import { readOutputs, readRows } from '../../ledger/file/read-file.ts';
import type { PlainFileRow } from '../../ledger/engine/records.ts';

/** A row of the service's books, reduced to what is compared. */
type BookEntry = { account: string; operation: string; invoice: string; amountCents: number; outcome: string };

/**
 * Compares three independent records: the service's books, the ledger, and the result files on disk. Every sent row
 * must appear in each of them the same number of times, with the same money and outcome.
 * @returns the differences in words; none when all agree
 */
export async function compareBooks(app: App, books: readonly BookEntry[]): Promise<string[]> {
  const service = tally(
    books.map((row) => entry(row.account, row.operation, row.invoice, formatCents(row.amountCents), row.outcome)),
  );
  const { rows: files } = await app.ledger.pool.query<PlainFileRow>('SELECT * FROM file ORDER BY file_no');
  const ledger = tally(await collect(files, (file) => ledgerEntries(app, file)));
  const outputs = tally(await collect(files, (file) => outputEntries(app, file)));
  return [...differences('the ledger', ledger, service), ...differences('the output files', outputs, service)];
}

function entry(account: string, operation: string, invoice: string, amount: string, outcome: string): string {
  return [account, operation.toLowerCase(), invoice, amount, outcome].join(' ');
}

async function ledgerEntries(app: App, file: PlainFileRow): Promise<string[]> {
  const { agentCode } = app.account(file.account);
  const { operation } = FOLDER_OPERATIONS[file.operation];
  const found: string[] = [];
  for await (const page of readRows(app.ledger, file.file_no)) {
    for (const row of page) {
      if (!row.outcome || UNSENT.has(row.outcome as Outcome)) continue;
      found.push(entry(agentCode, operation, row.invoice, formatCents(row.amount_cents ?? 0), row.outcome));
    }
  }
  return found;
}

async function outputEntries(app: App, file: PlainFileRow): Promise<string[]> {
  const result = (await readOutputs(app.ledger, file.file_id)).find((output) => output.kind === 'result');
  if (!result || !file.layout) return [];
  const { agentCode } = app.account(file.account);
  const { operation } = FOLDER_OPERATIONS[file.operation];
  const columns = columnsOf(file.layout);
  const found: string[] = [];
  const source = createReadStream(join(app.settings.paths.out, result.name));
  for await (const page of readRawRows(source, { charset: 'utf-8', headerLine: 1 })) {
    for (const { cells } of page) {
      const outcome = outcomeOfLabel(cells[columns.length + 1] ?? '');
      if (!outcome || UNSENT.has(outcome)) continue;
      const cell = (column: ColumnName) => (cells[columns.indexOf(column) + 1] ?? '').trim();
      found.push(entry(agentCode, operation, cell('invoice'), plainAmount(cell('amount')), outcome));
    }
  }
  return found;
}

/** Formats an amount with two decimals. Anything else is returned unchanged, and then reported as a difference. */
function plainAmount(text: string): string {
  const cents = parseAmount(text);
  return typeof cents === 'number' ? formatCents(cents) : text;
}

/** Outcomes of rows that the service's books do not hold. */
const UNSENT: ReadonlySet<Outcome> = new Set<Outcome>(['invalid', 'not_sent', 'not_charged']);

async function collect(
  files: readonly PlainFileRow[],
  read: (file: PlainFileRow) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const file of files) found.push(...(await read(file)));
  return found;
}

function tally(entries: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const text of entries) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

function differences(name: string, found: Map<string, number>, service: Map<string, number>): string[] {
  const keys = [...new Set([...found.keys(), ...service.keys()])];
  return keys.flatMap((key) => {
    const here = found.get(key) ?? 0;
    const there = service.get(key) ?? 0;
    return here === there ? [] : [`${key}: ${here} in ${name}, ${there} in the books of the service`];
  });
}
