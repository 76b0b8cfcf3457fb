import pg, { DatabaseError, type Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { isReadTimeout } from './explain-refusal.ts';
import type { Tally } from '../../kernel/health.ts';
import type { Ledger } from './open-ledger.ts';
import { storableJson } from './storable-text.ts';

/** An entry of the audit trail: who moved what, why, and on what evidence. Never holds a card or account number. */
export type AuditEntry = {
  actor: string;
  fileId?: string;
  batchNo?: number;
  move: string;
  from?: string | null;
  to?: string;
  reason: string;
  evidence?: Record<string, unknown>;
  /** Set when conclusions are drawn from its time; the evidence then also has the database time, as `databaseAt`. */
  isTimed?: boolean;
};

export type Transaction = {
  readonly client: Queryable;
  /** The current time by this host's clock, the same throughout the transaction. */
  readonly at: Date;
  /** SQL for the current time by the database clock. */
  readonly databaseNow: string;
  /** Remembers an audit entry; all of them are appended right before the commit. */
  audit(entry: AuditEntry): void;
  /** Counts an event for a monitoring program once the commit is answered. */
  readonly count: Tally['add'];
};

/**
 * Runs `work` in one transaction and appends its audit entries at the very end. The locks of their chains are thus taken
 * last and held briefly. They are taken in one order, so two transactions can never deadlock over them.
 * @throws PipelineError LEDGER_UNREACHABLE, and whatever `work` throws; then nothing was written
 */
export async function transact<Result>(ledger: Ledger, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const client = await connect(ledger.pool);
  const links: AuditEntry[] = [];
  const counts: Parameters<Tally['add']>[] = [];
  const at = ledger.clock.now();
  let isBroken = false;
  try {
    await client.query('BEGIN');
    const result = await work({
      client,
      at,
      databaseNow: ledger.databaseNow(),
      audit: (entry) => links.push(entry),
      count: (...event) => counts.push(event),
    });
    const statements = [...appendAudit(at, links, ledger.databaseNow()), 'COMMIT'];
    await committing(links, () => commit(client, statements));
    for (const event of counts) ledger.tally.add(...event);
    return result;
  } catch (error) {
    isBroken = isOfNoUse(error) || !(await isRolledBack(client));
    throw withoutData(error);
  } finally {
    // A connection that failed to roll back must not return to the pool; once it is closed, the server rolls back.
    client.release(isBroken);
  }
}

/**
 * Calls a function of the ledger in one message that is a transaction of its own. It appends its audit links itself.
 * @param moves that it may make, for crash points
 * @throws PipelineError LEDGER_UNREACHABLE, and what the database refuses; then nothing was written. When the connection
 *   is lost, it may have been
 */
export async function callFunction<Row extends QueryResultRow>(
  pool: Pool,
  text: string,
  values: readonly unknown[],
  moves: readonly { readonly move: string }[],
): Promise<QueryResult<Row>> {
  const client = await connect(pool);
  let isBroken = false;
  try {
    return await committing(moves, () => client.query<Row>(text, [...values]));
  } catch (error) {
    isBroken = !(error instanceof DatabaseError) || isOfNoUse(error);
    throw withoutData(error);
  } finally {
    client.release(isBroken);
  }
}

async function connect(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch((error: unknown) => {
    throw new PipelineError('LEDGER_UNREACHABLE', 'reach the ledger', undefined, { cause: error });
  });
}

async function committing<Result>(
  moves: readonly { readonly move: string }[],
  commitIt: () => Promise<Result>,
): Promise<Result> {
  crashPoint('commit.before', moves);
  const result = await commitIt();
  crashPoint('commit.after', moves);
  return result;
}

function isRolledBack(client: PoolClient): Promise<boolean> {
  return client.query('ROLLBACK').then(
    () => true,
    () => false,
  );
}

/**
 * Returns whether to discard the connection. After a read timeout, another query would wait for that reply again. A
 * server that takes no writes may be a former primary; the next connection may reach the new one.
 */
function isOfNoUse(error: unknown): boolean {
  if (error instanceof DatabaseError) return error.code === READ_ONLY;
  return isReadTimeout(error);
}

const READ_ONLY = '25006';

/** Returns whether PostgreSQL refused because of this unique index. */
export function violates(error: unknown, index: string): boolean {
  return error instanceof DatabaseError && error.code === '23505' && error.constraint === index;
}

/**
 * Returns the statement that appends links, with its values in the text, because only such a statement can share a
 * message. No value is a card or account number, so none shows where the server shows statements.
 */
export function appendAudit(at: Date, links: readonly AuditEntry[], databaseNow: string): string[] {
  if (links.length === 0) return [];
  const entries = links.map(({ evidence = {}, ...link }) => ({ ...link, evidence }));
  const [time, list] = [at.toISOString(), storableJson(entries)].map(pg.escapeLiteral);
  return [`SELECT append_audit(${time}, ${databaseNow}, ${list})`];
}

/**
 * Sends the audit entries and COMMIT in one message, so that the server has all of it or nothing. From the first entry
 * on, the moves of the same account wait for this one; a process that stopped in between would block them all.
 *
 * PostgreSQL answers the COMMIT of a failed transaction with a silent ROLLBACK. Work that swallowed the failure would
 * then count as done, although nothing was written.
 */
async function commit(client: Queryable, statements: readonly string[]): Promise<void> {
  const answers: QueryResult | QueryResult[] = await client.query(statements.join(';\n'));
  const last = Array.isArray(answers) ? answers.at(-1) : answers;
  if (last?.command === 'COMMIT') return;
  throw new PipelineError('INTERNAL', 'commit to the ledger', 'a statement before it had failed');
}

/** Removes the error fields that quote whole rows, because errors end up in logs. */
function withoutData(error: unknown): unknown {
  if (error instanceof DatabaseError) {
    error.detail = undefined;
    error.where = undefined;
  }
  return error;
}

/** Anything that takes queries: a connection or a wrapper around one. */
export type Queryable = Pick<PoolClient, 'query'>;
