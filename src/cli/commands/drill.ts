import { statfs } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import type { Settings } from '../../config/config.ts';
import { systemClock } from '../../kernel/clock.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { formatCents } from '../../kernel/money.ts';
import { readBackup } from '../../ledger/backup/read-backup.ts';
import {
  type LedgerSum,
  readLedgerSums,
  readSize,
  withScratchFolder,
  withScratchLedger,
} from '../../ledger/backup/scratch-ledger.ts';
import { type BackupSummary, writeBackup } from '../../ledger/backup/write-backup.ts';
import { type Ledger, openLedger } from '../../ledger/engine/open-ledger.ts';
import { type Call, type CliCommand, JSON_OPTION, keysOf, placeOf, print, settingsOf } from '../command.ts';
import { describeExamined, type Examined, worstOf } from '../doctor/doctor.ts';
import { type Source, verifyRestored } from '../doctor/restored.ts';
import { noteDrill } from '../doctor/work.ts';
import { openCommandLog } from '../open-command-log.ts';
import { tableOf } from '../print/table.ts';

export const drill: CliCommand = {
  name: 'drill',
  about: 'Prove that a backup can be restored: restore it into a scratch database, verify it there, and remove it',
  options: [
    ['--from <file>', 'use this backup instead of a new one; the ledger itself is not opened'],
    ['--to <file>', 'keep the new backup as this file'],
    ['--in <folder>', 'where the scratch database is made; the data folder when left out'],
    ['--on-server', 'make the scratch database on the server of DATABASE_URL, whose user must be allowed to'],
    JSON_OPTION,
  ],
  notes: [
    `The scratch is a PostgreSQL of its own, or a database of its own with --on-server. Nothing can be sent from it, and
it is removed at the end; what a killed drill left is removed by the next one. The ledger, the archive and the send
journal stay as they are. Exit status 5 when anything is bad, or when the drill could not be done.`,
    'The result is kept in the data folder, and "paydrop doctor" shows how old it is.',
  ],
  examples: [
    'drill',
    'drill --to /backups/paydrop-2026-11-22.backup',
    'drill --from /backups/paydrop-2026-11-22.backup',
  ],
  async run(call) {
    const settings = settingsOf(call);
    try {
      const report = await drillOnce(call, settings);
      const worst = worstOf(report.checks);
      const { madeAt, sha256 } = report.backup;
      await noteDrill(settings, { at: report.at, worst, madeAt, sha256, seconds: report.seconds.whole });
      print(call, { worst, ...report, sums: report.sums.map(forJson) }, () => describe(report));
      return worst === 'bad' ? EXIT.exception : EXIT.ok;
    } catch (error) {
      if (error instanceof PipelineError && error.code !== 'USAGE')
        await noteDrill(settings, { at: systemClock.now().toISOString(), worst: 'bad', code: error.code });
      throw error;
    }
  },
};

type Report = {
  at: string;
  backup: { path: string | null; isNew: boolean } & Omit<BackupSummary, 'tables'>;
  scratch: { on: 'server' | 'folder'; bytes: number };
  seconds: { backup: number; restore: number; verify: number; whole: number };
  checks: Examined[];
  sums: LedgerSum[];
};

async function drillOnce(call: Call, settings: Settings): Promise<Report> {
  const { from, to, in: parent } = call.options as Partial<Record<'from' | 'to' | 'in', string>>;
  const url = call.options['onServer'] === undefined ? undefined : settings.databaseUrl;
  if (call.options['onServer'] !== undefined && url === undefined)
    throw wrongUse(
      '--on-server needs DATABASE_URL',
      'Leave it out: the embedded PostgreSQL gets a scratch of its own.',
    );
  if (from !== undefined && to !== undefined)
    throw wrongUse('--to keeps a new backup, and --from uses an old one', 'Give one of them.');
  const keys = keysOf(settings);
  const log = openCommandLog('error');
  const where = resolve(parent ?? settings.paths.data);
  const at = systemClock.now();
  const begun = performance.now();
  return withScratchFolder(where, async (folder) => {
    const path = resolve(from ?? to ?? join(folder, 'ledger.backup'));
    const work = async (backup: BackupSummary, source?: Source): Promise<Report> => {
      await mustHaveRoom(where, backup.bytes);
      const backedUp = performance.now();
      const place = url === undefined ? { folder } : { url };
      return withScratchLedger(place, path, { clock: systemClock, log }, async (scratch) => {
        const restored = performance.now();
        const { madeAt, migration, rows, bytes, sha256 } = backup;
        const sums = await readLedgerSums(scratch.pool);
        const checks = await verifyRestored({ scratch, settings, keys, backup, sums, source });
        const isKept = from !== undefined || to !== undefined;
        const end = performance.now();
        return {
          at: at.toISOString(),
          backup: { path: isKept ? path : null, isNew: from === undefined, madeAt, migration, rows, bytes, sha256 },
          scratch: { on: url === undefined ? 'folder' : 'server', bytes: await readSize(scratch) },
          seconds: {
            backup: secondsOf(backedUp - begun),
            restore: secondsOf(restored - backedUp),
            verify: secondsOf(end - restored),
            whole: secondsOf(end - begun),
          },
          checks,
          sums,
        };
      });
    };
    if (from !== undefined) return work(await readBackup(path));
    return withSource(settings, log, where, async (ledger) => {
      let sums: LedgerSum[] = [];
      const backup = await writeBackup(ledger, path, async (client) => void (sums = await readLedgerSums(client)));
      return work(backup, { ledger, sums });
    });
  });
}

function wrongUse(reason: string, next: string): PipelineError {
  return new PipelineError('USAGE', 'begin a drill', reason, { next });
}

async function withSource<Result>(
  settings: Settings,
  log: Log,
  where: string,
  work: (ledger: Ledger) => Promise<Result>,
): Promise<Result> {
  const ledger = await openLedger(placeOf(settings), { clock: systemClock, log, answerMs: 0 });
  try {
    await mustHaveRoom(where, await readSize(ledger));
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

/** A restored ledger takes about as much as its backup; its server and the log of the restore come on top. */
const ROOM_PER_BYTE = 2;
const ROOM_OF_SERVER = 150_000_000;

/** Refuses a drill that would fill the disk, which may be that of the ledger. */
async function mustHaveRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [needed, free] = [bytes * ROOM_PER_BYTE + ROOM_OF_SERVER, bavail * bsize];
  if (free >= needed) return;
  const reason = `it needs about ${megabytes(needed)} in "${folder}", where ${megabytes(free)} are free`;
  throw new PipelineError('DISK_FULL', 'begin a drill', reason, { next: 'Name a folder on a larger disk with --in.' });
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_000_000)} MB`;
}

function secondsOf(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function forJson({ cents, ...sum }: LedgerSum) {
  return { ...sum, total: formatCents(cents) };
}

function describe({ backup, scratch, seconds, checks, sums }: Report): string {
  const { path, madeAt, rows, bytes, sha256, migration } = backup;
  const parts = { backup: seconds.backup, restore: seconds.restore, verification: seconds.verify };
  return [
    describeExamined(checks),
    tableOf(
      sums,
      {
        What: ({ what }) => what,
        Account: ({ account }) => account,
        State: ({ state }) => state,
        Count: ({ count }) => String(count),
        Total: ({ cents }) => formatCents(cents),
      },
      ['Count', 'Total'],
    ),
    [
      `Backup of ${madeAt}${path === null ? ', removed again' : `: ${path}`}`,
      `  ${counted(rows, 'row')}, ${counted(bytes, 'byte')}, with the tables of ${migration}, SHA-256 ${sha256}`,
      `Scratch database on ${scratch.on === 'server' ? 'the server of DATABASE_URL' : 'a PostgreSQL of its own'}: ${megabytes(scratch.bytes)}, removed again`,
      `Seconds: ${Object.entries(parts)
        .map(([what, took]) => `${what} ${took}`)
        .join(', ')}`,
    ].join('\n'),
  ].join('\n\n');
}
