import { randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { startOfDay } from '../../calendar/zone-time.ts';
import type { Settings } from '../../config/config.ts';
import { openSealedFile, sealFile } from '../../crypto/archive.ts';
import { type DataKey, unwrapKey, wrapKey } from '../../crypto/data-key.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { byNumber, counted, groupedCount } from '../../kernel/counted.ts';
import { crashPoint } from '../../kernel/crash-point.ts';
import { PipelineError, systemCode } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import { ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import { readAccountStates } from '../../ledger/account/read-holds.ts';
import type { AuditReason } from '../../ledger/engine/move.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { tryLock } from '../../ledger/engine/with-lock.ts';
import { featureKeyName } from '../../ledger/key/feature-key.ts';
import { readVaultKey } from '../../ledger/key/master-keys.ts';
import {
  type Archivable,
  type ArchiveCut,
  type ArchiveOrder,
  countArchivable,
  emptyArchived,
  findArchivable,
  type NewArchive,
  readArchiveCut,
  recordArchive,
} from './archivable.ts';
import { type ArchivableFile, readArchive, type TakeArchived, writeArchive } from './read-archived.ts';
import type { RowArchive } from '../../ledger/retention/archived-rows.ts';
import type { AppAction, AppContext, Filled } from '../../actions/action.ts';

/** Moves the rows of old finished files of one account, or of all, to archives on this host. */
export const archiveRows: Pick<AppAction<'account'>, 'plan' | 'run'> = {
  plan: async (context, { account }, { filled }) => {
    const found = await readPlans(context, account, beforeOf(filled));
    const sum = (name: keyof Archivable) => found.reduce((total, { plan }) => total + plan[name], 0);
    return {
      says: [
        `The rows of ${groupedCount(sum('files'), 'file')} move to sealed archives on this host, and leave the ledger.`,
        'The files, their batches, totals, outputs, history and fingerprints stay. The rows can be read with "paydrop archive read". They cannot be resubmitted, and outputs cannot be made again.',
        ...(sum('unpaid') > 0
          ? [
              `${groupedCount(sum('unpaid'), 'row')} of them ${byNumber(sum('unpaid'), 'was', 'were')} certainly not charged.`,
            ]
          : []),
        ...found.flatMap(({ order, cut, plan }) => sayKept(order, cut, plan)),
      ],
      facts: [
        ['Files', String(sum('files'))],
        ['Rows', String(sum('rows'))],
        ['Valid total', found.length === 1 ? { cents: sum('cents') } : ''],
      ],
      binds: { rows: [sum('files'), sum('rows'), sum('cents'), sum('unpaid')] },
      ...(sum('files') === 0 && { barred: 'no file can be archived', status: 'ok' }),
    };
  },
  run: async (context, { account }, { filled }, because) => {
    const before = beforeOf(filled);
    const ran = await tryLock(context.ledger, 'archive-rows', async () => {
      await removeDrafts(context.settings);
      await emptyArchived(context.ledger, isStopping(context));
      const made: Made[] = [];
      for (const order of ordersOf(context, await accountsOf(context, account), before))
        made.push(...(await archiveAccount(context, order, because)));
      return made;
    });
    if (!ran)
      throw new PipelineError('MOVE_REFUSED', 'archive rows', 'another process is archiving', {
        next: 'Wait until it has ended.',
      });
    const [files, rows, cents] = (['files', 'rows', 'cents'] as const).map((name) =>
      ran.result.reduce((sum, one) => sum + one[name], 0),
    );
    return {
      says: `Archived: ${groupedCount(files!, 'file')}, ${groupedCount(rows!, 'row')}, in ${counted(ran.result.length, 'archive')}.`,
      details: ran.result.length === 0 ? [] : [`Copy ${context.settings.paths.archive} with every backup.`],
      json: { account, files, rows, total: formatCents(cents!), archives: ran.result.map(({ name }) => name) },
    };
  },
};

type Made = NewArchive & { files: number };

function beforeOf(filled: Filled): Date {
  const at = startOfDay(filled['before'] ?? '', 'UTC');
  if (at) return at;
  const next = 'Write a day such as 2026-01-31.';
  throw new PipelineError('USAGE', 'archive rows', 'the day "before" is not a day', { next });
}

function isStopping({ stop }: AppContext): () => boolean {
  return () => stop?.aborted ?? false;
}

async function accountsOf({ ledger, settings }: AppContext, account: string): Promise<string[]> {
  if (account !== ALL_ACCOUNTS) return [account];
  return (await readAccountStates(ledger, [...settings.accounts.keys()])).map((state) => state.account);
}

const DAY_MS = 86_400_000;
/** Reports of the service are compared with payments this long before a call in doubt. */
const LEAST_DAYS = 60;

/** Files stay as long as a folder may compare new files with them. An account without a folder keeps them longest. */
function ordersOf({ settings }: AppContext, accounts: readonly string[], before: Date): ArchiveOrder[] {
  return accounts.map((account) => {
    const own = settings.folders.filter((folder) => folder.account === account);
    const days = (own.length > 0 ? own : settings.folders).map(({ duplicateDays }) => duplicateDays);
    return { account, before, keepMs: Math.max(LEAST_DAYS, ...days) * DAY_MS };
  });
}

async function readPlans(context: AppContext, account: string, before: Date) {
  const found: { order: ArchiveOrder; cut: ArchiveCut; plan: Archivable }[] = [];
  for (const order of ordersOf(context, await accountsOf(context, account), before)) {
    const cut = await readArchiveCut(context.ledger, order);
    found.push({ order, cut, plan: await countArchivable(context.ledger, order, cut) });
  }
  return found;
}

/** Says what stays of the files that were asked for, and why. */
function sayKept({ account, keepMs }: ArchiveOrder, { at, by }: ArchiveCut, { needed, newest }: Archivable): string[] {
  const days = counted(Math.round(keepMs / DAY_MS), 'day');
  const until = `Of account ${account}, files since ${at.toISOString()} stay:`;
  return [
    ...(by === 'age' ? [`${until} new payments are compared with those of the last ${days}.`] : []),
    ...(by === 'open' ? [`${until} its oldest open file is only ${days} younger.`] : []),
    ...(needed > 0
      ? [
          `Of account ${account}, ${groupedCount(needed, 'older file')} stay: something is open, or an outcome changed later.`,
        ]
      : []),
    ...(newest > 0
      ? [
          `Of account ${account}, its newest files of each layout stay, ${newest} of them older: new files are compared with them.`,
        ]
      : []),
  ];
}

/** Payment files and rows of one archive. A larger file has one of its own. */
const MOST_FILES = 1_000;
const MOST_ROWS = 200_000;
/** Above so many rows, a caller that sees no progress would take it for dead. */
const MOST_BLIND_ROWS = 1_000_000;

async function archiveAccount(context: AppContext, order: ArchiveOrder, because: AuditReason): Promise<Made[]> {
  const { ledger, settings, keys } = context;
  const { account } = order;
  const cut = await readArchiveCut(ledger, order);
  const { files: all, rows } = await countArchivable(ledger, order, cut);
  if (!context.progress && rows > MOST_BLIND_ROWS) {
    const next = `Run "paydrop archive move ${account} --before …" on the host.`;
    throw new PipelineError('MOVE_REFUSED', 'archive rows', `${groupedCount(rows, 'row')} take too long here`, {
      next,
    });
  }
  const made: Made[] = [];
  let done = 0;
  for (let after = 0; !isStopping(context)(); ) {
    const group = firstOf(await findArchivable(ledger, account, cut, { after, most: MOST_FILES }));
    if (group.length === 0) break;
    after = group.at(-1)!.fileNo;
    const archive = await makeArchive({ ledger, settings, keys }, group);
    crashPoint('archive.verified');
    const no = await recordArchive(ledger, { account, cut, files: group }, archive, because);
    // Something of these files changed meanwhile. The next run looks at them again.
    if (no === undefined) await rm(join(settings.paths.archive, archive.name), { force: true });
    else {
      crashPoint('archive.recorded');
      await emptyArchived(ledger, isStopping(context));
      made.push({ ...archive, files: group.length });
    }
    done += group.length;
    context.progress?.(`${account}: ${done} of ${counted(all, 'file')} archived`);
  }
  return made;
}

function firstOf(files: readonly ArchivableFile[]): ArchivableFile[] {
  let rows = 0;
  const end = files.findIndex((file, index) => (rows += file.rows) > MOST_ROWS && index > 0);
  return files.slice(0, end === -1 ? files.length : end);
}

type Place = { ledger: Ledger; settings: Pick<Settings, 'paths'>; keys: KeyRing };

/** Writes an archive, syncs it and reads it back from the disk. */
async function makeArchive(place: Place, files: readonly ArchivableFile[]): Promise<NewArchive> {
  const { ledger, settings } = place;
  const year = ledger.clock.now().toISOString().slice(0, 4);
  const name = `${FOLDER}/${year}/${files[0]!.fileNo}-${randomBytes(6).toString('hex')}.sealed`;
  const to = join(settings.paths.archive, name);
  const key = await archiveKey(place, name);
  await writeArchive(ledger, files, async (frames) => {
    await sealFile({ from: through(frames, createGzip({ level: 1 })), to, key, purpose: PURPOSE });
  });
  crashPoint('archive.written');
  return { name, bytes: (await stat(to)).size, ...(await readSealed(place, name)) };
}

const FOLDER = 'rows';
const PURPOSE = 'rows';

/** Passes bytes through a stream; what fails on either side fails here. */
async function* through(
  source: AsyncIterable<Uint8Array>,
  stream: ReturnType<typeof createGzip> | ReturnType<typeof createGunzip>,
): AsyncGenerator<Uint8Array> {
  const fed = pipeline(Readable.from(source, { objectMode: true, highWaterMark: 1 }), stream);
  fed.catch(() => undefined);
  try {
    yield* stream as AsyncIterable<Uint8Array>;
    await fed;
  } finally {
    stream.destroy();
  }
}

/**
 * Reads an archive of this host and verifies it.
 * @param take is only to be believed once this returns
 */
async function readSealed(place: Place, name: string, take?: TakeArchived) {
  const path = join(place.settings.paths.archive, name);
  const sealed = openSealedFile(path, await archiveKey(place, name), PURPOSE);
  return readArchive(through(sealed, createGunzip()), path, take);
}

/** Reads an archive that the ledger knows. @throws PipelineError BACKUP_BROKEN when it is another one */
export async function readRecorded(place: Place, archive: RowArchive, take: TakeArchived): Promise<void> {
  const { sha256 } = await readSealed(place, archive.name, take);
  if (sha256 === archive.sha256) return;
  throw new PipelineError('BACKUP_BROKEN', `use the archive "${archive.name}"`, 'it is not the one that was recorded');
}

/** Name of the key of archives in the ledger, and what it is bound to. It outlives the keys of files. */
const KEY = featureKeyName('archive');

/** Returns the key of an archive. It opens nothing under another name. */
async function archiveKey({ ledger, keys }: Pick<Place, 'ledger' | 'keys'>, name: string): Promise<DataKey> {
  const make = () => wrapKey(keys.current, KEY, randomBytes(32));
  return { fileId: name, bytes: unwrapKey(keys, KEY, await readVaultKey(ledger, KEY, make)) };
}

/** Removes what runs that died left unfinished. Only one run at a time comes here. */
async function removeDrafts({ paths }: Pick<Settings, 'paths'>): Promise<void> {
  const folder = join(paths.archive, FOLDER);
  const names = await readdir(folder, { recursive: true }).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw error;
  });
  for (const name of names) if (name.endsWith('.part')) await rm(join(folder, name), { force: true });
}
