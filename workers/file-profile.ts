import type { Profile } from '../schemas/profiles.ts';
import { startOfHash } from '../src/csv/profile/returned-file.ts';
import { parseProfile } from '../src/csv/profile/profile-text.ts';
import { type ProfileContext, readProfileLines } from '../src/csv/profile/read-profile.ts';
import type { Folder } from '../src/config/config.ts';
import { dayInZone } from '../src/calendar/zone-time.ts';
import { counted } from '../src/kernel/counted.ts';
import { PipelineError } from '../src/kernel/errors.ts';
import { formatCents, parseAmount } from '../src/kernel/money.ts';
import type { PlainFileRow, ProfileRow } from '../src/ledger/engine/records.ts';
import type { Queryable, Transaction } from '../src/ledger/engine/transaction.ts';
import { findByHash, holdProfile, mustBeConfirmed, readVersion } from '../src/ledger/profile/read-profiles.ts';
import type { ReadBy } from '../src/reconcile/outputs/summary.ts';
import type { Fault } from '../src/rows/rows.ts';
import { columnsOf } from '../schemas/layouts.ts';

/** A version of an import profile. */
export type Version = { readonly row: ProfileRow; readonly profile: Profile };

/** What reads a file: a version, or a text that the ledger need not have. */
export type Reader = Pick<ProfileRow, 'name' | 'sha256'> & { readonly profile: Profile; readonly says: string };

/** How to read a file once more. */
export type Reread = {
  /** Undefined when that cannot be done. */
  readonly open: (() => AsyncIterable<Uint8Array>) | undefined;
  readonly context: ProfileContext;
  /** See `ProfileFindings`. */
  readonly writtenBy: string | undefined;
};

/** The version that reads a file, and the one that was replaced while the file waited. */
export type FileProfile = Version & { readonly replaced?: Version };

/** Returns the version that reads a file; undefined in a folder without a profile. */
export async function versionOf(
  queryable: Queryable,
  { profile_version: version }: Pick<PlainFileRow, 'profile_version'>,
): Promise<Version | undefined> {
  return version === null ? undefined : openVersion(await readVersion(queryable, version));
}

/** Returns how notices and summaries name the version that read a file; undefined in a folder without a profile. */
export async function whatRead(
  queryable: Queryable,
  { profile_version: version }: Pick<PlainFileRow, 'profile_version'>,
): Promise<ReadBy | undefined> {
  if (version === null) return undefined;
  const row = await readVersion(queryable, version);
  const confirmedBy = (row.confirmed_by ?? '').replace(/^operator:/, '');
  return { profile: row.name, version: row.version, hash: startOfHash(row.sha256), confirmedBy };
}

function openVersion(row: ProfileRow): Version {
  return { row, profile: readText(row) };
}

/** Returns what a file is read for. Its day is that of the claim, so that it is always read alike. */
export function profileContext({ operation, claimed_at: claimedAt }: Pick<PlainFileRow, 'operation' | 'claimed_at'>) {
  return { operation, today: dayInZone(claimedAt, 'UTC') } satisfies ProfileContext;
}

/** Does the same for intake, which also looks at the version that was confirmed when the file was first seen. */
export async function fileProfile(
  queryable: Queryable,
  file: Pick<PlainFileRow, 'profile_version' | 'seen_at'>,
): Promise<FileProfile | undefined> {
  const found = await versionOf(queryable, file);
  if (!found) return undefined;
  let before = found.row;
  // Several versions may have been confirmed while the file waited; the sender knew the one before them.
  while (before.replaces !== null && before.confirmed_at! > file.seen_at)
    before = await readVersion(queryable, before.replaces);
  return before === found.row ? found : { ...found, replaced: openVersion(before) };
}

/**
 * Returns the profile that would read a file of a folder now; undefined in a folder without one.
 * @throws PipelineError PROFILE_UNCONFIRMED
 */
export async function profileOfFolder(
  queryable: Queryable,
  { profile, operation }: Pick<Folder, 'profile' | 'operation'>,
): Promise<FileProfile | undefined> {
  if (profile === undefined) return undefined;
  const row = await readVersion(queryable, await mustBeConfirmed(queryable, { profile, operation }));
  return { row, profile: readText(row) };
}

function readText({ name, version, text }: ProfileRow): Profile {
  const parsed = parseProfile(text);
  if ('profile' in parsed) return parsed.profile;
  const { message } = parsed.faults[0]!;
  throw new PipelineError('PROFILE_INVALID', `read version ${version} of profile "${name}"`, message);
}

/**
 * Returns why a file is held for its profile: it is one of the first that a version reads, or the version before reads
 * it otherwise, or the one for which paydrop wrote it.
 */
export async function findProfileFaults(
  queryable: Queryable,
  version: FileProfile,
  file: Pick<PlainFileRow, 'sha256'>,
  read: Reread,
): Promise<Fault[]> {
  const { row, replaced } = version;
  const now = readerOf(version);
  const faults = firstFileFaults(row, file);
  const hasWritten = read.writtenBy !== undefined && replaced?.row.sha256.startsWith(read.writtenBy);
  const change = replaced && !hasWritten ? await compareReadings(read, [readerOf(replaced), now]) : undefined;
  if (change !== undefined) faults.push({ code: 'PROFILE_CHANGED', line: 0, detail: change });
  return [...faults, ...(await findWriterFaults(queryable, now, read))];
}

/**
 * Returns why a file is held whose profile was retired since it was claimed: a person has found something wrong with it,
 * and may not know that this file was still to be read. A version that was replaced reads what was claimed with it.
 */
export async function findRetirement(tx: Transaction, { row }: Version): Promise<Fault[]> {
  if (await holdProfile(tx, row.profile_no)) return [];
  return [{ code: 'PROFILE_RETIRED', line: 0, detail: `version ${row.version} of ${row.name}` }];
}

function readerOf({ row: { name, sha256, version }, profile }: Version): Reader {
  return { name, sha256, profile, says: `version ${version}` };
}

/**
 * Returns why a file that paydrop wrote for another version of the profile is held, unless both read it alike.
 * @param queryable left out, no other version is known
 */
export async function findWriterFaults(queryable: Queryable | undefined, now: Reader, read: Reread): Promise<Fault[]> {
  const { writtenBy } = read;
  if (writtenBy === undefined || now.sha256.startsWith(writtenBy)) return [];
  const writer = queryable && (await findByHash(queryable, now.name, writtenBy));
  const otherwise = writer
    ? await compareReadings(read, [readerOf(openVersion(writer)), now])
    : `its rows were read by ${writtenBy}`;
  if (otherwise === undefined) return [];
  const detail = `the file was written for another version of the profile: ${otherwise}`;
  return [{ code: 'PROFILE_CHANGED', line: 0, detail }];
}

/** Returns the fault of one of the first files that a version reads. The sample of its confirmation is known already. */
function firstFileFaults(
  { version, name, first_files_left: left, sample_sha256: sample }: ProfileRow,
  { sha256 }: Pick<PlainFileRow, 'sha256'>,
): Fault[] {
  if (left === null || left === 0 || sample === sha256) return [];
  const detail = `version ${version} of profile ${name}, ${counted(left, 'such file')} left`;
  return [{ code: 'PROFILE_FIRST_FILE', line: 0, detail }];
}

/** Reads a file with both versions, line beside line. @returns how they differ; undefined when they read alike */
async function compareReadings(
  { open, context }: Pick<Reread, 'open' | 'context'>,
  versions: readonly [Reader, Reader],
): Promise<string | undefined> {
  if (!open) return 'it is too large to compare them before it is dropped';
  const readings = versions.map(({ profile }) => payments(open(), profile, context));
  const sums = versions.map(() => ({ rows: 0, cents: 0 }));
  let firstLine = 0;
  try {
    for (;;) {
      const steps = await Promise.all(readings.map((reading) => reading.next()));
      if (steps.every(({ done }) => done)) break;
      const [before, now] = steps.map(({ value }) => value ?? undefined);
      if (firstLine === 0 && before?.text !== now?.text) firstLine = before?.line ?? now!.line;
      for (const [index, found] of [before, now].entries()) {
        if (!found?.text) continue;
        sums[index]!.rows += 1;
        sums[index]!.cents += found.cents;
      }
    }
  } finally {
    for (const reading of readings) await reading.return(undefined);
  }
  if (firstLine === 0) return undefined;
  const said = versions.map(({ says }, index) => {
    const { rows, cents } = sums[index]!;
    return `${says}: ${counted(rows, 'payment')}, ${formatCents(cents)}`;
  });
  return `${said.join('; ')}; line ${firstLine} is the first that differs`;
}

type MadePayment = { line: number; text: string; cents: number };

async function* payments(
  source: AsyncIterable<Uint8Array>,
  profile: Profile,
  context: ProfileContext,
): AsyncGenerator<MadePayment, undefined> {
  const amountAt = columnsOf(profile.layout).indexOf('amount');
  for await (const lines of readProfileLines(source, profile, context)) {
    for (const { line, made, faults } of lines) {
      const cents = made && parseAmount(made[amountAt]!);
      const text = made ? JSON.stringify([made, faults.map(({ code }) => code)]) : '';
      yield { line, text, cents: typeof cents === 'number' ? cents : 0 };
    }
  }
  return undefined;
}
