import type pg from 'pg';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { explainRefusal } from './explain-refusal.ts';
import { FUNCTION_NAMES, FUNCTIONS, FUNCTIONS_SCHEMA, FUNCTIONS_PATTERN, SEARCH_PATH } from './schema.ts';
import { inSchemaLock, isReadOnly, LOCK_NOT_AVAILABLE } from './schema-lock.ts';
import type { Queryable } from './transaction.ts';

/** The functions of this version as a database has them. */
export type FoundFunctions = {
  /** `changed`: they are not those that a process of this version made, or some are missing. */
  state: 'whole' | 'missing' | 'changed';
  /** Roles that own some of it and that we do not trust. */
  strangers: string[];
  /** Functions beside the tables with a name of ours. The search path finds those first. */
  hiding: string[];
  /** Owner of their schema; null while there is none. */
  owner: string | null;
  role: string;
  database: string;
  /** Whether this role may make them, or make them again. */
  mayMake: boolean;
};

/**
 * Functions act with the rights of their caller. So they are used only if our role owns them, or the owner of the tables,
 * whose triggers act with our rights anyway.
 */
const TRUSTED = `SELECT nspowner FROM pg_catalog.pg_namespace WHERE nspname = 'paydrop'
  UNION SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user`;

/**
 * Compares the functions in the database with those that this version made there. Changes nothing. It names the schema of
 * each function that it calls: a more exact one of a stranger, in the schema that is examined, would be called instead.
 */
export async function inspectFunctions(client: Queryable): Promise<FoundFunctions> {
  const { note, noted, ...found } = await readFunctions<{ note: string | null; noted: string | null }>(
    client,
    `, (${NOTE}) AS note, (SELECT pg_catalog.obj_description(oid, 'pg_namespace') FROM place) AS noted`,
  );
  const state = found.owner === null ? 'missing' : note !== null && note === noted ? 'whole' : 'changed';
  return { ...found, state };
}

/**
 * Reads all of them but the state. It names the schema of each function that it calls, as that does.
 * @param more SQL of more columns
 */
async function readFunctions<More>(client: Queryable, more: string): Promise<Omit<FoundFunctions, 'state'> & More> {
  const { rows } = await client.query<Omit<FoundFunctions, 'state'> & More>(
    `WITH place AS (SELECT oid, nspowner FROM pg_catalog.pg_namespace WHERE nspname = $1),
       owned (owner) AS (
         SELECT nspowner FROM place
         UNION SELECT proowner FROM pg_catalog.pg_proc JOIN place ON place.oid = pronamespace
         UNION SELECT oprowner FROM pg_catalog.pg_operator JOIN place ON place.oid = oprnamespace)
     SELECT current_user::text AS role, pg_catalog.current_database()::text AS database,
       (SELECT pg_catalog.pg_get_userbyid(nspowner)::text FROM place) AS owner,
       array(SELECT pg_catalog.pg_get_userbyid(owner)::text FROM owned WHERE owner NOT IN (${TRUSTED})) AS strangers,
       array(SELECT DISTINCT p.proname::text FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
             WHERE n.nspname = 'paydrop' AND p.proname = ANY ($2::name[])) AS hiding,
       CASE WHEN EXISTS (SELECT FROM place)
         THEN (SELECT pg_catalog.bool_and(pg_catalog.pg_has_role(owner, 'USAGE')) FROM owned)
         ELSE pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') END AS "mayMake"${more}`,
    [FUNCTIONS_SCHEMA, FUNCTION_NAMES],
  );
  return rows[0]!;
}

/** What the schema says once they are made: a hash of all that defines them. Null while it has none. */
const NOTE = `SELECT 'Functions of one version of paydrop. Each start compares them with this sum: ' ||
    pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.string_agg(
      CASE WHEN p.prokind IN ('f', 'p') THEN pg_catalog.pg_get_functiondef(p.oid) ELSE p.prokind::text || p.oid::text END, E'\\n'
      ORDER BY p.proname COLLATE "C", pg_catalog.pg_get_function_identity_arguments(p.oid) COLLATE "C"), 'UTF8')), 'hex')
  FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1`;

const USE = 'use the functions of the ledger';

/**
 * Refuses functions that another role could have made. A role with CREATE on the database may take the name of the
 * schema before we do, and what it puts there would act with our rights. Comes first in a session that opens the ledger.
 * @throws PipelineError LEDGER_UNREACHABLE
 */
export async function refuseForeignFunctions(client: Queryable): Promise<void> {
  refuseForeign(await readFunctions(client, ''));
}

/** Does the same with what `inspectFunctions` found. */
export function refuseForeign({ strangers, hiding, role }: Omit<FoundFunctions, 'state'>): void {
  if (strangers.length > 0) {
    const owners = strangers.map((name) => `"${name}"`).join(', ');
    const reason = `role ${owners} owns some or all of schema "${FUNCTIONS_SCHEMA}", and so could act with the rights of "${role}"`;
    throw new PipelineError('LEDGER_UNREACHABLE', USE, reason, {
      next:
        `Revoke CREATE on the database from that role, and find out who used it. ` +
        `Then have a superuser run DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE, and start again as the owner of schema paydrop.`,
    });
  }
  if (hiding.length === 0) return;
  const reason = `schema "paydrop" has functions with the names of those of this version: ${hiding.join(', ')}`;
  throw new PipelineError('LEDGER_UNREACHABLE', USE, reason, {
    next: 'Find out who made them, have their owner drop them there, and start again.',
  });
}

/**
 * Makes the functions of this version, in the caller's transaction, unless they are there as they were made. Everyone may
 * call them, whatever the default rights: they act with the caller's.
 * @throws PipelineError LEDGER_UNREACHABLE, when they belong to a role that is not trusted or this role may not make them
 */
export async function makeFunctions(client: Queryable, log: Log): Promise<void> {
  // Another version that is just dropping them holds this lock alone.
  await client.query('SELECT pg_advisory_xact_lock_shared($1, hashtext($2))', [FUNCTION_LOCKS, FUNCTIONS_SCHEMA]);
  const found = await inspectFunctions(client);
  refuseForeign(found);
  if (found.state === 'whole') return;
  if (!found.mayMake) throw new PipelineError('LEDGER_UNREACHABLE', USE, ...explainNotMade(found));
  if (found.state === 'changed') {
    log.warn({ schema: FUNCTIONS_SCHEMA }, 'functions of the ledger were changed in the database; they are made anew');
    await dropRoutines(client, FUNCTIONS_SCHEMA).catch((error: unknown) => {
      throw systemCode(error) === STILL_USED ? mustBeFree(error) : error;
    });
  }
  await client.query(
    `${found.state === 'missing' ? `CREATE SCHEMA ${FUNCTIONS_SCHEMA};` : ''}
     SET LOCAL search_path = ${FUNCTIONS_SCHEMA}, paydrop;\n${FUNCTIONS}\nSET LOCAL search_path = ${SEARCH_PATH};
     GRANT USAGE ON SCHEMA ${FUNCTIONS_SCHEMA} TO PUBLIC;
     GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${FUNCTIONS_SCHEMA} TO PUBLIC`,
  );
  await noteFunctions(client);
}

/** Keeps a hash of the functions as they are now in the comment of their schema; the next start takes them for whole. */
export async function noteFunctions(client: Queryable): Promise<void> {
  const { rows } = await client.query<{ comment: string }>(
    `SELECT format('COMMENT ON SCHEMA %I IS %L', $1::text, (${NOTE})) AS comment`,
    [FUNCTIONS_SCHEMA],
  );
  await client.query(rows[0]!.comment);
}

/** Says why this role cannot make the functions, and who can. */
export function explainNotMade({ state, owner, role, database }: FoundFunctions): [string, { next: string }] {
  const schema = `schema "${FUNCTIONS_SCHEMA}"`;
  if (state === 'missing')
    return [
      `this version's functions are missing in the database, and role "${role}" may not make ${schema}`,
      {
        next: `Run GRANT CREATE ON DATABASE "${database}" TO "${role}", or start this version once as the owner of schema paydrop.`,
      },
    ];
  return [
    `this version's functions in ${schema} were changed, and role "${role}" may not make them again`,
    { next: `Start this version once as role "${owner}", which owns them. Find out who changed them.` },
  ];
}

/** PostgreSQL does not drop what something else needs. */
const STILL_USED = '2BP01';

function mustBeFree(cause: unknown): PipelineError {
  const reason = `they were changed in the database, and a view, a column or an index outside schema "${FUNCTIONS_SCHEMA}" needs them`;
  return new PipelineError('LEDGER_UNREACHABLE', USE, reason, {
    next: `Drop what needs them and start again. To list it: BEGIN; DROP SCHEMA ${FUNCTIONS_SCHEMA} RESTRICT; ROLLBACK.`,
    cause,
  });
}

/** Drops the functions of a schema, but nothing outside that needs one. */
async function dropRoutines(client: Queryable, schema: string): Promise<void> {
  const { rows } = await client.query<{ names: string | null }>(
    `SELECT string_agg(format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), ', ') AS names
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = $1`,
    [schema],
  );
  const { names } = rows[0]!;
  if (names !== null) await client.query(`DROP ROUTINE ${names} RESTRICT`);
}

/** Namespace of the advisory locks that say "a process uses the functions of this version". */
const FUNCTION_LOCKS = 7_006;

/** Longest wait for functions that are in use, in ms. */
const LOCK_MS = 5_000;

/**
 * Keeps other versions from dropping the functions of this one, for as long as the session of `client` lasts. Makes those
 * that are missing or changed: another version may have dropped them while no process used them.
 * @param options.asIs leaves them as they are; so does a read-only server
 * @throws PipelineError LEDGER_UNREACHABLE, see `makeFunctions`
 */
export async function keepFunctions(client: pg.ClientBase, log: Log, { asIs = false } = {}): Promise<void> {
  await shareFunctions(client);
  const found = await inspectFunctions(client);
  refuseForeign(found);
  if (found.state === 'whole') return;
  if (asIs || (await isReadOnly(client))) {
    if (found.state === 'changed')
      log.warn(
        { schema: FUNCTIONS_SCHEMA },
        'functions of the ledger were changed in the database; a start makes them anew',
      );
    return;
  }
  await inSchemaLock(client, async () => {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
    await makeFunctions(client, log);
  });
}

/** Keeps other versions from dropping the functions of this one, for as long as the session lasts. */
export async function shareFunctions(client: Queryable): Promise<void> {
  await client.query('SELECT pg_catalog.pg_advisory_lock_shared($1, pg_catalog.hashtext($2))', [
    FUNCTION_LOCKS,
    FUNCTIONS_SCHEMA,
  ]);
}

/** How long a start waits to drop functions that no process uses, in ms. */
const DROP_WAIT_MS = 100;

/**
 * Drops the functions of versions that no process uses any more, each schema in its own transaction. It drops functions
 * only. If others put a table into the schema, or made a view of a function, all of it stays. No start fails for it.
 */
export async function dropUnusedFunctions(client: pg.ClientBase, log: Log): Promise<void> {
  if (await isReadOnly(client)) return;
  const { rows } = await client.query<{ name: string }>(
    `SELECT nspname AS name FROM pg_namespace WHERE nspname ~ $2 AND nspname <> $1
       AND nspowner IN (${TRUSTED}) AND pg_has_role(nspowner, 'USAGE') ORDER BY 1`,
    [FUNCTIONS_SCHEMA, FUNCTIONS_PATTERN],
  );
  for (const { name } of rows) {
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${DROP_WAIT_MS}`);
      await dropUnused(client, name);
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      // Another transaction is working in it; the next start tries again.
      if (systemCode(error) === LOCK_NOT_AVAILABLE) continue;
      const reason = systemCode(error) === STILL_USED ? 'something else in the database needs it' : reasonFor(error);
      log.warn({ schema: name }, `functions of another version stay in the database: ${reason}`);
    }
  }
}

function reasonFor(error: unknown): string {
  return explainRefusal(error)?.reason ?? `the server refused with ${systemCode(error) ?? 'no code'}`;
}

async function dropUnused(client: pg.ClientBase, name: string): Promise<void> {
  const { rows } = await client.query<{ isFree: boolean }>(
    'SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AS "isFree"',
    [FUNCTION_LOCKS, name],
  );
  if (!rows[0]!.isFree) return;
  await dropRoutines(client, name);
  await client.query(`DROP SCHEMA ${name} RESTRICT`);
}
