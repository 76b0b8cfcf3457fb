import { DatabaseError, type PoolClient } from 'pg';
import { crashPoint } from '../kernel/crash-point.ts';
import { PipelineError, reasonOf } from '../kernel/errors.ts';
import type { Ledger } from './open-ledger.ts';
import { storableJson, storableText } from './storable-text.ts';

/** One link of the audit trail: who moved what, why, and on what evidence. Never holds a card or account number. */
export type AuditEntry = {
  actor: string;
  fileId?: string;
  batchNo?: number;
  move: string;
  from?: string | null;
  to?: string;
  reason: string;
  evidence?: Record<string, unknown>;
};

export type Transaction = {
  readonly client: PoolClient;
  /** The present moment, the same for everything in this transaction. */
  readonly at: Date;
  /** Remembers an audit link; all links are appended right before the commit. */
  audit(entry: AuditEntry): void;
};

/**
 * Runs `work` in one transaction and appends its audit links at the very end: the chain's lock is taken last and held
 * shortly, so two transactions can never wait for each other in a circle over it.
 * @throws PipelineError LEDGER_UNREACHABLE, and whatever `work` throws; then nothing of it was written
 */
export async function transact<Result>(ledger: Ledger, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const client = await ledger.pool.connect().catch((error: unknown) => {
    throw new PipelineError('LEDGER_UNREACHABLE', 'reach the ledger', undefined, { cause: error });
  });
  const links: AuditEntry[] = [];
  const at = ledger.clock.now();
  let isBroken = false;
  try {
    await client.query('BEGIN');
    const result = await work({ client, at, audit: (entry) => links.push(entry) });
    for (const link of links) await appendAudit(client, at, link);
    crashPoint('commit.before', links);
    await commit(client);
    crashPoint('commit.after', links);
    return result;
  } catch (error) {
    isBroken = isOfNoUse(error) || !(await rollBack(client));
    throw withoutData(error);
  } finally {
    // A connection that failed to roll back must not go back into the pool; without it the server rolls back by itself.
    client.release(isBroken);
  }
}

function rollBack(client: PoolClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

/**
 * A connection on which an answer did not come in time is not asked again: it would be waited for once more. Nor is one
 * to a server that takes no writes, such as a former primary: the next connection may lead to one that does.
 */
function isOfNoUse(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === READ_ONLY;
  return reasonOf(error) === 'Query read timeout';
}

const READ_ONLY = '25006';

/** Whether PostgreSQL refused because a unique index of this name holds. */
export function violates(error: unknown, index: string): boolean {
  return error instanceof DatabaseError && error.code === '23505' && error.constraint === index;
}

/**
 * From here on the transaction holds the lock on the end of the chain, and every other move waits for it. So a process
 * that is stopped or cut off right now is given up by the server soon, and not when an idle transaction usually is.
 */
const CHAIN_MS = '10s';

async function appendAudit(client: PoolClient, at: Date, link: AuditEntry): Promise<void> {
  await client.query(
    `SELECT set_config('idle_in_transaction_session_timeout', '${CHAIN_MS}', true),
            append_audit($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      at,
      link.actor,
      link.fileId ?? null,
      link.batchNo ?? null,
      link.move,
      link.from ?? null,
      link.to ?? null,
      storableText(link.reason),
      storableJson(link.evidence ?? {}),
    ],
  );
}

/**
 * PostgreSQL answers the COMMIT of a transaction in which a statement failed with a quiet ROLLBACK. Work that swallowed
 * that failure would pass for done although nothing of it was written.
 */
async function commit(client: PoolClient): Promise<void> {
  const { command } = await client.query('COMMIT');
  if (command === 'COMMIT') return;
  throw new PipelineError('INTERNAL', 'commit to the ledger', 'a statement before it had failed');
}

/** These fields of an error quote whole rows, and errors end up in logs. */
function withoutData(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    error.detail = undefined;
    error.where = undefined;
  }
  return error;
}
