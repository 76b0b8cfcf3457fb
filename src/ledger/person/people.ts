import type { PersonRole } from '../../../schemas/actions.ts';
import type { AlarmKind } from '../../../schemas/alarms.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact } from '../engine/transaction.ts';

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
            (SELECT max(seen_at) FROM user_session WHERE person = name) AS "seenAt"
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

/** How pages look for a user, and what they are told. What is missing is as for all. */
export type PersonSettings = {
  readonly timeZone?: string;
  readonly density?: 'compact';
  readonly theme?: 'light' | 'dark';
  /** Path of the page after the log-in. */
  readonly start?: string;
  readonly notify?: NotifyRule;
};

/** Keeps how pages look for a user, from their next click on. What they are told by mail stays. */
export async function saveSettings(
  { pool }: Ledger,
  name: string,
  settings: Omit<PersonSettings, 'notify'>,
): Promise<void> {
  await pool.query(
    `UPDATE person SET settings = $2::jsonb || jsonb_strip_nulls(jsonb_build_object('notify', settings -> 'notify'))
     WHERE name = $1`,
    [name, JSON.stringify(settings)],
  );
}

/** What a user is told by mail. Nothing is sent before they have confirmed the address. */
export type NotifyRule = {
  readonly mail: string;
  readonly kinds: readonly AlarmKind[];
  /** Empty for all. */
  readonly accounts: readonly string[];
  /** Time of a daily mail, such as `07:00`. */
  readonly digest?: string;
  /** What the link that confirms the address is checked against, until it is used. */
  readonly confirm?: { readonly tokenHash: string; readonly expiresAt: string };
};

/** Keeps what a user is told by mail; undefined for nothing. */
export async function saveNotifyRule({ pool }: Ledger, name: string, rule: NotifyRule | undefined): Promise<void> {
  await pool.query(
    `UPDATE person SET settings = (settings - 'notify') || jsonb_strip_nulls(jsonb_build_object('notify', $2::jsonb))
     WHERE name = $1`,
    [name, rule === undefined ? null : JSON.stringify(rule)],
  );
}

/** Confirms the address of a user by the token of their link. @returns false when it is not, or no longer, the one */
export async function confirmMail(ledger: Ledger, { name, tokenHash }: { name: string; tokenHash: string }) {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ mail: string }>(
      `UPDATE person SET settings = settings #- '{notify,confirm}'
       WHERE name = $1 AND settings #>> '{notify,confirm,tokenHash}' = $2
         AND settings #>> '{notify,confirm,expiresAt}' > $3
       RETURNING settings #>> '{notify,mail}' AS mail`,
      [name, tokenHash, tx.at.toISOString()],
    );
    if (!rows[0]) return false;
    const evidence = { person: name, domain: rows[0].mail.split('@').at(-1) };
    tx.audit({ actor: `operator:${name}`, move: 'confirm-mail', reason: 'by the link in it', evidence });
    return true;
  });
}

/** Returns what users with a confirmed address are told by mail, without those who are shut out. */
export async function listNotifyRules({ pool }: Ledger): Promise<{ name: string; rule: NotifyRule }[]> {
  const { rows } = await pool.query<{ name: string; rule: NotifyRule }>(
    `SELECT name, settings -> 'notify' AS rule FROM person
     WHERE disabled_at IS NULL AND settings ? 'notify' AND NOT settings -> 'notify' ? 'confirm' ORDER BY name`,
  );
  return rows;
}

/** Where the work of a role begins, if not on the first page of all. */
const START_OF: Partial<Record<PersonRole, string>> = { operator: '/queue', approver: '/approvals' };

/** Returns where a user begins after the log-in: on the page that they chose, otherwise on that of their role. */
export async function readStartPage({ pool }: Ledger, name: string): Promise<string> {
  const { rows } = await pool.query<{ role: PersonRole; start: string | null }>(
    `SELECT role, settings ->> 'start' AS start FROM person WHERE name = $1`,
    [name],
  );
  const [found] = rows;
  return found?.start ?? START_OF[found?.role ?? 'viewer'] ?? '/';
}

/** A filter and an order of a list that a user keeps by a name. */
export type SavedView = {
  readonly viewNo: number;
  readonly person: string;
  readonly name: string;
  /** As in the address of the page. */
  readonly query: string;
  readonly isShared: boolean;
};

/** Most views of a user. */
const MOST_VIEWS = 50;

/** Returns the views of a list that a user sees: their own, and those that others share; by name. */
export async function listViews({ pool }: Ledger, person: string, page: string): Promise<SavedView[]> {
  const { rows } = await pool.query<SavedView>(
    `SELECT view_no AS "viewNo", person, name, query, is_shared AS "isShared" FROM saved_view
     WHERE page = $2 AND (person = $1 OR is_shared) ORDER BY person <> $1, lower(name), view_no LIMIT 100`,
    [person, page],
  );
  return rows;
}

/**
 * Keeps a view. One of the same name is replaced.
 * @throws PipelineError USAGE for more than fifty of a user
 */
export async function saveView(
  { pool, clock }: Ledger,
  { person, page, name, query, isShared }: Omit<SavedView, 'viewNo'> & { page: string },
): Promise<void> {
  const { rowCount } = await pool.query(
    `INSERT INTO saved_view (person, page, name, query, is_shared, made_at)
     SELECT $1, $2, $3, $4, $5, $6 WHERE (SELECT count(*) FROM saved_view WHERE person = $1) < $7
     ON CONFLICT (person, page, name) DO UPDATE SET query = $4, is_shared = $5, made_at = $6`,
    [person, page, name, query, isShared, clock.now(), MOST_VIEWS],
  );
  if (rowCount !== 0) return;
  const next = 'Remove one that you no longer use.';
  throw new PipelineError('USAGE', `save the view "${name}"`, `you have ${MOST_VIEWS} views`, { next });
}

/** Removes a view of a user; one of others stays. */
export async function removeView({ pool }: Ledger, person: string, viewNo: number): Promise<void> {
  await pool.query('DELETE FROM saved_view WHERE view_no = $1 AND person = $2', [viewNo, person]);
}

/** Stands for when a user was seen, which only open sessions show. */
export function sayUnseen({ hasPassword, subject }: Person): string {
  return hasPassword || subject ? 'not logged in' : 'never';
}
