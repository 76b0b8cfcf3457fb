import type { PoolClient } from 'pg';
import { PipelineError } from '../kernel/errors.ts';
import type { Ledger } from './open-ledger.ts';

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
 */
export async function transact<Result>(ledger: Ledger, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const client = await ledger.pool.connect().catch((error: unknown) => {
    throw new PipelineError('LEDGER_UNREACHABLE', 'reach the ledger', undefined, { cause: error });
  });
  const links: AuditEntry[] = [];
  const at = ledger.clock.now();
  let failure: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work({ client, at, audit: (entry) => links.push(entry) });
    for (const link of links) await appendAudit(client, at, link);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  } finally {
    // A connection that failed to roll back must not go back into the pool.
    client.release(failure !== undefined && isConnectionLost(failure) ? failure : undefined);
  }
}

/** Whether PostgreSQL refused because a unique index of this name holds. */
export function violates(error: unknown, index: string): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === '23505' &&
    'constraint' in error &&
    error.constraint === index
  );
}

async function appendAudit(client: PoolClient, at: Date, link: AuditEntry): Promise<void> {
  await client.query('SELECT append_audit($1, $2, $3, $4, $5, $6, $7, $8, $9)', [
    at,
    link.actor,
    link.fileId ?? null,
    link.batchNo ?? null,
    link.move,
    link.from ?? null,
    link.to ?? null,
    link.reason,
    JSON.stringify(link.evidence ?? {}),
  ]);
}

/** Errors without a five-character SQL state come from the connection, not from the server's answer. */
function isConnectionLost(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return code.length !== 5 || code.startsWith('57') || code.startsWith('08');
}
