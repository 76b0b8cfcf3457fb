import type pg from 'pg';
import { systemCode } from '../../kernel/errors.ts';
import { inspectFunctions, refuseForeign, shareFunctions } from './functions.ts';
import { asVisitor, type Instance } from './instance.ts';
import { missingFrom, readApplied, refuseUnknown } from './migrate.ts';
import { checkSession } from './schema-lock.ts';

/**
 * Lets a command read the ledger by one connection, if it is as this version makes it.
 *
 * It must know all that others must: that the session is ours, the tables and functions are those of this version, and
 * no stranger made a function, which would act with our rights. A process that only reads can do without the rest:
 * - the lock of the schema, under which others build it: a reader builds nothing;
 * - the legal moves, and functions of other versions: it makes no move and drops nothing;
 * - the lock that says a process lives: nobody waits for the death of one that holds neither a batch nor a file.
 *
 * @param databaseNow SQL for the current time
 * @returns undefined when something is missing or changed; then the ledger must be opened as by all others
 * @throws PipelineError LEDGER_UNREACHABLE, LEDGER_NEWER
 */
export async function visit(client: pg.ClientBase, databaseNow: string): Promise<Instance | undefined> {
  try {
    // First, so that the functions found are still there when they are called.
    await shareFunctions(client);
    await checkSession(client);
    const functions = await inspectFunctions(client);
    const applied = await readApplied(client);
    const { rows } = await client.query<{ at: Date }>(`SELECT ${databaseNow} AS at`);
    refuseForeign(functions);
    refuseUnknown(applied);
    return functions.state === 'whole' && missingFrom(applied).length === 0 ? asVisitor(rows[0]!.at) : undefined;
  } catch (error) {
    if (systemCode(error) === NO_TABLE) return undefined;
    throw error;
  }
}

/** The table of migrations, in a database without a ledger. */
const NO_TABLE = '42P01';
