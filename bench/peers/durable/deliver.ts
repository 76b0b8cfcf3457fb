import { type FileHandle, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import type { Pool } from 'pg';
import { COLUMNS } from '../afternoon/read-payments.ts';

const PAGE_ROWS = 5_000;

/**
 * Writes the outputs of a file, whole and on the disk before they get their names. The result comes last.
 * @param out the folder, kept open so that its names can be flushed
 */
export async function deliver(
  pool: Pool,
  out: { path: string; folder: FileHandle },
  { file, name }: { file: string; name: string },
): Promise<void> {
  const base = join(out.path, name.replace(/\.csv$/, ''));
  const rejects = await pool.query<[number, string]>({ text: REJECTS, values: [file], rowMode: 'array' });
  if (rejects.rows.length > 0)
    await writeWhole(`${base}.rejects.csv`, [stringify([['line', 'reason'], ...rejects.rows])]);
  await writeWhole(`${base}.result.csv`, readPages(pool, file));
  await out.folder.sync();
  await pool.query('UPDATE file SET delivered_at = now() WHERE id = $1', [file]);
}

const REJECTS = 'SELECT line, reason FROM reject WHERE file = $1 ORDER BY line';

async function writeWhole(path: string, pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
  await writeFile(`${path}.part`, pieces, { flush: true });
  await rename(`${path}.part`, path);
}

const TITLES = [...COLUMNS, 'outcome', 'message'];
const CENTS = TITLES.indexOf('amount');

const PAGE = {
  rowMode: 'array',
  text: `SELECT line, paid_on, invoice, first_name, last_name, street, city, state, zip_code, cents, mop, masked_number,
    expiry, outcome, message FROM payment WHERE file = $1 AND line > $2 ORDER BY line LIMIT ${PAGE_ROWS}`,
} as const;

async function* readPages(pool: Pool, file: string): AsyncGenerator<string> {
  let titles: string[][] = [TITLES];
  for (let after = 0; ; ) {
    const { rows } = await pool.query<[line: number, ...string[]]>({ ...PAGE, values: [file, after] });
    yield stringify([...titles, ...rows.map(([, ...cells]) => withAmount(cells))]);
    if (rows.length < PAGE_ROWS) return;
    titles = [];
    after = rows.at(-1)![0];
  }
}

function withAmount(cells: string[]): string[] {
  const cents = cells[CENTS]!.padStart(3, '0');
  cells[CENTS] = `${cents.slice(0, -2)}.${cents.slice(-2)}`;
  return cells;
}
