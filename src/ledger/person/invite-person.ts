import type { PersonRole } from '../../../schemas/actions.ts';
import { PERSON_NAME } from '../../../schemas/actions.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact, violates } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

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
      if (violates(error, 'person_pkey')) throw new PipelineError('USAGE', action, 'there is one of that name');
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
    if (rowCount === 0) throw new PipelineError('NOT_FOUND', `invite "${name}" again`);
    await addLink(tx, name, link);
    tx.audit({ ...because, move: 'invite-person-again', isTimed: true, evidence: { person: name } });
  });
}

/** Issues the link that creates the first administrator, who chooses a name when following it. */
export async function offerSetUp(ledger: Ledger, link: NewLink, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await addLink(tx, null, link);
    tx.audit({ ...because, move: 'offer-set-up', isTimed: true });
  });
}

/** @throws PipelineError USAGE */
export function mustBeName(name: string, action: string): void {
  if (PERSON_NAME.test(name)) return;
  const next = 'Use small letters, digits, points, dashes and underscores; begin with a letter or a digit.';
  throw new PipelineError('USAGE', action, 'that is no name for a person here', { next });
}

/** @param proof what identifies the user; empty until they have chosen it */
export async function addPerson(
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
