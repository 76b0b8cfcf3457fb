import { randomUUID } from 'node:crypto';
import type { Fence } from './send-journal.ts';
import type { Transaction } from '../engine/transaction.ts';
import type { Asked } from '../engine/asked.ts';

/** Whether the ledger is open, and what journals report to. */
export type State = {
  ledger: string;
  epoch: number;
  closing: string;
  closingEpoch: number;
  isOpen: boolean;
  isOfThisRun: boolean;
  senders: string[];
  isMadeHere: boolean;
  since: Date;
};

const STATE = `SELECT ledger, epoch, since, closing, closing_epoch AS "closingEpoch", is_open AS "isOpen",
  is_of_this_run() AS "isOfThisRun", senders,
  made_in = pg_postmaster_start_time()
    AND made_database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()) AS "isMadeHere"
  FROM admission`;

export async function readState({ pool }: { pool: Asked }): Promise<State> {
  const { rows } = await pool.query<State>(STATE);
  return rows[0]!;
}

/** What journals report to while the ledger is closed, and the journals that they write down then: `knows`. */
export type Closing = { id: string; epoch: number; knows: string[] };

/**
 * Closes the ledger, when it is open for another run, for other senders or for an epoch that this journal has left behind.
 *
 * All reports of an opening bear one epoch, which no journal goes back behind. So a journal that has met it elsewhere raises
 * it, and what was reported before is void: its host may have sent to the other ledger meanwhile.
 *
 * In a transaction that holds the lock of stops.
 */
export async function closeLedger(tx: Transaction, fence?: Fence): Promise<Closing> {
  let state = await readState({ pool: tx.client });
  if (state.isOpen || !state.isOfThisRun) state = await begin(tx, Math.max(state.epoch, state.closingEpoch) + 1);
  const hasLeft = fence && fence.closing !== state.closing && fence.epoch >= state.closingEpoch;
  if (hasLeft) state = await begin(tx, fence.epoch + 1);
  const { rows: known } = await tx.client.query<{ journal: string }>(
    `SELECT journal FROM sender WHERE epoch > 0 OR (closing = $1 AND (report->>'isWitness')::boolean) ORDER BY journal`,
    [state.closing],
  );
  return { id: state.closing, epoch: state.closingEpoch, knows: known.map((row) => row.journal) };
}

/** More than there are ever closings. */
export const LEAP = 1_000_000;

/**
 * Begins a closing beyond any at which a lost journal can have reported. Its report may still stand in another ledger: a host
 * that has reported here could open that one with it, and send from it.
 * @returns its epoch
 */
export async function closeBeyondLost(tx: Transaction, { epoch }: Closing): Promise<number> {
  const { closingEpoch } = await begin(tx, epoch + LEAP);
  return closingEpoch;
}

async function begin(tx: Transaction, epoch: number): Promise<State> {
  await tx.client.query(
    `UPDATE admission SET is_open = false, closing = $1, closing_epoch = $2, since = ${tx.databaseNow}`,
    [randomUUID(), epoch],
  );
  return readState({ pool: tx.client });
}
