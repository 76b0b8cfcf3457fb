import { bookRows } from '../services.ts';
import type { World } from '../world.ts';
import { isWide, rowKey, type Send } from './installation.ts';

/** Returns whether this world has one host, whose data folder may be put back. */
export function putsFolderBack({ installation }: World): boolean {
  return installation.putsFolderBack;
}

/** Returns whether sends are counted over all states of the ledger, because it may go back. */
export function remembersSends(world: World): boolean {
  return isWide(world) || putsFolderBack(world);
}

/** How many ids after the newest one of a merchant are asked for at least. */
const REACH = { copied: 5, rolledBack: 2 };

/**
 * Notes which calls the ledger has lost, and whether they can be found. A mirror of the send journal has all of them.
 * Without one, the service is asked for as many ids as the program promises, after the newest that is known. A call in
 * doubt that has no id may stand for one of them.
 * @returns the calls that were lost this time
 */
export async function noteLost(world: World, isRolledBack: boolean): Promise<Send[]> {
  const { pool } = world.office;
  const { rows: known } = await pool.query<{ call: string }>(
    'SELECT call FROM attempt WHERE call IS NOT NULL UNION SELECT call FROM forgotten_send WHERE call IS NOT NULL',
  );
  const calls = new Set(known.map(({ call }) => call));
  const lost = world.sends.filter(({ call }) => !calls.has(call));
  const hasMirror = world.settings.paths.mirror !== undefined;
  const reach = isRolledBack ? REACH.rolledBack : REACH.copied;
  const newest = await readNewestIds(world);
  const booked = readBookedRows(world);
  for (const send of lost) {
    const [key = ''] = send.rows.values();
    const [payee = ''] = key.split(' ');
    const ids = booked.filter(({ rows }) => [...send.rows.values()].every((row) => rows.has(row))).map(({ id }) => id);
    const last = newest.get(payee);
    send.isFindable = hasMirror || (last !== undefined && ids.every((id) => id <= last + reach));
    send.isLost = true;
  }
  return lost;
}

/** Returns the newest batch id that the ledger knows of each payee. A payee with a call in doubt is left out. */
async function readNewestIds(world: World): Promise<Map<string, number>> {
  const { rows } = await world.office.pool.query<{ mark: string; newest: number; inDoubt: number }>(
    `SELECT p.mark, max(b.batch_id::bigint)::float8 AS newest,
            (SELECT count(*)::int FROM batch u WHERE u.merchant_no = p.merchant_no AND u.batch_id IS NULL
               AND EXISTS (SELECT FROM attempt a WHERE a.file_id = u.file_id AND a.batch_no = u.batch_no
                             AND a.verdict IS DISTINCT FROM 'not_sent')) AS "inDoubt"
     FROM merchant_address p JOIN batch b USING (merchant_no) WHERE b.batch_id ~ '^[0-9]{1,15}$' GROUP BY p.mark, p.merchant_no`,
  );
  return new Map(
    rows.filter(({ inDoubt }) => inDoubt === 0).map(({ mark, newest }) => [world.payees.get(mark) ?? '', newest]),
  );
}

/** Returns the batches in the books, with the keys of their rows. */
function readBookedRows({ services }: World): { id: number; rows: Set<string> }[] {
  const batches = new Map<string, { id: number; rows: Set<string> }>();
  for (const row of bookRows(services)) {
    const key = `${row.account} ${row.batchId}`;
    const batch = batches.get(key) ?? { id: Number(row.batchId), rows: new Set<string>() };
    batch.rows.add(rowKey(row.account, row.operation, [row.invoice, row.amountCents, row.customerCode].join(' ')));
    batches.set(key, batch);
  }
  return [...batches.values()];
}

/** Returns the rows of lost calls that were charged; only those that can be found, unless all are wanted. */
export function lostRows(world: World, { all = false } = {}): Map<string, number> {
  const charged = new Set(
    bookRows(world.services)
      .filter((row) => row.charged)
      .map((row) => rowKey(row.account, row.operation, [row.invoice, row.amountCents, row.customerCode].join(' '))),
  );
  const lost = new Map<string, number>();
  for (const send of world.sends.filter(({ isLost, isFindable }) => isLost && (all || isFindable)))
    for (const key of send.rows.values()) if (charged.has(key)) lost.set(key, (lost.get(key) ?? 0) + 1);
  return lost;
}
