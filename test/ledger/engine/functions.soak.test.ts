import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { handClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { inspectFunctions, keepFunctions } from '../../../src/ledger/engine/functions.ts';
import { joinAsInstance } from '../../../src/ledger/engine/instance.ts';
import { migrate } from '../../../src/ledger/engine/migrate.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { FUNCTIONS_SCHEMA, SEARCH_PATH } from '../../../src/ledger/engine/schema.ts';
import { keptLog } from '../../support/bad-input.ts';
import { START } from '../../support/ledger-world.ts';
import { openTestPool, startTestPostgres, type TestPostgres } from '../../support/postgres.ts';

/**
 * The functions of a version in the database: who may have made them, what happens when they are changed, and what is
 * dropped when no version uses them any more. The attacks are those of a role with CREATE on the database, and of a person
 * who works in the database by hand.
 */

/** Roles belong to the server, which other tests use at the same time. */
const [STRANGER, APP] = [`stranger_${process.pid}`, `app_${process.pid}`];
const OTHER_VERSION = 'paydrop_f_0123456789ab';

/** The owner's session, which is that of a superuser here. */
let owner: pg.PoolClient;
const pools: pg.Pool[] = [];
const others: pg.PoolClient[] = [];
let postgres: TestPostgres;
let log: ReturnType<typeof keptLog>;

beforeAll(async () => {
  const admin = await startTestPostgres();
  const roles = openTestPool(admin.connection);
  for (const name of [STRANGER, APP]) await roles.query(`CREATE ROLE ${name}`);
  await roles.end();
  await admin.stop();
});
afterAll(async () => {
  const admin = await startTestPostgres();
  const roles = openTestPool(admin.connection);
  for (const name of [STRANGER, APP]) await roles.query(`DROP ROLE ${name}`);
  await roles.end();
  await admin.stop();
});
beforeEach(async () => {
  log = keptLog();
  postgres = await startTestPostgres({ sessions: 'ended' });
  owner = await openSessions().connect();
  const { database } = postgres.connection;
  await owner.query(`GRANT CREATE ON DATABASE ${database} TO ${STRANGER}`);
  await owner.query(`GRANT USAGE ON SCHEMA paydrop TO ${APP}; GRANT ALL ON ALL TABLES IN SCHEMA paydrop TO ${APP}`);
});
afterEach(async () => {
  owner.release(true);
  for (const client of others.splice(0)) client.release(true);
  for (const sessions of pools.splice(0)) await sessions.end();
  await postgres.stop();
});

/** Opens sessions with our settings. @param role acts with the rights of this role only */
function openSessions(role?: string): pg.Pool {
  const options = `-c paydrop.session=on -c search_path=${SEARCH_PATH}${role === undefined ? '' : ` -c role=${role}`}`;
  const sessions = openTestPool({ ...postgres.connection, options });
  pools.push(sessions);
  return sessions;
}

async function sessionAs(role?: string): Promise<pg.PoolClient> {
  const client = await openSessions(role).connect();
  others.push(client);
  return client;
}

async function asRole(role: string, sql: string): Promise<void> {
  await owner.query(`SET ROLE ${role}`);
  try {
    await owner.query(sql);
  } finally {
    await owner.query('RESET ROLE');
  }
}

const stateNow = async () => (await inspectFunctions(owner)).state;

/** Every way in which a process comes to use the functions. */
const WAYS: readonly (readonly [way: string, go: (client: pg.PoolClient) => Promise<unknown>])[] = [
  ['a start', (client) => migrate(client, log.log)],
  ['a connection made again', (client) => keepFunctions(client, log.log)],
  ['a process that only looks', (client) => keepFunctions(client, log.log, { asIs: true })],
  ['a command that only looks', () => open({ asIs: true })],
  ['a command that only reads', () => open({ reads: true })],
];

async function open(options: { asIs?: boolean; reads?: boolean } = {}): Promise<void> {
  const ledger = await openLedger({ url: postgres.url }, { clock: handClock(START), log: log.log, ...options });
  await ledger.close();
}

/** Its arguments fit the first statement of a start better than PostgreSQL's own. A sequence forgets no rollback. */
const SPY = `CREATE SEQUENCE called; GRANT ALL ON SEQUENCE called TO PUBLIC;
  CREATE FUNCTION ${FUNCTIONS_SCHEMA}.pg_advisory_xact_lock(integer) RETURNS bigint LANGUAGE sql AS $$ SELECT nextval('public.called') $$`;

const isCalled = async () =>
  (await owner.query<{ is_called: boolean }>('SELECT is_called FROM public.called')).rows[0]?.is_called;

describe('functions of another role', () => {
  const planted: readonly (readonly [what: string, plant: () => Promise<unknown>])[] = [
    [
      'a schema that took the name first',
      async () => {
        await owner.query(`DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE; GRANT CREATE ON SCHEMA public TO ${STRANGER}`);
        await asRole(STRANGER, `CREATE SCHEMA ${FUNCTIONS_SCHEMA}; SET LOCAL search_path = public; ${SPY}`);
      },
    ],
    [
      'a function among ours',
      async () => {
        await owner.query(`GRANT CREATE, USAGE ON SCHEMA ${FUNCTIONS_SCHEMA} TO ${STRANGER}`);
        await asRole(
          STRANGER,
          `CREATE FUNCTION ${FUNCTIONS_SCHEMA}.may_leave(text, text, varchar) RETURNS boolean LANGUAGE sql AS 'SELECT true'`,
        );
      },
    ],
    [
      'one of ours that was given away',
      () => owner.query(`ALTER FUNCTION may_leave(text, text, text) OWNER TO ${STRANGER}`),
    ],
    [
      'an operator among ours',
      async () => {
        await owner.query(`GRANT CREATE, USAGE ON SCHEMA ${FUNCTIONS_SCHEMA} TO ${STRANGER}`);
        await asRole(
          STRANGER,
          `CREATE OPERATOR ${FUNCTIONS_SCHEMA}.= (LEFTARG = text, RIGHTARG = name, FUNCTION = pg_catalog.texteqname)`,
        );
      },
    ],
  ];
  it.each(planted)('are refused in every way: %s', async (_what, plant) => {
    await plant();
    const says = new RegExp(`role "${STRANGER}" owns some or all of schema "${FUNCTIONS_SCHEMA}".*Revoke CREATE`);
    for (const [way, go] of WAYS)
      await expect(go(owner), way).rejects.toMatchObject({
        code: 'LEDGER_UNREACHABLE',
        message: expect.stringMatching(says),
      });
  });

  it('are not called before they are refused', async () => {
    await planted[0]![1]();
    await expect(migrate(owner, log.log)).rejects.toThrow('owns some or all');
    expect(await isCalled()).toBe(false);
  });

  it('are not called in place of a table that is missing', async () => {
    await planted[0]![1]();
    const view = `CREATE VIEW ${FUNCTIONS_SCHEMA}.migration AS SELECT nextval('public.called')::text AS name`;
    await asRole(STRANGER, `${view}; GRANT ALL ON ALL TABLES IN SCHEMA ${FUNCTIONS_SCHEMA} TO PUBLIC`);
    await owner.query(
      `GRANT USAGE ON SCHEMA ${FUNCTIONS_SCHEMA} TO PUBLIC; ALTER TABLE paydrop.migration RENAME TO kept`,
    );
    await expect(open({ reads: true })).rejects.toThrow('owns some or all');
    expect(await isCalled()).toBe(false);
  });

  it('are refused when they hide ours, beside the tables', async () => {
    await owner.query(
      `CREATE FUNCTION paydrop.may_leave(text, text, text) RETURNS boolean LANGUAGE sql AS 'SELECT true'`,
    );
    for (const [way, go] of WAYS)
      await expect(go(owner), way).rejects.toThrow(/schema "paydrop" has functions.*: may_leave/);
  });

  it('are used when the owner of the tables made them', async () => {
    const app = await sessionAs(APP);
    await keepFunctions(app, log.log);
    const { rows } = await app.query(`SELECT current_user::text AS role, may_leave('a', 'b', 'c') AS may`);
    expect(rows).toEqual([{ role: APP, may: false }]);
    expect(log.text()).toBe('');
  });
});

const CHANGES: readonly (readonly [what: string, sql: string])[] = [
  ['are all gone, their schema is not', `DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE; CREATE SCHEMA ${FUNCTIONS_SCHEMA}`],
  ['lack one', 'DROP FUNCTION is_of_this_run()'],
  [
    'have another text',
    `CREATE OR REPLACE FUNCTION ${FUNCTIONS_SCHEMA}.may_leave(p_account text, p_file_id text, p_body_sha256 text) RETURNS boolean
     LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS 'BEGIN RETURN true; END'`,
  ],
  ['have another setting', `ALTER FUNCTION is_calling(text) SET search_path = public`],
  ['act with the rights of their owner', `ALTER FUNCTION is_calling(text) SECURITY DEFINER`],
  [
    'have one more, which fits calls better',
    `CREATE FUNCTION ${FUNCTIONS_SCHEMA}.may_leave(text, text, varchar) RETURNS boolean LANGUAGE sql AS 'SELECT true'`,
  ],
  ['do not say what they were', `COMMENT ON SCHEMA ${FUNCTIONS_SCHEMA} IS NULL`],
  ['have an aggregate', `CREATE AGGREGATE ${FUNCTIONS_SCHEMA}.adds(integer) (SFUNC = int4pl, STYPE = integer)`],
];

describe('functions that', () => {
  it.each(CHANGES)(
    '%s are made anew by a start and by a connection made again, and left by who only looks; all say so',
    async (_what, sql) => {
      for (const go of [migrate, keepFunctions]) {
        log = keptLog();
        await owner.query(sql);
        await keepFunctions(owner, log.log, { asIs: true });
        expect(log.text()).toMatch(/"level":"warn".*were changed/);
        expect(await stateNow()).toBe('changed');
        await go(owner, log.log);
        expect(await stateNow()).toBe('whole');
        expect(log.text()).toMatch(/"level":"warn".*they are made anew/);
        const { rows } = await owner.query(
          `SELECT may_leave('a', 'b', 'c') AS may, count(*) AS variants FROM pg_proc WHERE proname = 'may_leave'`,
        );
        expect(rows).toEqual([{ may: false, variants: '1' }]);
      }
    },
  );

  it('lack one are made anew for a command that only reads, too', async () => {
    await owner.query('DROP FUNCTION is_of_this_run()');
    await open({ reads: true });
    expect(await stateNow()).toBe('whole');
  });

  it('are unchanged stay as they are, without a line in the log', async () => {
    const before = await owner.query('SELECT max(oid) AS newest FROM pg_proc');
    for (const go of [migrate, keepFunctions]) await go(owner, log.log);
    expect((await owner.query('SELECT max(oid) AS newest FROM pg_proc')).rows).toEqual(before.rows);
    expect(log.text()).toBe('');
  });

  it('were changed stay when something outside needs them, and the refusal says how to find it', async () => {
    await owner.query(
      `CREATE VIEW public.buckets AS SELECT name_bucket('a') AS bucket; DROP FUNCTION is_calling(text)`,
    );
    await expect(migrate(owner, log.log)).rejects.toThrow(
      /a view, a column or an index outside .* needs them\. Drop what/,
    );
    await owner.query('DROP VIEW public.buckets');
    await migrate(owner, log.log);
    expect(await stateNow()).toBe('whole');
  });

  it.each([
    [
      'were changed',
      'DROP FUNCTION is_calling(text)',
      () => new RegExp(`may not make them again\\. Start .* as role "`),
    ],
    [
      'are missing',
      `DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`,
      () => new RegExp(`may not make schema .*GRANT CREATE ON DATABASE "${postgres.connection.database}" TO "${APP}"`),
    ],
  ])('%s and may not be made by the role are refused with who can', async (_what, sql, says) => {
    await owner.query(sql);
    await expect(keepFunctions(await sessionAs(APP), log.log)).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringMatching(says()),
    });
  });

  it('are made can be called by everyone, whatever new functions allow', async () => {
    await owner.query(`ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC`);
    await owner.query(`DROP SCHEMA ${FUNCTIONS_SCHEMA} CASCADE`);
    await migrate(owner, log.log);
    await owner.query(`ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC`);
    const { rows } = await (await sessionAs(APP)).query(`SELECT may_leave('a', 'b', 'c') AS may`);
    expect(rows).toEqual([{ may: false }]);
  });
});

const WHILE_DROPPING = `SELECT current_setting('lock_timeout') AS waits, count(*)::int AS locks FROM pg_locks
  WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND objid = (hashtext('paydrop.migrate')::bigint & 4294967295)::oid`;

describe('functions that no version uses', () => {
  /** Makes those of another version. */
  const makeOther = (more = '') =>
    owner.query(
      `CREATE SCHEMA ${OTHER_VERSION}; CREATE FUNCTION ${OTHER_VERSION}.one() RETURNS integer IMMUTABLE LANGUAGE sql AS 'SELECT 1';
       ${more}`,
    );
  const isThere = async (name: string) =>
    (await owner.query('SELECT FROM pg_namespace WHERE nspname = $1', [name])).rows.length === 1;

  it('are dropped', async () => {
    await makeOther();
    await migrate(owner, log.log);
    expect(await isThere(OTHER_VERSION)).toBe(false);
    expect(log.text()).toBe('');
  });

  it('stay as long as a process of their version lives, as those of this version do', async () => {
    await makeOther();
    const [theirs, ours] = [await sessionAs(), await sessionAs()];
    await theirs.query('SELECT pg_advisory_lock_shared(7006, hashtext($1))', [OTHER_VERSION]);
    await keepFunctions(ours, log.log);
    await migrate(owner, log.log);
    expect(await isThere(OTHER_VERSION)).toBe(true);
    const isFree = 'SELECT pg_try_advisory_xact_lock(7006, hashtext($1)) AS free';
    expect((await owner.query(isFree, [FUNCTIONS_SCHEMA])).rows).toEqual([{ free: false }]);
    await theirs.query('SELECT pg_advisory_unlock_all()');
    await migrate(owner, log.log);
    expect(await isThere(OTHER_VERSION)).toBe(false);
  });

  it('are dropped without the lock in which others start, and without a long wait', async () => {
    await makeOther();
    const found: unknown[] = [];
    const watched = Object.assign(Object.create(owner) as pg.PoolClient, {
      query: async (sql: string, values?: unknown[]) => {
        if (sql.startsWith('DROP')) found.push(...(await owner.query(WHILE_DROPPING)).rows);
        return owner.query(sql, values);
      },
    });
    await migrate(watched, log.log);
    expect(await isThere(OTHER_VERSION)).toBe(false);
    expect(found).toEqual(Array.from({ length: 2 }, () => ({ locks: 0, waits: '100ms' })));
  });

  it.each([
    ['a table is among them', `CREATE TABLE ${OTHER_VERSION}.kept (one integer)`, `SELECT FROM ${OTHER_VERSION}.kept`],
    ['a type is among them', `CREATE TYPE ${OTHER_VERSION}.kept AS ENUM ('a')`, `SELECT 'a'::${OTHER_VERSION}.kept`],
    ['a view needs them', `CREATE VIEW public.kept AS SELECT ${OTHER_VERSION}.one()`, 'SELECT FROM public.kept'],
    [
      'a column needs them',
      `CREATE TABLE public.kept (a integer, b integer GENERATED ALWAYS AS (a + ${OTHER_VERSION}.one()) STORED)`,
      'SELECT b FROM public.kept',
    ],
    ['one belongs to another role', `ALTER FUNCTION ${OTHER_VERSION}.one() OWNER TO ${STRANGER}`, 'SELECT 1'],
  ])('stay when %s, and the log says so', async (_what, sql, read) => {
    await makeOther(sql);
    const isAllowed = sql.includes(STRANGER);
    await migrate(owner, log.log);
    // A superuser may drop what is another role's; the schema is ours.
    if (isAllowed) return expect(await isThere(OTHER_VERSION)).toBe(false);
    await owner.query(read);
    expect((await owner.query(`SELECT ${OTHER_VERSION}.one() AS one`)).rows).toEqual([{ one: 1 }]);
    expect(log.text()).toMatch(/"level":"warn".*functions of another version stay in the database: something else/);
  });

  it('are told from schemas of others by the whole name', async () => {
    const names = ['paydrop_f_0', 'paydrop_f_0123456789abc', 'paydrop_f_reports', 'paydrop_f_abc'];
    for (const name of names) await owner.query(`CREATE SCHEMA ${name}; CREATE TABLE ${name}.kept (one integer)`);
    await migrate(owner, log.log);
    for (const name of names) await owner.query(`SELECT FROM ${name}.kept`);
    expect(log.text()).toBe('');
  });

  it('stay until a command that reads by them has ended', async () => {
    const ledger = await openLedger({ url: postgres.url }, { clock: handClock(START), log: log.log, reads: true });
    const isFree = async () => {
      const asked = 'SELECT pg_try_advisory_xact_lock(7006, hashtext($1)) AS free';
      return (await owner.query<{ free: boolean }>(asked, [FUNCTIONS_SCHEMA])).rows[0]?.free;
    };
    expect(await isFree()).toBe(false);
    await ledger.close();
    await expect.poll(isFree, { interval: 5 }).toBe(true);
  });

  it('are left to the role that made them', async () => {
    await asRole(STRANGER, `CREATE SCHEMA ${OTHER_VERSION}`);
    await migrate(owner, log.log);
    expect(await isThere(OTHER_VERSION)).toBe(true);
  });

  it.each([
    ['makes a table', `CREATE TABLE ${OTHER_VERSION}.two (one integer)`],
    ['changes one', `ALTER FUNCTION ${OTHER_VERSION}.one() COST 7`],
    ['grants rights', `GRANT USAGE ON SCHEMA ${OTHER_VERSION} TO ${APP}`],
  ])('stop no start while a transaction %s there', async (_what, sql) => {
    await makeOther();
    const busy = await sessionAs();
    await busy.query(`BEGIN; ${sql}`);
    await migrate(owner, log.log);
    await open();
    await busy.query('ROLLBACK');
    expect(await isThere(OTHER_VERSION)).toBe(true);
    expect(log.text()).not.toContain('stay in the database');
    await migrate(owner, log.log);
    expect(await isThere(OTHER_VERSION)).toBe(false);
  });
});

describe('a process that cannot come back', () => {
  it('warns once why, with the remedy', async () => {
    let hasFunctions = true;
    const instance = await joinAsInstance(postgres.connection, log.log, {
      rejoinMs: 5,
      onJoin: async (client) => {
        if (!hasFunctions) await client.query('SELECT is_of_this_run()');
      },
    });
    onTestFinished(() => instance.leave());
    hasFunctions = false;
    await owner.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'paydrop-instance'`,
    );
    const lines = () =>
      log
        .text()
        .split('\n')
        .filter((line) => line.includes('cannot rejoin'));
    await expect.poll(() => lines().length, { interval: 5 }).toBeGreaterThan(3);
    expect(lines()[0]).toMatch(/"level":"warn".*functions of this version are missing.*Grant the role CREATE/);
    expect(lines().filter((line) => line.includes('"level":"warn"'))).toHaveLength(1);
  });
});

describe('a server that refuses a statement of a start', () => {
  it('is not said to be away', async () => {
    await owner.query('ALTER TABLE migration RENAME COLUMN name TO other');
    await expect(
      openLedger({ url: postgres.url }, { clock: handClock(START), log: silentLog() }),
    ).rejects.toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringMatching(/refused a statement with the code 42703\. Nothing was changed/),
    });
  });
});
