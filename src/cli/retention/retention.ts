import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import {
  type Cleaning,
  cleanStorage,
  type DatabaseState,
  IN_A_QUIET_HOUR,
  readDatabaseState,
} from '../../ledger/retention/clean-storage.ts';
import { startOfDay } from '../../calendar/zone-time.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { counted } from '../../kernel/counted.ts';
import { tableOf, textTable } from '../print/table.ts';
import type { Settings } from '../../config/config.ts';
import { retentionDays } from '../../config/account-rules.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import {
  type DueFile,
  findDueShreds,
  readShredded,
  readShredStates,
  type ShreddedFile,
} from '../../ledger/retention/retention.ts';
import { listSealedInSlices } from '../../crypto/list-sealed.ts';

const report: CliCommand = {
  name: 'report',
  about: 'Prove what was destroyed and when, and show what is due or left over',
  options: [
    ['--from <day>', 'first day, such as 2026-07-01, in UTC; left out, 92 days back'],
    ['--to <day>', 'last day; left out, today'],
    JSON_OPTION,
  ],
  notes: [
    'Compares the ledger with the archive folder of this host; run it on every host that has one. Exit status 5 when something is left over. For each key it shows since when the files and the log of the database no longer contain it, or that this is not proved.',
  ],
  examples: ['retention report', 'retention report --from 2026-07-01 --to 2026-09-30 --json'],
  async run(call) {
    return withLedger(call, async (ledger, settings) => {
      const nowMs = ledger.clock.now().getTime();
      const from = readDay(call, 'from') ?? new Date(nowMs - QUARTER_DAYS * DAY_MS);
      const last = readDay(call, 'to');
      const to = last ? new Date(last.getTime() + DAY_MS) : new Date(nowMs);
      const found = await readRetention(ledger, settings, { from, to });
      print(call, { clean: isClean(found), ...found }, () => describeRetention(found));
      return isClean(found) ? EXIT.ok : EXIT.exception;
    });
  },
};

const clean: CliCommand = {
  name: 'clean',
  about: 'Rewrite all tables that still contain destroyed keys or fingerprints',
  options: [JSON_OPTION],
  notes: [
    '"paydrop start" does this hourly for small tables. No file is taken while a table is rewritten, so choose a quiet hour. Exit status 5 when a table could not be cleaned.',
  ],
  examples: ['retention clean', 'retention clean --json'],
  async run(call) {
    return withLedger(call, async (ledger) => {
      const found = Object.entries(await cleanStorage(ledger, IN_A_QUIET_HOUR));
      const tables = found.map(([table, why]) => ({ table, isClean: why === undefined, why: why ?? null }));
      print(call, { tables }, () => describeCleaned(tables));
      return tables.every(({ isClean: done }) => done) ? EXIT.ok : EXIT.exception;
    });
  },
};

function describeCleaned(tables: readonly { table: string; why: string | null }[]): string {
  if (tables.length === 0) return 'Nothing to clean.';
  return tables
    .map(({ table, why }) =>
      why === null ? `${table}: rewritten; its files contain no destroyed data.` : `${table}: not cleaned: ${why}.`,
    )
    .join('\n');
}

const DAY_MS = 86_400_000;
const QUARTER_DAYS = 92;

export const retention: CliCommand = {
  name: 'retention',
  about: 'Prove that originals are destroyed after their retention',
  commands: [report, clean],
  examples: ['retention report', 'retention clean'],
};

function readDay(call: Call, name: 'from' | 'to'): Date | undefined {
  const text = call.options[name];
  if (text === undefined) return undefined;
  const at = startOfDay(String(text), 'UTC');
  if (at) return at;
  const next = 'Write a day such as 2026-06-15.';
  throw new PipelineError('USAGE', `use --${name} "${String(text)}"`, 'it is not a day', { next });
}

/** Formats the report. It is kept as proof, so it also says what it does not prove. */
export function describeRetention(report: RetentionReport): string {
  const { from, to, shredded, due, archive, database } = report;
  return [
    `Keys destroyed from ${from.toISOString()} to ${to.toISOString()}: ${shredded.length}`,
    ...(shredded.length === 0 ? [] : [shreddedTable(report)]),
    `Due but not destroyed yet: ${due.length}`,
    ...(due.length === 0 ? [] : [dueTable(report), 'A running paydrop destroys them within the hour.']),
    `In the archive of this host: ${archive.kept} originals kept, ${archive.left.length} left over.`,
    ...(archive.left.length === 0 ? [] : [`Left over: ${archive.left.join(', ')}`]),
    ...(archive.unknown.length === 0 ? [] : [unknownNote(archive.unknown)]),
    isClean(report)
      ? 'The ledger and the archive of this host have nothing left over.'
      : 'Something is left over. Its keys are destroyed; start paydrop, which removes it within the hour.',
    ...(shredded.length === 0 ? [] : describeCleanings(report)),
    ...(database.setAside.length === 0 ? [] : [asideNote(database.setAside)]),
    ELSEWHERE,
    BACKUPS,
  ].join('\n\n');
}

const ELSEWHERE = `This proves nothing about other places. A standby follows when it has replayed the log. Log
archives, copies of the database and freed disk blocks keep their data until they expire or are overwritten. Sealed
batches and results stay in freed pages of the database until reuse; only the key of their file opens them.`;

const BACKUPS = `Backups of the ledger contain the wrapped keys of their day. With such a backup, an old copy of the
archive and the master key of that time, a file can still be opened: delete backups when they expire. After "paydrop
key rotate", "paydrop key retire" and the destruction of the old master key's last copy, keys destroyed before the
change open nothing. Fingerprints are not sealed: a holder of one and the current master key can test numbers against
it.`;

/** Describes what the database's files still hold of the listed keys and fingerprints. */
function describeCleanings({ shredded, database }: RetentionReport): string[] {
  const parts = [
    { what: 'keys', cleanings: shredded.map(({ key }) => key) },
    { what: 'fingerprints', cleanings: shredded.map(({ fingerprints }) => fingerprints) },
  ];
  return [
    parts.flatMap(({ what, cleanings }) => [countNote(what, cleanings), ...reasonsOf(cleanings)]).join('\n'),
    database.mayListLog ? LOG : NO_LOG,
  ];
}

function countNote(what: string, cleanings: readonly Cleaning[]): string {
  const cleaned = cleanings.filter(({ cleanedAt }) => cleanedAt !== null).length;
  return `In the files of the database the ${what} of ${cleaned} of ${counted(cleanings.length, 'file')} are gone.`;
}

function reasonsOf(cleanings: readonly Cleaning[]): string[] {
  const counts = new Map<string, number>();
  for (const { why } of cleanings) if (why !== null) counts.set(why, (counts.get(why) ?? 0) + 1);
  return [...counts].map(
    ([why, files]) => `  Not yet for ${files}: ${why}. Run "paydrop retention clean" in a quiet hour.`,
  );
}

const LOG = `"Key cleaned" and "Fingerprints cleaned": the table was rewritten after the deletion, and its files have
not contained them since. "Log overwritten": since then the server's write-ahead log does not contain them either. The
key in the log is wrapped by the master key and opens nothing without it.`;

const NO_LOG = `"Key cleaned" and "Fingerprints cleaned": the table was rewritten after the deletion, and its files
have not contained them since. The server's write-ahead log contains them until its files are overwritten. paydrop
cannot tell when, because its role is not allowed to list them (GRANT pg_monitor). The key in the log is wrapped by
the master key and opens nothing without it.`;

function asideNote(schemas: readonly string[]): string {
  return `A replaced ledger is in the database with all its keys: ${schemas.join(', ')}. DROP SCHEMA … CASCADE removes it.`;
}

function shreddedTable({ shredded }: RetentionReport): string {
  return tableOf(
    shredded,
    {
      Destroyed: (file) => file.shreddedAt.toISOString(),
      Account: (file) => file.account,
      File: (file) => file.file_id,
      Name: (file) => file.name,
      State: (file) => file.state,
      'Audit link': (file) => String(file.auditLink ?? ''),
      'Left over': (file) => file.leftOver.join(', '),
      'Key cleaned': (file) => dateOf(file.key.cleanedAt),
      'Fingerprints cleaned': (file) => dateOf(file.fingerprints.cleanedAt),
      'Log overwritten': (file) => dateOf(later(file.key.logOverAt, file.fingerprints.logOverAt)),
    },
    ['Audit link'],
  );
}

function dateOf(at: Date | null): string {
  return at?.toISOString() ?? 'not yet';
}

function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return null;
  return one > other ? one : other;
}

function dueTable({ due }: RetentionReport): string {
  const rows = due.map((file) => [file.dueAt.toISOString(), file.account, file.file_id, file.name, file.state]);
  return textTable(['Since', 'Account', 'File', 'Name', 'State'], rows);
}

function unknownNote(ids: readonly string[]): string {
  return `Not in the ledger, and left alone: ${ids.join(', ')}. They belong to claims in progress, or a restored ledger lacks them.`;
}

/** What was destroyed in a period, what is due, and what should be gone but is not. */
export type RetentionReport = {
  from: Date;
  to: Date;
  /** The ledger's own part of `leftOver`, and `original in the archive` of this host. */
  shredded: ShreddedFile[];
  due: DueFile[];
  database: DatabaseState;
  archive: {
    kept: number;
    /** Originals of files whose keys are destroyed, at any time. They cannot be opened, and must be gone. */
    left: string[];
    /** Originals unknown to the ledger: of a claim in progress, or from before an older ledger was restored. */
    unknown: string[];
  };
};

/** Limit of the listing; the next report has the rest. */
const MOST_DUE = 10_000;

/** Reads the ledger and the archive folder of this host. */
export async function readRetention(
  ledger: Ledger,
  settings: Pick<Settings, 'accounts' | 'paths'>,
  { from, to }: { from: Date; to: Date },
): Promise<RetentionReport> {
  const archive = await readArchive(ledger, settings.paths.archive);
  const left = new Set(archive.left);
  const shredded = (await readShredded(ledger, from, to)).map((file) =>
    left.has(file.file_id) ? { ...file, leftOver: [...file.leftOver, 'original in the archive'] } : file,
  );
  const due = await findDueShreds(ledger, retentionDays(settings), { limit: MOST_DUE });
  return { from, to, shredded, due, database: await readDatabaseState(ledger), archive };
}

async function readArchive(ledger: Ledger, folder: string): Promise<RetentionReport['archive']> {
  const found: RetentionReport['archive'] = { kept: 0, left: [], unknown: [] };
  for await (const files of listSealedInSlices(folder)) {
    const ids = files.map((file) => file.fileId);
    const states = await readShredStates(ledger, ids);
    found.left.push(...ids.filter((id) => states.get(id) === true));
    found.unknown.push(...ids.filter((id) => !states.has(id)));
    found.kept += ids.filter((id) => states.get(id) === false).length;
  }
  return found;
}

/**
 * Returns whether the ledger's rows and the archive hold nothing that should be gone. Due items are no fault: a running
 * paydrop removes them within the hour. What the database's files still hold is reported separately.
 */
export function isClean({ shredded, archive }: RetentionReport): boolean {
  return archive.left.length === 0 && shredded.every((file) => file.leftOver.length === 0);
}
