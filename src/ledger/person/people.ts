import type { PersonRole } from '../../../schemas/actions.ts';
import type { Ledger } from '../engine/open-ledger.ts';

/** A dashboard user, without credentials. */
export type Person = {
  readonly name: string;
  readonly role: PersonRole;
  readonly hasPassword: boolean;
  readonly subject: string | null;
  /** Places that must wait after wrong passwords for this name. */
  readonly waitingPlaces: number;
  readonly madeAt: Date;
  readonly disabledAt: Date | null;
  readonly seenAt: Date | null;
};

/** Returns all dashboard users by name, those shut out last. */
export async function listPeople(ledger: Ledger): Promise<Person[]> {
  const { rows } = await ledger.pool.query<Person>(
    `SELECT name, role, password IS NOT NULL AS "hasPassword", subject, made_at AS "madeAt", disabled_at AS "disabledAt",
            (SELECT count(*) FROM log_in_failure WHERE bucket = name_bucket(name) AND wait_until > $1) AS "waitingPlaces",
            (SELECT max(seen_at) FROM desk_session WHERE person = name) AS "seenAt"
     FROM person ORDER BY disabled_at IS NOT NULL, name`,
    [ledger.clock.now()],
  );
  return rows;
}

/** Returns whether there is no dashboard user yet, so that a set-up link is due. */
export async function isDashboardNew(ledger: Ledger): Promise<boolean> {
  const { rowCount } = await ledger.pool.query('SELECT 1 FROM person LIMIT 1');
  return rowCount === 0;
}

/** What a login is checked against. */
export type Credentials = {
  readonly name: string;
  readonly password: string | null;
};

/** Returns undefined when no user of that name may log in. */
export async function readCredentials(ledger: Ledger, name: string): Promise<Credentials | undefined> {
  const { rows } = await ledger.pool.query<Credentials>(
    'SELECT name, password FROM person WHERE name = $1 AND disabled_at IS NULL',
    [name],
  );
  return rows[0];
}

/** Returns the user with this OpenID Connect identity; undefined when there is none who may log in. */
export async function findBySubject(ledger: Ledger, subject: string): Promise<{ name: string } | undefined> {
  const { rows } = await ledger.pool.query<{ name: string }>(
    'SELECT name FROM person WHERE subject = $1 AND disabled_at IS NULL',
    [subject],
  );
  return rows[0];
}
