import type { Role } from '../../../schemas/jobs.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** Without a sign of life for this long, in ms, a process counts as gone. A restart takes less. */
export const SILENT_MS = 120_000;

/** Processes of one site that have, or had, a role. Ages are by the clock of the database. */
export type RolePresence = {
  readonly site: string;
  readonly role: Role;
  /** False for processes that end by themselves (`paydrop run --once`). */
  readonly stays: boolean;
  /** How many give signs of life. */
  readonly living: number;
  /** The last sign of life, its age in ms and its host. */
  readonly seenAt: Date;
  readonly silentMs: number;
  readonly host: string;
  /** How long ago the drop folder was listed that the living processes listed least recently; null without any. */
  readonly listedMs: number | null;
};

export type Presences = {
  readonly roles: readonly RolePresence[];
  /** How long ago the first process on record started, in ms; null when none ever did. */
  readonly begunMs: number | null;
  /** How long this process has been joined without a break, in ms. */
  readonly joinedMs: number;
};

/** Reads which processes give signs of life. A sign from the future was given before a clock was set back: it proves nothing. */
export async function readPresences({ pool, instance, databaseNow }: Ledger): Promise<Presences> {
  const now = databaseNow();
  const isNear = `seen_at > ${now} - interval '${SILENT_MS} ms'`;
  const ageOf = (moment: string) => `(extract(epoch FROM ${now} - ${moment}) * 1000)::float8`;
  const { rows } = await pool.query<{ begunMs: number | null; joinedMs: number; roles: RolePresenceJson[] }>(
    `SELECT (SELECT ${ageOf('min(started_at)')} FROM process) AS "begunMs", ${ageOf('$1::timestamptz')} AS "joinedMs",
            coalesce((SELECT jsonb_agg(r) FROM (
              SELECT site, role, stays, (count(*) FILTER (WHERE ${isNear}))::int AS living, max(seen_at) AS "seenAt",
                     ${ageOf('max(seen_at)')} AS "silentMs", (array_agg(host ORDER BY seen_at DESC))[1] AS host,
                     ${ageOf(`min(listed_at) FILTER (WHERE ${isNear})`)} AS "listedMs"
              FROM process CROSS JOIN unnest(roles) role
              WHERE seen_at <= ${now} + interval '${SILENT_MS} ms'
              GROUP BY site, role, stays) r), '[]') AS roles`,
    [instance.joinedAt()],
  );
  const { roles, ...ages } = rows[0]!;
  return { ...ages, roles: roles.map((role) => ({ ...role, seenAt: new Date(role.seenAt) })) };
}

type RolePresenceJson = Omit<RolePresence, 'seenAt'> & { seenAt: string };
