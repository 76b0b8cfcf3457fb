import type { PersonRole } from '../../../schemas/actions.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';
import { revokeAllTokens } from './api-tokens.ts';
import { noSuchPerson } from './invite-person.ts';
import { removeFactor } from './second-factor.ts';
import { forgetBrowsers, forgetFailures } from './log-in-failures.ts';

/**
 * Changes a user's role, from their next click on.
 * @throws PipelineError NOT_FOUND; MOVE_REFUSED for the last administrator
 */
export async function changeRole(ledger: Ledger, name: string, role: PersonRole, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    const before = await lockPerson(tx, name, `change the role of "${name}"`);
    if (before.role === role) return;
    await tx.client.query('UPDATE person SET role = $2 WHERE name = $1', [name, role]);
    await mustKeepAdmin(tx, `change the role of "${name}"`);
    tx.audit({
      ...because,
      move: 'change-role',
      isTimed: true,
      evidence: { person: name, before: before.role, after: role },
    });
  });
}

/**
 * Shuts a user out at once: sessions, links and tokens end. The name stays, because the audit trail uses it.
 * @throws PipelineError NOT_FOUND; MOVE_REFUSED for the last administrator
 */
export async function disablePerson(ledger: Ledger, name: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    await lockPerson(tx, name, `disable "${name}"`);
    await tx.client.query('UPDATE person SET disabled_at = $2, password = NULL, subject = NULL WHERE name = $1', [
      name,
      tx.at,
    ]);
    await mustKeepAdmin(tx, `disable "${name}"`);
    await tx.client.query('DELETE FROM user_session WHERE person = $1', [name]);
    await tx.client.query('UPDATE person_link SET used_at = $2 WHERE person = $1 AND used_at IS NULL', [name, tx.at]);
    await forgetBrowsers(tx, name);
    await removeFactor(tx, name);
    const tokens = await revokeAllTokens(tx, name);
    tx.audit({ ...because, move: 'disable-person', evidence: { person: name, tokens } });
  });
}

/** Lets a user back in who was shut out. They need a new link to choose a password. */
export async function enablePerson(ledger: Ledger, name: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      'UPDATE person SET disabled_at = NULL WHERE name = $1 AND disabled_at IS NOT NULL',
      [name],
    );
    if (rowCount === 0) throw new PipelineError('NOT_FOUND', `enable "${name}" again`);
    await forgetFailures(tx, name);
    tx.audit({ ...because, move: 'enable-person', isTimed: true, evidence: { person: name } });
  });
}

/**
 * Sets a password that the user chose. Their other sessions and all their tokens end, because a thief of the old password
 * may have made them.
 * @param password its hash
 * @param keep hash of the session that stays
 * @returns how many tokens ended
 */
export async function changePassword(ledger: Ledger, name: string, password: string, keep: Buffer): Promise<number> {
  return transact(ledger, async (tx) => {
    await tx.client.query('UPDATE person SET password = $2 WHERE name = $1', [name, password]);
    await tx.client.query('DELETE FROM user_session WHERE person = $1 AND token_hash <> $2', [name, keep]);
    await forgetBrowsers(tx, name);
    const tokens = await revokeAllTokens(tx, name);
    const reason = 'chose another password';
    tx.audit({ actor: `operator:${name}`, move: 'change-password', reason, evidence: { tokens } });
    return tokens;
  });
}

async function lockPerson(tx: Transaction, name: string, action: string): Promise<{ role: PersonRole }> {
  // Locks all administrators: two who shut each other out would otherwise leave none.
  await tx.client.query(`SELECT 1 FROM person WHERE role = 'admin' ORDER BY name FOR UPDATE`);
  const { rows } = await tx.client.query<{ role: PersonRole }>(
    'SELECT role FROM person WHERE name = $1 AND disabled_at IS NULL FOR UPDATE',
    [name],
  );
  if (!rows[0]) throw noSuchPerson(action);
  return rows[0];
}

async function mustKeepAdmin(tx: Transaction, action: string): Promise<void> {
  const { rowCount } = await tx.client.query(
    `SELECT 1 FROM person WHERE role = 'admin' AND disabled_at IS NULL AND coalesce(password, subject) IS NOT NULL LIMIT 1`,
  );
  if (rowCount !== 0) return;
  const next = 'Make another administrator first.';
  throw new PipelineError('MOVE_REFUSED', action, 'no other administrator is left', { next });
}
