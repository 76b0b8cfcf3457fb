import pg, { DatabaseError, type PoolClient, type QueryResult } from 'pg';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError, reasonOf } from '../../kernel/errors.ts';
import type { Asked } from './asked.ts';
import { beginWithFirst } from './begin-with-first.ts';
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
  /** Whether something is concluded from its time: then the evidence has that of the database too, as `databaseAt`. */
  isTimed?: boolean;
};

export type Transaction = {
  readonly client: Asked;
  /** The present moment by the clock of this host, the same for everything in this transaction. */
  readonly at: Date;
  /** SQL of the present moment by the clock of the database. */
  readonly databaseNow: string;
  /** Remembers an audit link; all links are appended right before the commit. */
  audit(entry: AuditEntry): void;
};

/**
 * Runs `work` in one transaction and appends its audit links at the very end: the chain's lock is taken last and held
 * shortly, so two transactions can never wait for each other in a circle over it.
 * @param options.isFollowed for a move upon which nothing outside of the ledger is done before the next move has come to
 *   the disk, which brings this one there too. So its own commit waits for no disk; a power cut takes it back.
 * @throws PipelineError LEDGER_UNREACHABLE, and whatever `work` throws; then nothing of it was written
 */
export async function transact<Result>(
  ledger: Ledger,
  work: (tx: Transaction) => Promise<Result>,
  options: { isFollowed?: boolean } = {},
): Promise<Result> {
  const client = await ledger.pool.connect().catch((error: unknown) => {
    throw new PipelineError('LEDGER_UNREACHABLE', 'reach the ledger', undefined, { cause: error });
  });
  const links: AuditEntry[] = [];
  const at = ledger.clock.now();
  const begun = beginWithFirst(client);
  let isBroken = false;
  try {
    const result = await work({
      client: begun.client,
      at,
      databaseNow: ledger.databaseNow(),
      audit: (entry) => links.push(entry),
    });
    crashPoint('commit.before', links);
    const last = options.isFollowed ? ['SET LOCAL synchronous_commit = off', 'COMMIT'] : ['COMMIT'];
    await commit(begun.client, [...links.map((link) => appendAudit(at, link, ledger.databaseNow())), ...last]);
    crashPoint('commit.after', links);
    return result;
  } catch (error) {
    isBroken = isOfNoUse(error) || (begun.hasBegun() && !(await rollBack(client)));
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
 * A statement with its values in its text, because only such can be asked together with others. No value is a number of a
 * payer, so none shows where the server shows statements.
 */
export function appendAudit(at: Date, link: AuditEntry, databaseNow: string): string {
  const { actor, fileId, batchNo, move, from, to, reason, evidence = {} } = link;
  const values = [at.toISOString(), actor, fileId, batchNo, move, from, to, reason].map(writeLiteral);
  const known = pg.escapeLiteral(storableJson(evidence));
  const shown = link.isTimed ? `${known}::jsonb || jsonb_build_object('databaseAt', ${databaseNow})` : known;
  return `SELECT append_audit(${[...values, shown].join(', ')})`;
}

function writeLiteral(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return 'NULL';
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(storableText(value));
}

/**
 * The audit links and the COMMIT are one message: from the first link on every other move waits for this one, and a process
 * that was stopped or cut off between them would hold up all. So the server has either nothing of it, or all.
 *
 * PostgreSQL answers the COMMIT of a transaction in which a statement failed with a quiet ROLLBACK. Work that swallowed
 * that failure would pass for done although nothing of it was written.
 */
async function commit(client: Asked, statements: readonly string[]): Promise<void> {
  const answers: QueryResult | QueryResult[] = await client.query(statements.join(';\n'));
  const last = Array.isArray(answers) ? answers.at(-1) : answers;
  if (last?.command === 'COMMIT') return;
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
