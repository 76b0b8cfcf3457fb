import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import copyStreams from 'pg-copy-streams';
import type { Clock } from '../../kernel/clock.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { LIVING_PROCESSES } from '../engine/instance.ts';
import { buildSchema, buildTables } from '../engine/migrate.ts';
import { refuseForeignFunctions } from '../engine/functions.ts';
import { inSchemaLock } from '../engine/schema-lock.ts';
import { listMigrations } from '../engine/schema.ts';
import { type Recalled, recallEntries } from '../doubt/recall-batch.ts';
import { type LedgerPlace, openPool, reachServer } from '../engine/open-ledger.ts';
import { appendAudit, type AuditEntry, type Transaction } from '../engine/transaction.ts';
import { type KeyNeed, readBackup, readKeyNeeds } from './read-backup.ts';
import type { JournalEntry } from '../admission/send-journal.ts';
import { type BackupSummary, type BackupTable, readTables } from './write-backup.ts';

/** `keptAs` is the schema that now holds the previous ledger. `recalled` are its calls that the backup does not know. */
export type Restored = { backup: BackupSummary; keptAs?: string; recalled: Recalled[] };

type RestoreOptions = {
  clock: Clock;
  log: Log;
  actor: string;
  replace: boolean;
  isScratch?: boolean;
  /** Sees which master keys the verified backup needs. What it throws leaves all as it is. */
  mayOpen?: (needs: readonly KeyNeed[]) => void;
  /** For the audit trail, where the backup is a step of something else. */
  reason?: string;
  /** Sees the rows as restored, before anything is added to them. What it throws undoes the restore. */
  inspect?: (client: PoolClient) => Promise<void>;
};

/**
 * Restores the ledger from a backup. The whole file is verified before anything changes. Everything then happens in one
 * transaction, so a crash leaves either the old ledger or the restored one. A backup of an older version is migrated on
 * the way.
 *
 * Calls made after the backup are in the send journals and in the replaced ledger, but not in this one. Those of the
 * replaced ledger are copied. The journals report before anything is sent (admission/admit.ts).
 * @param options.replace keep a ledger that holds files under another name instead of refusing
 * @param options.isScratch the database is only looked at: nothing can ever be sent from it
 * @throws PipelineError BACKUP_BROKEN, BACKUP_NEWER, LEDGER_IN_USE, LEDGER_NOT_EMPTY; nothing has changed then
 */
export async function restoreBackup(place: LedgerPlace, path: string, options: RestoreOptions): Promise<Restored> {
  const known = listMigrations();
  const keys = readKeyNeeds();
  const backup = await readBackup(path, {
    table: keys.table,
    head: async ({ migrations }) => {
      const stranger = migrations.find((name) => !known.includes(name));
      if (stranger === undefined) return;
      const reason = `it was made by a newer version of paydrop: "${stranger}" is not known here`;
      throw new PipelineError('BACKUP_NEWER', `use the backup "${path}"`, reason);
    },
  });
  options.mayOpen?.(keys.needs());
  const server = await reachServer(place, options.log);
  // A large table may exceed the time limit of everyday queries.
  const pool = openPool(server.connection, { log: options.log, answerMs: 0 });
  try {
    const client = await pool.connect();
    try {
      await refuseForeignFunctions(client);
      return { backup, ...(await inSchemaLock(client, () => replaceLedger(client, path, backup, options))) };
    } finally {
      // Discarded: its caches refer to a schema that was renamed.
      client.release(true);
    }
  } finally {
    await pool.end();
    await server.leave();
  }
}

async function replaceLedger(
  client: PoolClient,
  path: string,
  backup: BackupSummary,
  options: RestoreOptions,
): Promise<Omit<Restored, 'backup'>> {
  await mustBeFree(client);
  const at = options.clock.now();
  const aside = await putAside(client, at, options.replace);
  await fillSchema(client, path);
  await options.inspect?.(client);
  await buildSchema(client, options.log);
  const { madeAt, sha256, rows } = backup;
  const reason = options.reason ?? `restored from a backup of ${madeAt}`;
  // Shows where the ledger went back to an older state.
  const links: AuditEntry[] = [
    { actor: options.actor, move: 'restore-ledger', reason, evidence: { madeAt, sha256, rows } },
  ];
  const tx = {
    client,
    at,
    databaseNow: 'clock_timestamp()',
    audit: (link: AuditEntry) => void links.push(link),
    count: () => {},
  };
  const recalled = await takeOver(tx, aside.keptAs);
  for (const statement of appendAudit(at, links, tx.databaseNow)) await client.query(statement);
  if (options.isScratch) await client.query(SENDS_NOTHING);
  // Checked again: a process that joined meanwhile has read the ledger that is being replaced.
  await mustBeFree(client);
  return { ...aside, recalled };
}

/** The ledger cannot be opened for sending, and no call can be declared: a process that tries either is refused. */
const SENDS_NOTHING = `
  ALTER TABLE admission ADD CONSTRAINT scratch_stays_closed CHECK (NOT is_open);
  ALTER TABLE attempt ADD CONSTRAINT scratch_sends_nothing CHECK (false) NOT VALID`;

/** Throws if a process uses the ledger. Every command, even the shortest, holds a lock (instance.ts). */
async function mustBeFree(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ processes: number }>(
    `SELECT count(*)::int AS processes FROM ${LIVING_PROCESSES}`,
  );
  const { processes } = rows[0]!;
  if (processes === 0) return;
  const reason = processes === 1 ? 'a paydrop process is using it' : `${processes} processes are using it`;
  throw new PipelineError('LEDGER_IN_USE', 'restore the ledger', reason);
}

async function putAside(client: PoolClient, at: Date, replace: boolean): Promise<{ keptAs?: string }> {
  const { rows } = await client.query<{ ledger: string | null; files: string | null }>(
    `SELECT to_regnamespace('paydrop')::text AS ledger, to_regclass('paydrop.file')::text AS files`,
  );
  const { ledger, files } = rows[0]!;
  if (ledger === null) return {};
  if (files !== null && (await isEmpty(client))) {
    await client.query('DROP SCHEMA paydrop CASCADE');
    return {};
  }
  if (!replace) throw new PipelineError('LEDGER_NOT_EMPTY', 'restore the ledger');
  const keptAs = `paydrop_before_${at.toISOString().replaceAll(/\D/g, '')}`;
  await client.query(`ALTER SCHEMA paydrop RENAME TO ${keptAs}`);
  return { keptAs };
}

/** Returns whether the ledger has no files and nothing was ever done in it but open it. */
async function isEmpty(client: PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ empty: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM paydrop.file) AND NOT EXISTS (SELECT FROM paydrop.audit WHERE move <> 'open-ledger') AS empty`,
  );
  return rows[0]!.empty;
}

/**
 * Builds the schema as of the backup and fills in its rows. Triggers are off meanwhile, because they check moves, and
 * restored rows are not moves. References between tables are still checked.
 */
export async function fillSchema(client: PoolClient, path: string): Promise<void> {
  let expected: BackupTable[] = [];
  await readBackup(path, {
    head: async ({ migrations }) => {
      await buildTables(client, migrations);
      expected = await readTables(client);
      for (const { table } of expected) await client.query(`ALTER TABLE "${table}" DISABLE TRIGGER USER`);
      // A migration may have inserted rows of its own.
      for (const { table } of expected.toReversed()) await client.query(`DELETE FROM "${table}"`);
    },
    table: async (table, rows) => {
      const fits = expected.some((own) => isSame(own, table));
      if (!fits)
        throw new PipelineError(
          'BACKUP_BROKEN',
          `use the backup "${path}"`,
          `its table "${table.table}" has the wrong form`,
        );
      const columns = table.columns.map((name) => `"${name}"`).join(', ');
      const copy = client.query(copyStreams.from(`COPY "${table.table}" (${columns}) FROM STDIN`));
      await pipeline(Readable.from(rows), copy);
    },
  });
  for (const { table } of expected) await client.query(`ALTER TABLE "${table}" ENABLE TRIGGER USER`);
  await advanceNumbers(client);
}

/** Returns whether both have the same columns. Their order depends on the versions that a ledger went through. */
function isSame(one: BackupTable, other: BackupTable): boolean {
  return (
    one.table === other.table && JSON.stringify(one.columns.toSorted()) === JSON.stringify(other.columns.toSorted())
  );
}

/** Advances the sequences past the numbers already used. */
async function advanceNumbers(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT c.relname::text AS table, a.attname::text AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'paydrop'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
       AND pg_get_serial_sequence('paydrop.' || quote_ident(c.relname), a.attname) IS NOT NULL`,
  );
  for (const { table, column } of rows) {
    await client.query(
      `SELECT setval(pg_get_serial_sequence('paydrop."${table}"', '${column}'), max("${column}"))
       FROM "${table}" HAVING max("${column}") IS NOT NULL`,
    );
  }
}

/**
 * Closes a restored ledger, so that every sending host has to report, and copies the calls and senders that the
 * replaced ledger knows. So no call is lost with a send journal that is gone or on another host.
 * @param aside schema of the replaced ledger; undefined when there was none
 * @returns what was recalled for each account; these accounts are stopped
 */
async function takeOver(tx: Transaction, aside: string | undefined): Promise<Recalled[]> {
  if (aside !== undefined) await takeOverSenders(tx, aside);
  if (aside !== undefined) await takeOverAddresses(tx, aside);
  // Overrides what the backup says: the restored ledger is neither open nor new.
  await tx.client.query(
    `UPDATE admission SET is_open = false, made_in = '-infinity', closing = gen_random_uuid(), since = ${tx.databaseNow},
       closing_epoch = greatest(epoch, closing_epoch${aside === undefined ? '' : `, (SELECT greatest(epoch, closing_epoch) FROM ${aside}.admission)`}) + 1`,
  );
  return aside === undefined ? [] : recallEntries(tx, await readCalls(tx, aside), 'ledger that was here before');
}

/** Copies the senders; the newer entry wins. The replaced ledger stays closed, even under another name. */
async function takeOverSenders({ client }: Transaction, aside: string): Promise<void> {
  await client.query(
    `INSERT INTO sender AS here (journal, name, state, epoch, actor, reason)
       SELECT journal, name, state, epoch, actor, reason FROM ${aside}.sender WHERE epoch > 0
     ON CONFLICT (journal) DO UPDATE SET name = excluded.name, state = excluded.state, epoch = excluded.epoch,
       actor = excluded.actor, reason = excluded.reason WHERE excluded.epoch >= here.epoch`,
  );
  await client.query(`UPDATE ${aside}.admission SET is_open = false, closing = gen_random_uuid()`);
}

/** Copies what users have said of addresses since: a service that moved is still the same one. */
async function takeOverAddresses({ client }: Transaction, aside: string): Promise<void> {
  await client.query(
    `INSERT INTO merchant_address (mark, merchant_no, server, address, since, actor, reason)
       SELECT gone.mark, here.merchant_no, gone.server, gone.address, gone.since, gone.actor, gone.reason
       FROM ${aside}.merchant_address gone JOIN ${aside}.merchant_address also USING (merchant_no)
       JOIN merchant_address here ON here.mark = also.mark
     ON CONFLICT (mark) DO NOTHING`,
  );
}

/** Returns the calls that may have left. */
async function readCalls(tx: Transaction, aside: string): Promise<JournalEntry[]> {
  type Call = Omit<JournalEntry, 'at' | 'call' | 'rowSet'> & { at: Date; call: string | null; rowSet: string | null };
  const markOf = (row: string) =>
    `(SELECT p.mark FROM ${aside}.merchant_address p WHERE p.merchant_no = ${row}.merchant_no ORDER BY p.since LIMIT 1)`;
  const { rows } = await tx.client.query<Call>(
    `SELECT a.started_at AS at, b.account, a.file_id AS "fileId", a.batch_no AS "batchNo", a.attempt,
            b.body_sha256 AS sha256, a.call, s.row_set AS "rowSet", ${markOf('b')} AS merchant
     FROM ${aside}.attempt a JOIN ${aside}.batch b USING (file_id, batch_no)
       LEFT JOIN ${aside}.file_secret s USING (file_id) WHERE a.verdict IS DISTINCT FROM 'not_sent'
     UNION ALL
     SELECT at, account, file_id, batch_no, attempt, sha256, call, row_set, ${markOf('g')} FROM ${aside}.forgotten_send g
     ORDER BY at`,
  );
  return rows.map(({ at, call, rowSet, ...entry }) => ({
    ...entry,
    at: at.toISOString(),
    ...(call !== null && { call }),
    ...(rowSet !== null && { rowSet }),
  }));
}
