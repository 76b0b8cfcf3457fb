import { parse } from 'csv-parse/sync';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { columnsOf, type LayoutName } from '../../../schemas/layouts.ts';
import { OUTCOMES, outcomeOfLabel } from '../../../schemas/lifecycle.ts';
import { sha256Of } from '../../../src/kernel/hash.ts';
import type { Drop, World } from '../world.ts';
import { countRows, linesOf } from './recount.ts';

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
  const [, ...rows]: string[][] = parse(result, { relax_column_count: true });
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
  const [, ...again]: string[][] = parse(text, { relax_column_count: true });
  const shown = (cells: readonly string[]) => cells.slice(0, columns.length).join('|');
  const safe = rows.filter((cells) => {
    const outcome = outcomeOfLabel(cells[columns.length + 1] ?? '');
    return outcome !== undefined && OUTCOMES[outcome].certainlyNotCharged;
  });
  const known = new Set(safe.map(([, ...cells]) => shown(cells)));
  const wrong = again.filter((cells) => !known.has(shown(cells)));
  return wrong.map(() => `a row to be sent again of ${file.name} may have been charged`);
}
