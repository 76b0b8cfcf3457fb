import type { ActionName, PersonRole } from '../../../schemas/actions.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import type { AuditReason } from '../engine/move.ts';

export type ApiToken = {
  readonly tokenNo: number;
  readonly person: string;
  readonly name: string;
  readonly actions: readonly ActionName[];
  readonly madeAt: Date;
  readonly expiresAt: Date;
  readonly seenAt: Date | null;
  readonly revokedAt: Date | null;
};

/**
 * Adds a token with which a program can do some of what its user may.
 * @returns its number
 */
export async function addApiToken(
  ledger: Ledger,
  token: { person: string; name: string; actions: readonly ActionName[]; tokenHash: Buffer; expiresAt: Date },
  because: AuditReason,
): Promise<number> {
  const { person, name, actions, tokenHash, expiresAt } = token;
  return transact(ledger, async (tx) => {
    const { rows } = await tx.client.query<{ token_no: number }>(
      `INSERT INTO api_token (token_hash, person, name, actions, made_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)
       RETURNING token_no`,
      [tokenHash, person, name, actions, tx.at, expiresAt],
    );
    const tokenNo = rows[0]!.token_no;
    tx.audit({ ...because, move: 'add-api-token', evidence: { tokenNo, person, name, actions, expiresAt } });
    return tokenNo;
  });
}

/** @throws PipelineError NOT_FOUND when it is not this user's, or was revoked before */
export async function revokeApiToken(
  ledger: Ledger,
  { tokenNo, person }: { tokenNo: number; person: string },
  because: AuditReason,
): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      'UPDATE api_token SET revoked_at = $3 WHERE token_no = $1 AND person = $2 AND revoked_at IS NULL',
      [tokenNo, person, tx.at],
    );
    if (rowCount === 0) throw new PipelineError('NOT_FOUND', `revoke token ${tokenNo}`);
    tx.audit({ ...because, move: 'revoke-api-token', evidence: { tokenNo, person } });
  });
}

/** Revokes every token of a user. @returns how many of them had not expired */
export async function revokeAllTokens(tx: Transaction, person: string): Promise<number> {
  const { rows } = await tx.client.query<{ worked: boolean }>(
    `UPDATE api_token SET revoked_at = $2 WHERE person = $1 AND revoked_at IS NULL RETURNING expires_at > $2 AS worked`,
    [person, tx.at],
  );
  return rows.filter(({ worked }) => worked).length;
}

export type TokenInUse = { person: string; role: PersonRole; actions: ActionName[] };

/**
 * Returns whose token it is and what it may do; undefined when it is no longer valid. It expires when the host clock or
 * the database clock says so. A token from the future was made while a clock was ahead, so its lifetime is unknown.
 */
export async function useApiToken(ledger: Ledger, tokenHash: Buffer): Promise<TokenInUse | undefined> {
  const now = ledger.clock.now();
  const { rows } = await ledger.pool.query<TokenInUse & { seenAt: Date | null }>(
    `SELECT t.person, p.role, t.actions, t.seen_at AS "seenAt" FROM api_token t JOIN person p ON p.name = t.person
     WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND p.disabled_at IS NULL
       AND t.expires_at > greatest($2, ${ledger.databaseNow()})
       AND t.made_at <= greatest($2, ${ledger.databaseNow()}) + interval '1 minute'`,
    [tokenHash, now],
  );
  if (!rows[0]) return undefined;
  const { seenAt, ...found } = rows[0];
  // To the minute is enough; a program that calls often must neither write often nor wait for itself.
  if (seenAt === null || now.getTime() - seenAt.getTime() > SEEN_EACH_MS) {
    await ledger.pool.query('UPDATE api_token SET seen_at = $2 WHERE token_hash = $1', [tokenHash, now]);
  }
  return found;
}

const SEEN_EACH_MS = 60_000;

/** Returns at most 200, newest first. */
export async function listApiTokens(ledger: Ledger, person: string): Promise<ApiToken[]> {
  const { rows } = await ledger.pool.query<ApiToken>(
    `SELECT token_no AS "tokenNo", person, name, actions, made_at AS "madeAt", expires_at AS "expiresAt", seen_at AS "seenAt",
            revoked_at AS "revokedAt" FROM api_token WHERE person = $1 ORDER BY token_no DESC LIMIT 200`,
    [person],
  );
  return rows;
}
