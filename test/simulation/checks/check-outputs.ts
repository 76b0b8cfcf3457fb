import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { outcomeOfLabel, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import type { Drop, World } from '../world.ts';
import { MARK, payeeOf } from '../database.ts';
import { readForgotten } from '../hosts/installation.ts';
import { remembersSends } from '../hosts/lost-sends.ts';
import { bookRows } from '../services.ts';

type SeenFile = {
  fileId: string;
  fileNo: number;
  name: string;
  folder: string;
  state: string;
  sha256: string;
  layout: LayoutName;
};
type SeenOutput = { fileId: string; kind: string; name: string; sha256: string };

/** Checks that the files in the output folder are those in the ledger, and that they agree with it. */
export async function checkOutputs(world: World): Promise<string[]> {
  const { pool } = world.office;
  const files = await pool.query<SeenFile>(
    `SELECT file_id AS "fileId", file_no AS "fileNo", name, folder, state, sha256, layout FROM file ORDER BY file_no`,
  );
  const outputs = await pool.query<SeenOutput>(
    `SELECT file_id AS "fileId", kind, name, sha256 FROM output ORDER BY file_id, kind`,
  );
  const complaints = await checkHashes(world, outputs.rows);
  for (const file of files.rows) {
    const own = outputs.rows.filter(({ fileId }) => fileId === file.fileId);
    complaints.push(...checkNotice(file, own));
    if (file.state === 'completed') complaints.push(...(await checkCompleted(world, file, own)));
  }
  return complaints;
}

async function checkHashes(world: World, outputs: readonly SeenOutput[]): Promise<string[]> {
  // Outputs of a newer state of the ledger still lie there; they are set aside only when they are in the way.
  if (world.installation.timesBack > 0) return [];
  const { out } = world.settings.paths;
  const names = (await readdir(out).catch(() => [])).filter((name) => !name.startsWith('.'));
  const unknown = names.filter((name) => !outputs.some((output) => output.name === name));
  const wrong: string[] = [];
  for (const { name, sha256 } of outputs) {
    const bytes = await readFile(join(out, name)).catch(() => undefined);
    if (bytes === undefined || sha256Of(bytes) !== sha256) wrong.push(name);
  }
  return [
    ...unknown.map((name) => `the output ${name} is not in the ledger`),
    ...wrong.map((name) => `the output ${name} is missing or not what the ledger says`),
  ];
}

const NOTICES: Readonly<Record<string, string>> = { rejected: 'nak', held: 'held', cancelled: 'cancelled' };

function checkNotice({ name, state }: SeenFile, outputs: readonly SeenOutput[]): string[] {
  if (state === 'claimed') return [];
  const wanted = NOTICES[state] ?? 'ack';
  return outputs.some(({ kind }) => kind === wanted) ? [] : [`${name} is ${state} and has no ${wanted}`];
}

async function checkCompleted(world: World, file: SeenFile, outputs: readonly SeenOutput[]): Promise<string[]> {
  const read = async (kind: string) => {
    const output = outputs.find((one) => one.kind === kind);
    return output && readFile(join(world.settings.paths.out, output.name), 'utf8');
  };
  const [result, summary] = [await read('result'), await read('summary-json')];
  if (result === undefined || summary === undefined) return [`${file.name} is completed without a result or a summary`];
  const totals = (JSON.parse(summary) as { controlTotals: { id: string; holds: boolean }[] }).controlTotals;
  const broken = totals
    .filter(({ holds }) => !holds)
    .map(({ id }) => `control total ${id} of ${file.name} does not hold`);
  const [, ...rows]: string[][] = parse(result, { bom: true, relax_column_count: true });
  const drop = world.drops.find((one) => one.folder === file.folder && sha256Of(one.bytes) === file.sha256);
  const corrections = [(await read('rejects')) ?? '', (await read('retry')) ?? ''];
  return [
    ...broken,
    ...checkOrder(file, rows),
    ...(drop ? compareWithDrop(file, drop, rows) : []),
    ...corrections.flatMap((text) => checkCorrection(file, text, rows)),
  ];
}

function checkOrder(file: SeenFile, rows: readonly string[][]): string[] {
  const lines = rows.map(([line]) => Number(line));
  const isSorted = lines.every((line, index) => index === 0 || lines[index - 1]! < line);
  return isSorted ? [] : [`the rows of the result of ${file.name} are not in the order of the input, each once`];
}

/** Compares the result with the dropped bytes, read by other code: every line that is not blank, and its content. */
function compareWithDrop(file: SeenFile, drop: Drop, rows: readonly string[][]): string[] {
  const lines = linesOf(drop.bytes);
  const expected = countRows(drop);
  const count = rows.length === expected ? [] : [`${file.name} has ${expected} rows, its result ${rows.length}`];
  const columns = columnsOf(file.layout);
  const [invoiceAt, amountAt] = [columns.indexOf('invoice'), columns.indexOf('amount')];
  const altered = rows.filter(([line, ...cells]) => {
    const text = lines[Number(line) - 1] ?? '';
    if (text.includes('"')) return false;
    const original = text.split(',').map((cell) => cell.trim());
    const isSame = (at: number) => shows(plain(cells[at] ?? ''), plain(original[at] ?? ''));
    return !isSame(invoiceAt) || !isSame(amountAt);
  });
  return [...count, ...altered.map(([line]) => `line ${line} of ${file.name} is another in its result`)];
}

/** Returns whether a cell shows the original, or its masked end where it may be a card number (a 16-digit amount). */
function shows(cell: string, original: string): boolean {
  const end = cell.replace(/^\*+/, '');
  if (end === cell) return cell === original;
  return end.length >= 4 && cell.length === original.length && original.endsWith(end);
}

/** Strips the apostrophe that keeps spreadsheets from calculating. */
function plain(cell: string): string {
  return cell.trim().replace(/^'/, '').slice(0, 200);
}

/** Checks that rows to be corrected and dropped again were certainly not charged. */
function checkCorrection(file: SeenFile, text: string, rows: readonly string[][]): string[] {
  if (text === '') return [];
  const columns = columnsOf(file.layout);
  const [, ...again]: string[][] = parse(text, { bom: true, relax_column_count: true });
  const shown = (cells: readonly string[]) => cells.slice(0, columns.length).join('|');
  const safe = rows.filter((cells) => {
    const outcome = outcomeOfLabel(cells[columns.length + 1] ?? '');
    return outcome !== undefined && OUTCOMES[outcome].certainlyNotCharged;
  });
  const known = new Set(safe.map(([, ...cells]) => shown(cells)));
  const wrong = again.filter((cells) => !known.has(shown(cells)));
  return wrong.map(() => `a row to be sent again of ${file.name} may have been charged`);
}

/** Returns the lines of a payment file, read in the simplest way. Only accepted files must be read right. */
export function linesOf(bytes: Buffer): string[] {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = bytes.toString(isWide ? 'utf16le' : 'utf8').replace(/^\ufeff/, '');
  // The Ctrl-Z of old programs is no row, even when blank lines follow it.
  return text.replace(/\x1a+\s*$/, '').split(/\r\n|\r|\n/);
}

/** Counts data rows: lines that are not blank, less the titles. */
function countRows(drop: Drop): number {
  const filled = linesOf(drop.bytes).filter((line) => line.trim() !== '');
  return filled.length - (drop.titles ? 1 : 0);
}

type SeenRow = {
  name: string;
  line: number;
  merchantMark: string;
  operation: FolderOperation;
  invoice: string;
  cents: number | null;
  code: string;
  lastFour: string;
  /** Its present outcome; without one, the state of its batch. */
  outcome: string;
  batchId: string | null;
  position: number;
};

/**
 * Compares the ledger with the books of the service, which are the oracle. What they charged is approved in the ledger,
 * or in doubt and listed. What the ledger calls certainly not charged, they did not charge.
 */
export async function checkBooks(world: World): Promise<string[]> {
  const rows = await readRows(world);
  const forgotten = remembersSends(world) ? await readForgotten(world) : new Map<string, number>();
  return [...compareRows(world, rows), ...compareSums(world, rows, forgotten), ...(await findRepeats(world))];
}

async function readRows(world: World): Promise<SeenRow[]> {
  const { rows } = await world.office.pool.query<SeenRow>(
    `SELECT f.name, r.line, ${MARK} AS "merchantMark", f.operation, r.invoice, r.amount_cents AS cents, r.customer_code AS code,
            r.last_four AS "lastFour", b.batch_id AS "batchId",
            coalesce(o.outcome, b.state, 'invalid') AS outcome,
            (row_number() OVER (PARTITION BY f.file_id, r.batch_no ORDER BY r.line))::int AS position
     FROM payment_row r JOIN file f USING (file_no)
     LEFT JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     LEFT JOIN current_outcome o ON o.file_no = r.file_no AND o.line = r.line ORDER BY f.file_no, r.line`,
  );
  return rows;
}

/**
 * Compares rows that have an outcome and a batch id: the outcome is that of the very same row in the books. Where a call
 * was lost with its ledger, a person may give its id to a batch of the same rows in another order.
 */
function compareRows(world: World, rows: readonly SeenRow[]): string[] {
  const all = bookRows(world.services);
  const books = new Map(all.map((row) => [`${row.account} ${row.batchId} ${row.position}`, row]));
  const isElsewhere = (row: SeenRow) =>
    world.installation.timesBack > 0 &&
    all.some(
      ({ account, batchId, invoice, amountCents, outcome }) =>
        [account, batchId, invoice, amountCents, outcome].join(' ') ===
        [payeeOf(world, row), row.batchId, row.invoice, row.cents, row.outcome].join(' '),
    );
  return rows.flatMap((row) => {
    if (row.batchId === null || !SERVICE_OUTCOMES.has(row.outcome)) return [];
    const booked = books.get(`${payeeOf(world, row)} ${row.batchId} ${row.position}`);
    const isSame = booked?.invoice === row.invoice && booked.amountCents === row.cents;
    if ((isSame && booked.outcome === row.outcome) || isElsewhere(row)) return [];
    const said = booked ? `${booked.invoice} ${booked.amountCents} ${booked.outcome}` : 'nothing';
    return [`line ${row.line} of ${row.name} (${row.invoice} ${row.cents}) is ${row.outcome}, the books say ${said}`];
  });
}

const SERVICE_OUTCOMES = new Set(['approved', 'accepted_pending', 'declined', 'duplicate', 'format_error']);

/** Compares, for each key that both sides know, how often it was charged and how often it may have been. */
function compareSums(world: World, rows: readonly SeenRow[], forgotten: ReadonlyMap<string, number>): string[] {
  const charged = new Map<string, number>();
  for (const row of bookRows(world.services)) {
    if (!row.charged) continue;
    const key = [row.account, row.operation.toLowerCase(), row.invoice, row.amountCents, row.customerCode].join(' ');
    charged.set(key, (charged.get(key) ?? 0) + 1);
    world.totals.count('money', 'rows charged');
  }
  const known = new Map<string, { certain: number; possible: number }>();
  for (const row of rows) {
    const operation = FOLDER_OPERATIONS[row.operation].operation.toLowerCase();
    const key = [payeeOf(world, row), operation, row.invoice, row.cents, row.code].join(' ');
    const sum = known.get(key) ?? { certain: 0, possible: 0 };
    if (CHARGED.has(row.outcome)) sum.certain += 1;
    if (CHARGED.has(row.outcome) || IN_DOUBT.has(row.outcome)) sum.possible += 1;
    known.set(key, sum);
  }
  const keys = new Set([...charged.keys(), ...known.keys()]);
  return [...keys].flatMap((key) => {
    const times = charged.get(key) ?? 0;
    const { certain, possible } = known.get(key) ?? { certain: 0, possible: 0 };
    if (times > possible && world.installation.hasVouched) return [];
    if (times > possible + (forgotten.get(key) ?? 0)) {
      world.totals.count('money', 'rows charged that nobody knows of', times - possible);
      return [`charged ${times} times, of which the ledger knows ${possible}: ${key}`];
    }
    return times < certain ? [`approved ${certain} times, charged ${times} times: ${key}`] : [];
  });
}

const CHARGED = new Set(['approved', 'accepted_pending']);
/**
 * Outcomes of rows and states of batches that tell a person that money may have moved. At rest only batches of a former
 * meaning are submitted: nobody asks about them.
 */
const IN_DOUBT = new Set(['unknown', 'exception', 'submitted']);

/**
 * Finds payments charged in several files, all but one of which need an approval by a person who saw why they were
 * held. Payments are compared by payer, amount and invoice, ignoring case, punctuation and leading zeros.
 */
async function findRepeats(world: World): Promise<string[]> {
  const { rows } = await world.office.pool.query<{ invoice: string; files: string[] }>(
    `SELECT invoice, array_agg(name) AS files
     FROM (SELECT DISTINCT f.file_id, f.name, f.merchant_no, way.sign, r.amount_cents, r.customer_code, r.last_four,
                  ltrim(regexp_replace(lower(r.invoice), '[^a-z0-9]', '', 'g'), '0') AS invoice,
                  EXISTS (SELECT 1 FROM audit a WHERE a.file_id = f.file_id AND a.move IN ('approve', 'release-charged')) AS approved
           FROM payment_row r JOIN file f USING (file_no)
           JOIN (VALUES ('card', 1), ('ach-charge', 1), ('ach-refund', -1)) AS way (operation, sign) USING (operation)
           JOIN current_outcome o ON o.file_no = r.file_no AND o.line = r.line
           WHERE o.outcome IN ('approved', 'accepted_pending')) charged
     WHERE NOT approved
     GROUP BY merchant_no, sign, amount_cents, customer_code, last_four, invoice HAVING count(*) > 1`,
  );
  return rows.map(
    ({ invoice, files }) => `invoice ${invoice} was charged in ${files.join(' and ')}, and nobody approved it`,
  );
}
