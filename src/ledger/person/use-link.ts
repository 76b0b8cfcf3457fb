import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact, violates } from '../engine/transaction.ts';
import { addPerson, mustBeName } from './invite-person.ts';
import { AHEAD_MS } from './sessions.ts';

/** A link from the future was made by a clock that was wrong, and would work for as long as it was ahead. */
function latest(now: Date): Date {
  return new Date(now.getTime() + AHEAD_MS);
}

/** Whom a link is for; null for the first administrator, who is not known yet. */
export type LinkFor = { readonly person: string | null };

/** What a link would do, without using it; undefined when it was used, has expired or never was. */
export async function readLink(ledger: Ledger, tokenHash: Buffer): Promise<LinkFor | undefined> {
  const { rows } = await ledger.pool.query<LinkFor>(
    'SELECT person FROM person_link WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 AND made_at < $3',
    [tokenHash, ledger.clock.now(), latest(ledger.clock.now())],
  );
  return rows[0];
}

/** What a person is recognised by from now on: the hash of a password, or who he is at an OpenID provider. */
export type ProofOfPerson = { readonly password: string } | { readonly subject: string };

/**
 * Uses a link up: whoever follows it has chosen how he logs in. With the set-up link he becomes the first administrator, as
 * long as there is nobody. Sessions that were open end, for the link may stand for a password that somebody stole.
 * @param name whom he says he is; only the set-up link asks
 * @returns the person
 * @throws PipelineError USAGE when the link works no more, the name cannot be one, or another has that subject
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
  // The column is one of two words of ours.
  const [column, value] = 'password' in proof ? ['password', proof.password] : ['subject', proof.subject];
  const { rowCount } = await tx.client
    .query(
      `UPDATE person SET ${column} = $2, failures = 0, locked_until = NULL WHERE name = $1 AND disabled_at IS NULL`,
      [person, value],
    )
    .catch((error: unknown) => {
      if (!violates(error, 'person_subject_key')) throw error;
      throw new PipelineError('USAGE', `let "${person}" log in so`, 'somebody else here logs in as the same person');
    });
  if (rowCount === 0) throw worksNoMore();
  await tx.client.query('DELETE FROM desk_session WHERE person = $1', [person]);
  const reason = 'followed the link that was sent';
  tx.audit({ actor: `operator:${person}`, move: `choose-${column}`, reason });
  return person;
}

async function makeFirst(tx: Transaction, name: string, proof: ProofOfPerson): Promise<string> {
  // Held until the end: two who follow the set-up link at once do not both become the first.
  await tx.client.query('LOCK TABLE person IN SHARE ROW EXCLUSIVE MODE');
  const { rowCount: others } = await tx.client.query('SELECT 1 FROM person LIMIT 1');
  if (others !== 0) throw worksNoMore();
  mustBeName(name, 'set up the desk');
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
  return new PipelineError('USAGE', 'use the link', 'it was used, or its time is over', {
    next: 'Ask whoever runs the desk for a new one; for the first, run "paydrop people set-up".',
  });
}
