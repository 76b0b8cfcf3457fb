import { isAlive } from '../engine/instance.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A process with workers, and the configuration that it uses. */
export type RunningProcess = {
  readonly instance: string;
  readonly site: string;
  /** When its paydrop.yaml was last changed; null when it did not read one. */
  readonly settingsAt: Date | null;
  /** Hash of each section of it. */
  readonly sections: Readonly<Record<string, string>>;
  /** Sections that were changed in the file since, and take effect with a restart. */
  readonly waits: readonly string[];
  /** When the file with these sections, or with the fault, was changed. */
  readonly changedAt: Date | null;
  /** Why the changed file cannot be used. */
  readonly fault: string | null;
};

/** Records what this process uses now. It writes nothing when the ledger knows that. */
export async function noteProcess(
  { pool, instance }: Ledger,
  { roles, beganAt, ...used }: Omit<RunningProcess, 'instance'> & { roles: readonly string[]; beganAt: Date },
): Promise<void> {
  await pool.query(
    `INSERT INTO running_settings AS p (instance, site, roles, began_at, settings_at, sections, waits, changed_at, fault)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (instance) DO UPDATE SET settings_at = excluded.settings_at, sections = excluded.sections,
       waits = excluded.waits, changed_at = excluded.changed_at, fault = excluded.fault
     WHERE (p.settings_at, p.sections, p.waits, p.changed_at, p.fault) IS DISTINCT FROM
       (excluded.settings_at, excluded.sections, excluded.waits, excluded.changed_at, excluded.fault)`,
    [
      instance.id,
      used.site,
      roles,
      beganAt,
      used.settingsAt,
      JSON.stringify(used.sections),
      used.waits,
      used.changedAt,
      used.fault,
    ],
  );
}

/** Removes the rows of processes that have died. */
export async function forgetDeadProcesses({ pool }: Ledger): Promise<void> {
  await pool.query(`DELETE FROM running_settings p WHERE NOT ${isAlive('p.instance')}`);
}

/** Removes this process, which stops. */
export async function forgetThisProcess({ pool, instance }: Ledger): Promise<void> {
  await pool.query('DELETE FROM running_settings WHERE instance = $1', [instance.id]);
}

/** Returns the processes that live, the oldest first. */
export async function listRunningProcesses({ pool }: Pick<Ledger, 'pool'>): Promise<RunningProcess[]> {
  const { rows } = await pool.query<RunningProcess>(
    `SELECT instance, site, settings_at AS "settingsAt", sections, waits, changed_at AS "changedAt", fault
     FROM running_settings p WHERE ${isAlive('p.instance')} ORDER BY began_at, instance`,
  );
  return rows;
}
