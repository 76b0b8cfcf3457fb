import type { Pool } from 'pg';

/** All rows of a ledger at one moment, and the numbers that its sequences had given. */
export type LedgerCopy = { readonly rows: string; readonly sequences: string };

/** As pg_basebackup, a snapshot of a disk or a replica that lags would have it. */
export async function copyLedger(pool: Pool): Promise<LedgerCopy> {
  const { rows } = await pool.query<LedgerCopy>('SELECT * FROM public.copy_ledger()');
  return rows[0]!;
}

/** Puts the rows of a copy in the place of those that are there. It is another run of a server, as each start is. */
export async function putLedger(pool: Pool, { rows, sequences }: LedgerCopy): Promise<void> {
  await pool.query('SELECT public.put_ledger($1, $2)', [rows, sequences]);
}

/** What a restart of the server does to a ledger. */
export async function restartServer(pool: Pool): Promise<void> {
  await pool.query('SELECT public.begin_other_run()');
}

/**
 * Beside the schema of the ledger, so that it is not copied itself. Triggers are off, those of foreign keys as well. The start
 * of the server cannot be set, so the row that was true for a run is moved away from it instead, by a second each time.
 */
export const COPYING = `
CREATE FUNCTION public.begin_other_run() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica AS $$
BEGIN
  UPDATE paydrop.admission SET run_started = run_started - interval '1 s', made_in = made_in - interval '1 s';
END $$;

CREATE FUNCTION public.copy_ledger(OUT rows text, OUT sequences text) LANGUAGE plpgsql AS $$
DECLARE
  parts text;
BEGIN
  SELECT string_agg(format('jsonb_build_object(%L, (SELECT jsonb_agg(to_jsonb(t)) FROM paydrop.%I t))', tablename, tablename), ' || ')
    INTO parts FROM pg_tables WHERE schemaname = 'paydrop' AND tablename <> ALL (ARRAY['migration', 'legal_move']);
  SELECT 'jsonb_build_object(' || string_agg(format('%L, (SELECT last_value FROM paydrop.%I)', sequencename, sequencename), ', ') || ')'
    INTO sequences FROM pg_sequences WHERE schemaname = 'paydrop';
  EXECUTE format('SELECT %s, %s', parts, sequences) INTO rows, sequences;
END $$;

CREATE FUNCTION public.put_ledger(p_rows text, p_sequences text) RETURNS void
LANGUAGE plpgsql SET session_replication_role = replica SET lock_timeout = '5s' AS $$
DECLARE
  part record;
BEGIN
  FOR part IN SELECT key, value FROM jsonb_each(p_rows::jsonb) LOOP
    EXECUTE format('DELETE FROM paydrop.%I', part.key);
    IF part.value <> 'null' THEN
      EXECUTE format('INSERT INTO paydrop.%1$I OVERRIDING SYSTEM VALUE SELECT * FROM jsonb_populate_recordset(NULL::paydrop.%1$I, $1)',
                     part.key) USING part.value;
    END IF;
  END LOOP;
  FOR part IN SELECT key, value FROM jsonb_each_text(p_sequences::jsonb) LOOP
    PERFORM setval(format('paydrop.%I', part.key)::regclass, part.value::bigint);
  END LOOP;
  PERFORM public.begin_other_run();
END $$;
`;
