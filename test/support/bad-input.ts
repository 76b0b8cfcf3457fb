import { parse } from 'csv-parse/sync';
import { readdir } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { ERRORS, type FaultCode } from '../../schemas/errors.ts';
import type { OutputKind } from '../../schemas/lifecycle.ts';
import { openLog, type Log } from '../../src/kernel/log.ts';
import { shortId } from '../../src/kernel/ids.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { openOriginal } from '../../workers/open-original.ts';
import { codeRow, lines, upTo } from './payment-rows.ts';
import type { PipelineWorld } from './pipeline-world.ts';

/** Returns the only file of this name. */

export async function fileNamed(world: PipelineWorld, name: string): Promise<FileRow> {
  const { rows } = await world.app.ledger.pool.query<FileRow>(
    'SELECT * FROM file LEFT JOIN file_secret USING (file_id) WHERE name = $1',
    [name],
  );
  if (rows.length !== 1) throw new Error(`${rows.length} files are named ${JSON.stringify(name)}`);
  return rows[0]!;
}

/** Returns the dropped bytes, opened from the archive. */
export function readOriginal(world: PipelineWorld, file: FileRow): Promise<Buffer> {
  return buffer(openOriginal(world.app, file));
}

/** Reads the notice about a file as a program does: the pairs at its top, and the faults. */
export async function readNotice(world: PipelineWorld, file: FileRow, kind: OutputKind) {
  const found = Object.entries(await world.outputs(kind)).filter(([name]) =>
    name.includes(`__${shortId(file.file_id)}.`),
  );
  if (found.length !== 1) throw new Error(`${found.length} ${kind} files for ${file.name}`);
  const rows: string[][] = parse(found[0]![1], { relax_column_count: true, skip_empty_lines: true });
  const titles = rows.findIndex((cells) => cells[0] === 'Line');
  return {
    head: Object.fromEntries(rows.slice(0, titles).map((cells) => [cells[0], cells[1]])),
    faults: rows.slice(titles + 1).map(([line = '', , code = '', , reason = '', value = '', remedy = '']) => {
      return { line, code, reason, value, remedy };
    }),
    text: found[0]![1],
  };
}

/** Returns what every notice must say for a code: the code, and what to do about it. */
export function sayingOf(code: FaultCode) {
  return { code, remedy: ERRORS[code].remedy };
}

/** Returns everything that still lies in a drop folder or a work folder. */
export async function leftOver(world: PipelineWorld): Promise<string[]> {
  const folders = new Set(world.settings.folders.flatMap((folder) => [folder.path, folder.work]));
  // Emptied claims are watched there for an hour.
  return (await Promise.all([...folders].map((folder) => readdir(folder))))
    .flat()
    .filter((name) => name !== '.retired');
}

/** Returns a file that must go through whatever lies beside it; each `n` makes another one. */
export function goodRows(n: number, sign: '' | '-' = ''): string {
  return lines(upTo(3).map((row) => codeRow(n * 100 + row, { invoice: `G${n}-${row}`, amount: `${sign}2${row}.00` })));
}

/** Returns a log that is kept, so that tests can search it. */
export function keptLog(): { log: Log; text: () => string } {
  const kept: string[] = [];
  return {
    log: openLog({ level: 'debug', destination: { write: (line) => kept.push(line) } }),
    text: () => kept.join(''),
  };
}

/** Returns the tables of files, batches, rows, outputs and the audit trail as text. */
export async function ledgerText(world: PipelineWorld): Promise<string> {
  const tables = ['file', 'batch', 'payment_row', 'row_fault', 'row_outcome', 'output', 'audit'];
  const texts = await Promise.all(
    tables.map(
      async (table) => (await world.app.ledger.pool.query(`SELECT row_to_json(t) AS row FROM ${table} t`)).rows,
    ),
  );
  return JSON.stringify(texts);
}
