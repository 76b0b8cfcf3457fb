import { PipelineError } from '../../kernel/errors.ts';
import { randomUUID } from 'node:crypto';
import type { Fence } from './send-journal.ts';
import type { Queryable, Transaction } from '../engine/transaction.ts';

/** Whether the ledger is open, and which closing journals report to. */
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

export async function readState({ pool }: { pool: Queryable }): Promise<State> {
  const { rows } = await pool.query<State>(
    `SELECT ledger, epoch, since, closing, closing_epoch AS "closingEpoch", is_open AS "isOpen",
       is_of_this_run() AS "isOfThisRun", senders,
       made_in = pg_postmaster_start_time()
         AND made_database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()) AS "isMadeHere"
     FROM admission`,
  );
  return rows[0]!;
}

/** The closing that journals report to while the ledger is closed. `knows` lists the journals that they record then. */
export type Closing = { id: string; epoch: number; knows: string[] };

/**
 * Closes the ledger when it is open for another run, other senders, or an epoch that this journal has passed.
 *
 * All reports for an opening share one epoch, and no journal goes back to an earlier one. A journal that met that epoch
 * elsewhere raises it, which voids earlier reports: its host may have sent to the other ledger meanwhile.
 *
 * Requires a transaction that holds the stop lock.
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

/** More closings than can ever occur. */
export const LEAP = 1_000_000;

/**
 * Begins a closing later than any to which a lost journal can have reported. That report may still count in another
 * ledger. A host that has reported here could open the other ledger with it and send from there.
 * @returns its epoch
 */
export async function closeBeyondLost(tx: Transaction, { epoch }: Closing): Promise<number> {
  return (await begin(tx, epoch + LEAP)).closingEpoch;
}

async function begin(tx: Transaction, epoch: number): Promise<State> {
  await tx.client.query(
    `UPDATE admission SET is_open = false, closing = $1, closing_epoch = $2, since = ${tx.databaseNow}`,
    [randomUUID(), epoch],
  );
  return readState({ pool: tx.client });
}

/** SQL: whether the ledger was opened for this run of its server. */
export const IS_LEDGER_OPEN = 'SELECT is_open AND is_of_this_run() FROM admission';

/** Returns whether the ledger was opened for this run of its server. */
export async function isOpen(client: Pick<Transaction['client'], 'query'>): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>(`SELECT (${IS_LEDGER_OPEN}) AS yes`);
  return rows[0]!.yes;
}

/**
 * Guards decisions that rely on something not having been sent. A ledger that may be an older copy cannot know that.
 * @throws PipelineError LEDGER_NOT_OPEN
 */
export async function mustBeOpen({ client }: Pick<Transaction, 'client'>): Promise<void> {
  if (!(await isOpen(client))) throw new PipelineError('LEDGER_NOT_OPEN', 'decide about what was sent');
}
