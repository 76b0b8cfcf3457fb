import { PROFILE_MOVES, type ProfileMove } from '../../../schemas/lifecycle.ts';
import { saidState } from '../../../schemas/shown.ts';
import { PROFILE_READER } from '../../../schemas/profiles.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { AuditReason } from '../engine/move.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { LeftOut, ProfileRow } from '../engine/records.ts';
import { storableJson, storableText } from '../engine/storable-text.ts';
import { type Transaction, transact } from '../engine/transaction.ts';
import { type Binding, type ProposalRow, voidProposals } from '../proposal/propose.ts';
import { readVersion } from './read-profiles.ts';

/** A text to import, in its normal form and with its hash. */
export type NewVersion = { name: string; text: string; sha256: string; firstFiles: number };

/**
 * Makes the move `import-profile`: records a text as the next version of its name. Importing it again changes nothing.
 * @returns the version with this text, and whether it is new
 */
export async function importVersion(
  ledger: Ledger,
  { name, text, sha256, firstFiles }: NewVersion,
  because: AuditReason,
): Promise<{ version: ProfileRow; isNew: boolean }> {
  return transact(ledger, async (tx) => {
    await lockName(tx, name);
    const { rows: known } = await tx.client.query<ProfileRow>(
      `SELECT * FROM profile_version WHERE name = $1 AND sha256 = $2 AND state <> 'retired'`,
      [name, sha256],
    );
    if (known[0]) return { version: known[0], isNew: false };
    const { rows } = await tx.client.query<ProfileRow>(
      `INSERT INTO profile_version (name, version, sha256, reader, text, first_files, state, reason, made_by, made_at)
       SELECT $1, coalesce(max(version), 0) + 1, $2, $3, $4, $5, 'draft', $6, $7, $8
       FROM profile_version WHERE name = $1 RETURNING *`,
      [name, sha256, PROFILE_READER, text, firstFiles, storableText(because.reason), because.actor, tx.at],
    );
    noteMove(tx, 'import-profile', rows[0]!, because);
    return { version: rows[0]!, isNew: true };
  });
}

/** What a person saw and typed when a version was confirmed. Money is integer cents. */
export type ConfirmedSample = { sha256: string; rows: number; cents: number; skipped: readonly LeftOut[] };

/**
 * Makes the move `confirm-profile`, and `replace-profile` for the version that was confirmed until now. From then on
 * files are claimed for this version.
 * @throws PipelineError NOT_FOUND; MOVE_REFUSED when it is no draft, or files of another version are held
 */
export async function confirmVersion(
  tx: Transaction,
  profileNo: number,
  sample: ConfirmedSample,
  because: AuditReason,
): Promise<ProfileRow> {
  const draft = await lockVersion(tx, profileNo);
  mustBe(draft, 'confirm-profile');
  await refuseWhileHeld(tx, draft);
  const before = await readBefore(tx, draft.name);
  if (before?.state === 'confirmed') await retire(tx, before, 'replace-profile', because);
  const { rows } = await tx.client.query<ProfileRow>(
    `UPDATE profile_version SET state = 'confirmed', reason = $2, confirmed_by = $3, confirmed_at = $4, replaces = $5,
            sample_sha256 = $6, sample_rows = $7, sample_cents = $8, sample_skipped = $9, first_files_left = first_files
     WHERE profile_no = $1 RETURNING *`,
    [
      profileNo,
      storableText(because.reason),
      because.actor,
      tx.at,
      before?.profile_no ?? null,
      sample.sha256,
      sample.rows,
      sample.cents,
      storableJson(sample.skipped),
    ],
  );
  const evidence = { sample, replaces: before?.version ?? null, ...because.evidence };
  noteMove(tx, 'confirm-profile', rows[0]!, { ...because, evidence });
  await voidProposals(tx, { profileNo }, because);
  return rows[0]!;
}

/**
 * What a proposal to confirm a version records: the sample, the number of the version that reads until then, and what
 * differs from it.
 */
export type ProposedVersion = { sample: ConfirmedSample; changes: readonly string[]; before: number | null };

type AboutVersion = Pick<ProposalRow, 'profile_no' | 'evidence'>;

/** Returns what such a proposal is bound to: the version, what it would replace, and the figures that were typed. */
export async function bindingOfVersion(tx: Transaction, about: AboutVersion): Promise<Binding> {
  const { name, sha256, state } = await lockVersion(tx, about.profile_no!);
  const { sample } = proposedIn(about);
  const replaces = (await readReading(tx, name))?.profile_no ?? null;
  return { sha256, state, replaces, sample: sample.sha256, rows: sample.rows, cents: sample.cents };
}

/** Carries out such a proposal. Throws what `confirmVersion` throws. */
export async function confirmProposed(tx: Transaction, about: AboutVersion, because: AuditReason): Promise<void> {
  const { sample, changes, before } = proposedIn(about);
  const { name, version } = await lockVersion(tx, about.profile_no!);
  if (((await readReading(tx, name))?.profile_no ?? null) !== before)
    throw new PipelineError(
      'MOVE_REFUSED',
      `confirm version ${version} of profile "${name}"`,
      'another version was confirmed or retired meanwhile',
      { next: 'Look at what changes from that one, and confirm again.' },
    );
  await confirmVersion(tx, about.profile_no!, sample, { ...because, evidence: { changes, ...because.evidence } });
}

function proposedIn({ evidence }: AboutVersion): ProposedVersion {
  return evidence as unknown as ProposedVersion;
}

/**
 * Makes the move `retire-profile`. The folders of the profile take nothing until another version is confirmed.
 * @throws PipelineError NOT_FOUND; MOVE_REFUSED when it is not confirmed
 */
export function retireVersion(ledger: Ledger, profileNo: number, because: AuditReason): Promise<ProfileRow> {
  return transact(ledger, async (tx) => {
    const version = await lockVersion(tx, profileNo);
    mustBe(version, 'retire-profile');
    return retire(tx, version, 'retire-profile', because);
  });
}

async function retire(
  tx: Transaction,
  { profile_no: profileNo }: ProfileRow,
  move: ProfileMove,
  because: AuditReason,
): Promise<ProfileRow> {
  const { rows } = await tx.client.query<ProfileRow>(
    `UPDATE profile_version SET state = 'retired', reason = $2, retired_by = $3, retired_at = $4
     WHERE profile_no = $1 RETURNING *`,
    [profileNo, storableText(because.reason), because.actor, tx.at],
  );
  noteMove(tx, move, rows[0]!, because);
  return rows[0]!;
}

function noteMove(tx: Transaction, name: ProfileMove, version: ProfileRow, because: AuditReason): void {
  const { from, to } = PROFILE_MOVES.find((move) => move.name === name)!;
  const about = { profile: version.name, version: version.version, sha256: version.sha256 };
  tx.audit({ ...because, move: name, from, to, evidence: { ...about, ...because.evidence } });
}

/** Orders all moves of one name: two versions never get the same number, and only one is confirmed at a time. */
async function lockName({ client }: Transaction, name: string): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [PROFILE_LOCKS, name]);
}

/** Namespace of this lock, distinct from those of instance.ts, with-lock.ts, pause-account.ts and find-duplicate.ts. */
const PROFILE_LOCKS = 7_005;

/** Locks the name of a version and reads it as it is then. */
async function lockVersion(tx: Transaction, profileNo: number): Promise<ProfileRow> {
  await lockName(tx, (await readVersion(tx.client, profileNo)).name);
  return readVersion(tx.client, profileNo);
}

function mustBe({ name, version, state }: ProfileRow, moveName: ProfileMove): void {
  const { from } = PROFILE_MOVES.find((move) => move.name === moveName)!;
  if (state === from) return;
  const action = `${moveName.replace('-profile', '')} version ${version} of profile "${name}"`;
  throw new PipelineError('MOVE_REFUSED', action, `its state is ${saidState(state)}; it must be ${from ?? 'new'}`, {
    next: 'See "paydrop profile list".',
  });
}

/** Returns the version of a name that is confirmed. */
async function readReading(tx: Transaction, name: string): Promise<ProfileRow | undefined> {
  const before = await readBefore(tx, name);
  return before?.state === 'confirmed' ? before : undefined;
}

/** Returns the version of a name that was confirmed last, even if it is retired by now. */
async function readBefore({ client }: Transaction, name: string): Promise<ProfileRow | undefined> {
  const { rows } = await client.query<ProfileRow>(
    `SELECT * FROM profile_version WHERE name = $1 AND confirmed_at IS NOT NULL
     ORDER BY state = 'confirmed' DESC, retired_at DESC, version DESC LIMIT 1`,
    [name],
  );
  return rows[0];
}

const NAMED = 5;

/** A held file was read with another version, and a person is to decide about it as it was read. */
async function refuseWhileHeld({ client }: Transaction, { name, version }: ProfileRow): Promise<void> {
  const { rows } = await client.query<{ file: string }>(
    `SELECT f.name AS file FROM file f JOIN profile_version v ON v.profile_no = f.profile_version
     WHERE f.state = 'held' AND v.name = $1 ORDER BY f.file_no`,
    [name],
  );
  if (rows.length === 0) return;
  const names = rows.slice(0, NAMED).map(({ file }) => `"${file}"`);
  const more = rows.length > NAMED ? ', …' : '';
  throw new PipelineError(
    'MOVE_REFUSED',
    `confirm version ${version} of profile "${name}"`,
    `${counted(rows.length, 'file')} of another version wait for approval: ${names.join(', ')}${more}`,
    { next: 'Approve or decline them first; see "paydrop status".' },
  );
}
