import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import type { Pool } from 'pg';
import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { openTestPool, startTestPostgres } from '../../support/postgres.ts';

const MIGRATIONS = new URL('../../../src/ledger/migrations/', import.meta.url);

/** Names of before, and what they are now. */
const RENAMED: readonly (readonly [string, string])[] = [
  ['row_print_by_print', 'row_fingerprint_by_fingerprint'],
  ['row_print', 'row_fingerprint'],
  ['desk_session', 'user_session'],
  ['desk_view', 'saved_view'],
  ['half_log_in', 'pending_log_in'],
  ['journal_report', 'transaction_report'],
  ['prints_written_once', 'fingerprints_written_once'],
  ['prints_dropped_late', 'fingerprints_dropped_late'],
  ['refuse_early_drop', 'refuse_early_fingerprint_loss'],
  ['refuse_loss', 'refuse_row_loss'],
  ['refuse_archived', 'refuse_change_of_archived'],
  ['refuse_new_key', 'refuse_key_after_end'],
  ['| print |', '| fingerprint |'],
  ['volume, print', 'volume, fingerprint'],
  ['api_token | deeds', 'api_token | actions'],
  ['reprocess_item | says', 'reprocess_item | explanation'],
  ['says IS NULL', 'explanation IS NULL'],
  ['look_ahead | looker', 'look_ahead | asked_by'],
];

/**
 * What only one of the two has, as the beginning of a line. Counters of wrong passwords by name alone were for versions
 * before; the move "only-added-to" kept these from a newer ledger; and the end of a chain is returned in columns, so that
 * a function depends on no table. The text that an index sorts compares bytes in an embedded database, too.
 */
const ONLY_BEFORE =
  /^(column person \| (failures|locked_until) |move version |function (append_audit|lock_audit_chain) )/;
const ONLY_NOW = /^function (append_audit|lock_audit_chain) /;

const CATALOG = `
  SELECT 'table ' || concat_ws(' | ', relname, relkind, reloptions::text) AS line FROM pg_class
  WHERE relnamespace = 'paydrop'::regnamespace AND relkind IN ('r', 'v')
  UNION ALL SELECT 'column ' || concat_ws(' | ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
      a.attidentity, a.attstorage, a.attstattarget, pg_get_expr(d.adbin, d.adrelid))
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'paydrop'::regnamespace AND c.relkind IN ('r', 'v') AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT 'constraint ' || concat_ws(' | ', conrelid::regclass, contype, pg_get_constraintdef(oid))
    FROM pg_constraint WHERE connamespace = 'paydrop'::regnamespace AND contype <> 'n'
  UNION ALL SELECT 'index ' || indexdef FROM pg_indexes WHERE schemaname = 'paydrop'
  UNION ALL SELECT 'trigger ' || pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = 'paydrop'::regnamespace AND NOT t.tgisinternal
  UNION ALL SELECT 'function ' || p.proname || ' ' || pg_get_functiondef(p.oid) FROM pg_proc p
    WHERE p.pronamespace::regnamespace::text ~ '^paydrop(_f_|$)'
  UNION ALL SELECT 'view ' || viewname || ' ' || definition FROM pg_views WHERE schemaname = 'paydrop'
  UNION ALL SELECT 'sequence ' || concat_ws(' | ', sequencename, start_value, min_value, increment_by, cache_size, last_value)
    FROM pg_sequences WHERE schemaname = 'paydrop'
  UNION ALL SELECT 'move ' || concat_ws(' | ', entity, from_state, to_state, name) FROM legal_move`;

async function readCatalog(pool: Pool, renames: typeof RENAMED = []): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(CATALOG);
  return rows.map(({ line }) => {
    const renamed = renames.reduce((text, [before, now]) => text.replaceAll(before, now), line);
    return renamed
      .replaceAll(/\bpaydrop(_f_\w+)?\./g, '')
      .replaceAll(/ COLLATE "C"/g, '')
      .replaceAll(/\s+/g, ' ');
  });
}

it('the tables, rules and functions are those that 51 migrations made, but for what is listed', async () => {
  const [before, now] = [await startTestPostgres({ schema: 'empty' }), await startTestPostgres({ schema: 'empty' })];
  const pools = [before, now].map(({ url }) =>
    openTestPool({ connectionString: url, options: '-c search_path=paydrop -c paydrop.adds_moves=on' }),
  );
  try {
    const files = (await readdir(MIGRATIONS)).sort();
    const texts = await Promise.all(files.map((name) => readFile(new URL(name, MIGRATIONS), 'utf8')));
    const makesTable = 'CREATE TABLE migration (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());';
    await pools[0]!.query(['CREATE SCHEMA paydrop;', makesTable, ...texts].join('\n'));
    await (await openLedger({ url: now.url }, { clock: systemClock, log: silentLog() })).close();
    const moves = await pools[1]!.query('SELECT * FROM legal_move');
    for (const { entity, from_state, to_state, name } of moves.rows)
      await pools[0]!.query('INSERT INTO legal_move VALUES ($1, $2, $3, $4)', [entity, from_state, to_state, name]);
    const [old, present] = [await readCatalog(pools[0]!, RENAMED), await readCatalog(pools[1]!)];
    expect(old.filter((line) => !present.includes(line) && !ONLY_BEFORE.test(line))).toEqual([]);
    expect(present.filter((line) => !old.includes(line) && !ONLY_NOW.test(line))).toEqual([]);
  } finally {
    for (const pool of pools) await pool.end();
    await before.stop();
    await now.stop();
  }
});
