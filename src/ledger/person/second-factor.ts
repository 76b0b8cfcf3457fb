import { waitLeftMs } from '../../kernel/clock.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { LONGEST_WAIT_MS, waitAfter } from './log-in-failures.ts';

/** What the name of a secret in `vault_key` begins with. */
const VAULT = 'second factor ';

/** Returns whose second factor a key of this name is; undefined for another key. */
export function personOfVaultKey(name: string): string | undefined {
  return name.startsWith(VAULT) ? name.slice(VAULT.length) : undefined;
}

/** The second factor of a user. One that is not confirmed is not asked for. */
export type SecondFactor = {
  readonly wrapped: Buffer;
  readonly confirmedAt: Date | null;
  /** Recovery codes that are left. */
  readonly codes: number;
};

export async function readFactor({ pool }: Ledger, person: string): Promise<SecondFactor | undefined> {
  const { rows } = await pool.query<SecondFactor>(
    `SELECT v.wrapped, f.confirmed_at AS "confirmedAt",
            (SELECT count(*) FROM recovery_code c WHERE c.person = f.person AND used_at IS NULL) AS codes
     FROM second_factor f JOIN vault_key v ON v.name = $2 || f.person WHERE f.person = $1`,
    [person, VAULT],
  );
  return rows[0];
}

/**
 * Begins to set up a second factor. An earlier one that was never confirmed is replaced.
 * @throws PipelineError MOVE_REFUSED when the user has one
 */
export async function beginFactor(ledger: Ledger, person: string, wrapped: Buffer): Promise<void> {
  await transact(ledger, async (tx) => {
    const { rowCount } = await tx.client.query(
      `INSERT INTO second_factor AS f (person, made_at) VALUES ($1, $2)
       ON CONFLICT (person) DO UPDATE SET made_at = $2, last_step = 0 WHERE f.confirmed_at IS NULL`,
      [person, tx.at],
    );
    if (rowCount === 0)
      throw new PipelineError('MOVE_REFUSED', 'set up a second factor', 'you have one already', {
        next: 'A new link from an administrator ends it.',
      });
    await tx.client.query(
      'INSERT INTO vault_key (name, wrapped) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET wrapped = $2',
      [VAULT + person, wrapped],
    );
  });
}

/** Finds the step of the code that was typed, newer than `after`; undefined when there is none. */
export type FindStep = (wrapped: Buffer, after: number) => number | undefined;

type LockedFactor = { wrapped: Buffer; lastStep: number; failures: number; waitUntil: Date | null };

async function lockFactor(tx: Transaction, person: string, isConfirmed: boolean): Promise<LockedFactor | undefined> {
  const { rows } = await tx.client.query<LockedFactor>(
    `SELECT v.wrapped, f.last_step AS "lastStep", f.failures, f.wait_until AS "waitUntil"
     FROM second_factor f JOIN vault_key v ON v.name = $2 || f.person
     WHERE f.person = $1 AND (f.confirmed_at IS NOT NULL) = $3 FOR UPDATE OF f`,
    [person, VAULT, isConfirmed],
  );
  return rows[0];
}

/** Confirms a second factor by its first code. @returns whether the code was right */
export async function confirmFactor(
  ledger: Ledger,
  person: string,
  { findStep, codeHashes }: { findStep: FindStep; codeHashes: readonly Buffer[] },
): Promise<boolean> {
  return transact(ledger, async (tx) => {
    const factor = await lockFactor(tx, person, false);
    const step = factor && findStep(factor.wrapped, factor.lastStep);
    if (step === undefined) return false;
    await tx.client.query('UPDATE second_factor SET confirmed_at = $2, last_step = $3 WHERE person = $1', [
      person,
      tx.at,
      step,
    ]);
    const sql = 'INSERT INTO recovery_code (person, code_hash) SELECT $1, unnest($2::bytea[])';
    await tx.client.query(sql, [person, codeHashes]);
    tx.audit({ actor: `operator:${person}`, move: 'set-up-factor', reason: 'asked for' });
    return true;
  });
}

/** The result of trying a code. */
export type FactorTried = { readonly result: 'right' | 'wrong' } | { readonly result: 'wait'; readonly until: Date };

/**
 * Tries a code of the app, or a recovery code. Wrong ones make the user wait, wherever they come from: only those who know
 * the password get this far.
 * @param attempt.from client address, for the audit trail
 */
export async function tryFactor(
  ledger: Ledger,
  person: string,
  { findStep, recoveryHash, from }: { findStep: FindStep; recoveryHash: Buffer; from: string },
): Promise<FactorTried> {
  return transact(ledger, async (tx) => {
    const factor = await lockFactor(tx, person, true);
    if (!factor) return { result: 'wrong' };
    const { wrapped, lastStep, failures, waitUntil } = factor;
    if (waitLeftMs(waitUntil, tx.at, LONGEST_WAIT_MS) > 0) return { result: 'wait', until: waitUntil! };
    const step = findStep(wrapped, lastStep);
    if (step !== undefined || (await recoverBy(tx, person, recoveryHash))) {
      await noteTry(tx, person, { lastStep: step ?? lastStep, failures: 0 });
      return { result: 'right' };
    }
    await noteTry(tx, person, { lastStep, failures: failures + 1 });
    const evidence = { failures: failures + 1, from };
    tx.audit({ actor: `operator:${person}`, move: 'log-in-failed', reason: 'wrong code', evidence });
    return { result: 'wrong' };
  });
}

async function noteTry(
  tx: Transaction,
  person: string,
  { lastStep, failures }: Pick<LockedFactor, 'lastStep' | 'failures'>,
): Promise<void> {
  const waitMs = waitAfter(failures);
  await tx.client.query('UPDATE second_factor SET last_step = $2, failures = $3, wait_until = $4 WHERE person = $1', [
    person,
    lastStep,
    failures,
    waitMs > 0 ? new Date(tx.at.getTime() + waitMs) : null,
  ]);
}

async function recoverBy(tx: Transaction, person: string, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.client.query(
    'UPDATE recovery_code SET used_at = $3 WHERE person = $1 AND code_hash = $2 AND used_at IS NULL',
    [person, hash, tx.at],
  );
  if (rowCount === 0) return false;
  tx.audit({ actor: `operator:${person}`, move: 'use-recovery-code', reason: 'logged in without the app' });
  return true;
}

/** Removes the second factor of a user, with its secret and codes. @returns whether there was a confirmed one */
export async function removeFactor({ client }: Transaction, person: string): Promise<boolean> {
  const { rows } = await client.query<{ was: boolean }>(
    'DELETE FROM second_factor WHERE person = $1 RETURNING confirmed_at IS NOT NULL AS was',
    [person],
  );
  await client.query('DELETE FROM vault_key WHERE name = $1', [VAULT + person]);
  return rows[0]?.was === true;
}

/** Ends the second factor of a user at their own wish. */
export async function endFactor(ledger: Ledger, person: string, because: AuditReason): Promise<void> {
  await transact(ledger, async (tx) => {
    if (await removeFactor(tx, person)) tx.audit({ ...because, move: 'end-factor' });
  });
}

/** How long a browser may take to send the code, in ms. */
const HALF_MS = 300_000;

/** Notes that the password of a user was right in a browser, and that the code is asked for. */
export async function beginHalfLogIn({ pool, clock }: Ledger, person: string, tokenHash: Buffer): Promise<void> {
  const now = clock.now();
  await pool.query('DELETE FROM pending_log_in WHERE began_at <= $1', [new Date(now.getTime() - HALF_MS)]);
  await pool.query('INSERT INTO pending_log_in (token_hash, person, began_at) VALUES ($1, $2, $3)', [
    tokenHash,
    person,
    now,
  ]);
}

/** Returns who has half logged in; undefined when nobody has, or it was too long ago. */
export async function readHalfLogIn({ pool, clock }: Ledger, tokenHash: Buffer): Promise<string | undefined> {
  const now = clock.now();
  const { rows } = await pool.query<{ person: string }>(
    `SELECT h.person FROM pending_log_in h JOIN person p ON p.name = h.person
     WHERE token_hash = $1 AND began_at > $2 AND began_at <= $3 AND p.disabled_at IS NULL`,
    [tokenHash, new Date(now.getTime() - HALF_MS), now],
  );
  return rows[0]?.person;
}

export async function endHalfLogIn({ pool }: Ledger, tokenHash: Buffer): Promise<void> {
  await pool.query('DELETE FROM pending_log_in WHERE token_hash = $1', [tokenHash]);
}
