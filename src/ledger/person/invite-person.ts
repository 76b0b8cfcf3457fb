import { PERSON_NAME, type PersonRole } from '../../../schemas/actions.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { transact, type Transaction, violates } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';
import { revokeAllTokens } from './api-tokens.ts';
import { removeFactor } from './second-factor.ts';
import { forgetBrowsers, forgetFailures } from './log-in-failures.ts';
import { AHEAD_MS } from './sessions.ts';

/** A link that works once, by the hash of its secret. */
export type NewLink = { readonly tokenHash: Buffer; readonly expiresAt: Date };

/**
 * Adds a user, who may use the dashboard after following the link and choosing a password.
 * @throws PipelineError USAGE when the name is invalid or taken
 */
export async function invitePerson(
  ledger: Ledger,
  person: { name: string; role: PersonRole },
  link: NewLink,
  because: AuditReason,
): Promise<void> {
  const { name, role } = person;
  const action = `invite "${name}"`;
  mustBeName(name, action);
  await transact(ledger, async (tx) => {
    await addPerson(tx, person, {}).catch((error: unknown) => {
      if (violates(error, 'person_pkey')) throw new PipelineError('USAGE', action, 'a user with that name exists');
      throw error;
    });
    await addLink(tx, name, link);
    tx.audit({ ...because, move: 'invite-person', isTimed: true, evidence: { person: name, role } });
  });
}

/**
 * Issues a new link to a user who lost their password or first link. The old login works until the link is used.
 * @throws PipelineError NOT_FOUND
 */
export async function inviteAgain(ledger: Ledger, name: string, link: NewLink, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query('SELECT 1 FROM person WHERE name = $1 AND disabled_at IS NULL', [name]);
    if (rowCount === 0) throw noSuchPerson(`make a link for "${name}"`);
    await addLink(tx, name, link);
    tx.audit({ ...because, move: 'invite-person-again', isTimed: true, evidence: { person: name } });
  });
}

/** Says that no user who may log in has the name. */
export function noSuchPerson(action: string): PipelineError {
  return new PipelineError('NOT_FOUND', action, 'no active user has that name', {
    next: 'See the page Users, or "paydrop users list".',
  });
}

/** Issues the link that creates the first administrator, who chooses a name when following it. */
export async function offerSetUp(ledger: Ledger, link: NewLink, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await addLink(tx, null, link);
    tx.audit({ ...because, move: 'offer-set-up', isTimed: true });
  });
}

function mustBeName(name: string, action: string): void {
  if (PERSON_NAME.test(name)) return;
  const next = 'Use lowercase letters, digits, dots, hyphens and underscores; begin with a letter or a digit.';
  throw new PipelineError('USAGE', action, 'that is not a valid user name', { next });
}

/** @param proof what identifies the user; empty until they have chosen it */
async function addPerson(
  tx: Transaction,
  { name, role }: { name: string; role: PersonRole },
  { password = null, subject = null }: { password?: string | null; subject?: string | null },
): Promise<void> {
  await tx.client.query('INSERT INTO person (name, role, password, subject, made_at) VALUES ($1, $2, $3, $4, $5)', [
    name,
    role,
    password,
    subject,
    tx.at,
  ]);
}

/**
 * Adds a link and ends older ones of the same user, so that at most one works. Set-up links, which have no user, stay.
 */
async function addLink(tx: Transaction, person: string | null, { tokenHash, expiresAt }: NewLink): Promise<void> {
  await tx.client.query('UPDATE person_link SET used_at = $2 WHERE person = $1 AND used_at IS NULL', [person, tx.at]);
  await tx.client.query('INSERT INTO person_link (token_hash, person, made_at, expires_at) VALUES ($1, $2, $3, $4)', [
    tokenHash,
    person,
    tx.at,
    expiresAt,
  ]);
}

/** Returns the latest creation time of a valid link. A later one comes from a wrong clock and would work too long. */
function latest(now: Date): Date {
  return new Date(now.getTime() + AHEAD_MS);
}

/** Whom a link is for; null for the first administrator, who has no name yet. */
export type LinkFor = { readonly person: string | null };

/** Returns whom a link is for, without using it; undefined when it was used, has expired or never existed. */
export async function readLink(ledger: Ledger, tokenHash: Buffer): Promise<LinkFor | undefined> {
  const { rows } = await ledger.pool.query<LinkFor>(
    'SELECT person FROM person_link WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 AND made_at < $3',
    [tokenHash, ledger.clock.now(), latest(ledger.clock.now())],
  );
  return rows[0];
}

/** What identifies a user from now on: the hash of a password, or their identity at an OpenID provider. */
type ProofOfPerson = { readonly password: string } | { readonly subject: string };

/**
 * Uses up a link after its user chose how to log in. The set-up link creates the first administrator, if there is no
 * user yet. Open sessions and API tokens end, because the link may replace a stolen password.
 * @param name the user's chosen name; only the set-up link needs it
 * @returns the user's name
 * @throws PipelineError USAGE when the link no longer works, the name is invalid, or another user has that subject
 */
export async function usePersonLink(
  ledger: Ledger,
  tokenHash: Buffer,
  { name = '', ...proof }: { name?: string } & ProofOfPerson,
): Promise<string> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<LinkFor>(
      `UPDATE person_link SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 AND made_at < $3
       RETURNING person`,
      [tokenHash, tx.at, latest(tx.at)],
    );
    if (!rows[0]) throw worksNoMore();
    const { person } = rows[0];
    return person === null ? makeFirst(tx, name, proof) : proveAnew(tx, person, proof);
  });
}

async function proveAnew(tx: Transaction, person: string, proof: ProofOfPerson): Promise<string> {
  // The old password ends in any case: it may be stolen, and its second factor ends below.
  const { password, subject } = { password: null, subject: null, ...proof };
  const sql = `UPDATE person SET password = $2, subject = coalesce($3, subject) WHERE name = $1 AND disabled_at IS NULL`;
  const column = subject === null ? 'password' : 'subject';
  const { rowCount } = await tx.client.query(sql, [person, password, subject]).catch((error: unknown) => {
    if (!violates(error, 'person_subject_key')) throw error;
    throw new PipelineError('USAGE', `link this log-in to "${person}"`, 'another user already has this log-in');
  });
  if (rowCount === 0) throw worksNoMore();
  await tx.client.query('DELETE FROM user_session WHERE person = $1', [person]);
  await forgetBrowsers(tx, person);
  await forgetFailures(tx, person);
  await removeFactor(tx, person);
  const tokens = await revokeAllTokens(tx, person);
  const reason = 'followed the link that was sent';
  tx.audit({ actor: `operator:${person}`, move: `choose-${column}`, reason, evidence: { tokens } });
  return person;
}

async function makeFirst(tx: Transaction, name: string, proof: ProofOfPerson): Promise<string> {
  // Held until the end, so that two users of the set-up link cannot both become the first.
  await tx.client.query('LOCK TABLE person IN SHARE ROW EXCLUSIVE MODE');
  const { rowCount: others } = await tx.client.query('SELECT 1 FROM person LIMIT 1');
  if (others !== 0) throw worksNoMore();
  mustBeName(name, 'set up the dashboard');
  await addPerson(tx, { name, role: 'admin' }, proof);
  const evidence = { person: name, role: 'admin' };
  tx.audit({
    actor: `operator:${name}`,
    move: 'set-up-desk',
    isTimed: true,
    reason: 'followed the set-up link',
    evidence,
  });
  return name;
}

function worksNoMore(): PipelineError {
  return new PipelineError('USAGE', 'use the link', 'it was already used, or it has expired', {
    next: 'Ask an administrator of the dashboard for a new one; for the first, run "paydrop users set-up".',
  });
}
