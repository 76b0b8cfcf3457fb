import type { Pool } from 'pg';

/** All rows of a ledger at one moment, and the last values of its sequences. */
export type LedgerCopy = { readonly rows: string; readonly sequences: string };

/** Copies a ledger as pg_basebackup, a disk snapshot or a lagging replica would. */
export async function copyLedger(pool: Pool): Promise<LedgerCopy> {
  const { rows } = await pool.query<LedgerCopy>('SELECT * FROM public.copy_ledger()');
  return rows[0]!;
}

/** Replaces the present rows with those of a copy, and begins another run of the server, as each start does. */
export async function putLedger(pool: Pool, { rows, sequences }: LedgerCopy): Promise<void> {
  await pool.query('SELECT public.put_ledger($1, $2)', [rows, sequences]);
}

/** Does to a ledger what a restart of its server does. */
export async function restartServer(pool: Pool): Promise<void> {
  await pool.query('SELECT public.begin_other_run()');
}

/**
 * Functions outside the ledger's schema, so that they are not copied with it. Writes run without triggers, including
 * those of foreign keys. The server's start time cannot be set, so the recorded run moves back by a second each time.
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
