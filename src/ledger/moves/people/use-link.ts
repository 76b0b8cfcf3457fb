import { PERSON_NAME } from '../../../../schemas/desk.ts';
import { PipelineError } from '../../../kernel/errors.ts';
import type { Ledger } from '../../open-ledger.ts';
import { transact, violates } from '../../transaction.ts';
import { addPerson } from './invite-person.ts';

/** Whom a link is for; null for the first administrator, who is not known yet. */
export type LinkFor = { readonly person: string | null };

/** What a link would do, without using it; undefined when it was used, has expired or never was. */
export async function readLink(ledger: Ledger, tokenHash: Buffer): Promise<LinkFor | undefined> {
  const { rows } = await ledger.pool.query<LinkFor>(
    'SELECT person FROM person_link WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2',
    [tokenHash, ledger.clock.now()],
  );
  return rows[0];
}

/**
 * Uses a link up: whoever follows it has chosen a password. With the set-up link he becomes the first administrator, as
 * long as there is nobody. Sessions that were open end, for the link may stand for a password that somebody stole.
 * @param name whom he says he is; only the set-up link asks
 * @returns the person
 * @throws PipelineError USAGE when the link works no more, or the name cannot be one
 */
export async function usePersonLink(
  ledger: Ledger,
  tokenHash: Buffer,
  { name, password }: { name: string; password: string },
): Promise<string> {
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<LinkFor>(
      `UPDATE person_link SET used_at = $2 WHERE token_hash = $1 AND used_at IS NULL AND expires_at > $2 RETURNING person`,
      [tokenHash, tx.at],
    );
    if (!rows[0]) throw worksNoMore();
    const { person } = rows[0];
    if (person !== null) {
      const { rowCount } = await tx.client.query(
        `UPDATE person SET password = $2, failures = 0, locked_until = NULL WHERE name = $1 AND disabled_at IS NULL`,
        [person, password],
      );
      if (rowCount === 0) throw worksNoMore();
      await tx.client.query('DELETE FROM desk_session WHERE person = $1', [person]);
      tx.audit({ actor: `operator:${person}`, move: 'choose-password', reason: 'followed the link that was sent' });
      return person;
    }
    // Held until the end: two who follow the set-up link at once do not both become the first.
    await tx.client.query('LOCK TABLE person IN SHARE ROW EXCLUSIVE MODE');
    const { rowCount: others } = await tx.client.query('SELECT 1 FROM person LIMIT 1');
    if (others !== 0) throw worksNoMore();
    if (!PERSON_NAME.test(name)) {
      const next = 'Use small letters, digits, points, dashes and underscores; begin with a letter or a digit.';
      throw new PipelineError('USAGE', 'set up the desk', 'that is no name for a person here', { next });
    }
    await addPerson(tx, { name, role: 'admin' }, password).catch((error: unknown) => {
      if (violates(error, 'person_pkey')) throw worksNoMore();
      throw error;
    });
    tx.audit({
      actor: `operator:${name}`,
      move: 'set-up-desk',
      reason: 'followed the set-up link',
      evidence: { person: name, role: 'admin' },
    });
    return name;
  });
}

function worksNoMore(): PipelineError {
  return new PipelineError('USAGE', 'use the link', 'it was used, or its time is over', {
    next: 'Ask whoever runs the desk for a new one; for the first, run "paydrop people set-up".',
  });
}
