import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { systemClock } from '../../kernel/clock.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { type KeyNeed, readBackup, readKeyNeeds } from '../../ledger/backup/read-backup.ts';
import { type Upgraded, upgradeDatabase } from '../../ledger/backup/upgrade-database.ts';
import { type BackupSummary, writeBackup } from '../../ledger/backup/write-backup.ts';
import { openLedger } from '../../ledger/engine/open-ledger.ts';
import { describeKeyPlace, findKeyPlace } from '../../crypto/key-place.ts';
import { type Call, type CliCommand, JSON_OPTION, placeOf, print, settingsOf } from '../command.ts';
import { compareKeys, warnOfMissingKeys } from '../doctor/keys.ts';
import { openCommandLog } from '../open-command-log.ts';
import { textTable } from '../print/table.ts';
import type { Settings } from '../../config/config.ts';
import { readAdmission } from '../../ledger/admission/read-admission.ts';
import { restoreBackup, type Restored } from '../../ledger/backup/restore-backup.ts';
import { type Recalled, recallForgotten } from '../../ledger/doubt/recall-batch.ts';
import { operatorName } from '../option-values.ts';
import { sayErr } from '../print/say.ts';

export const backup: CliCommand = {
  name: 'backup',
  about: 'Copy the whole ledger into one file during operation, or check such a file',
  takes: [
    ['<file>', 'the new file; or the word "verify"'],
    ['[backup]', 'with verify: the file to check'],
  ],
  options: [JSON_OPTION],
  notes: [
    `The file has the ledger as of one moment. It does not contain the sealed originals and the master key; the
command shows where they are, so that you can copy them too. Never restore the send journal.`,
    'Card and account numbers are sealed in it as in the ledger. Keep it apart from the master key.',
  ],
  examples: ['backup /backups/paydrop-2026-11-22.backup', 'backup verify /backups/paydrop-2026-11-22.backup'],
  async run(call) {
    const [first = '', second] = call.arguments;
    if (first === 'verify' && second !== undefined) {
      const keys = readKeyNeeds();
      const summary = await readBackup(resolve(second), { table: keys.table });
      const needed = compareKeys(settingsIfAny(call), keys.needs());
      print(call, { ...summary, keys: needed.map(({ id, isHere }) => ({ id, isHere })) }, () =>
        [describe(second, summary), ...needed.map(({ says }) => says)].join('\n'),
      );
      return EXIT.ok;
    }
    if (first === 'verify' || second !== undefined) throw wantsOneFile();
    const settings = settingsOf(call);
    const { archive, journal } = settings.paths;
    const masterKey = describeKeyPlace(findKeyPlace(settings, process.env));
    // A large table may take longer than any answer of daily work.
    const options = { clock: systemClock, log: openCommandLog('error'), answerMs: 0 };
    const ledger = await openLedger(placeOf(settings), options);
    try {
      const summary = await writeBackup(ledger, resolve(first));
      print(call, { ...summary, copyToo: { archive, masterKey }, neverRestore: journal }, () =>
        [
          describe(first, summary),
          `Copy these as well:\n  ${archive}  (sealed originals)\n  the master key, from ${masterKey}, kept apart from the backup`,
          `Never restore ${journal} from a copy: it prevents a restored ledger from sending twice.`,
        ].join('\n\n'),
      );
      return EXIT.ok;
    } finally {
      await ledger.close();
    }
  },
};

/** A backup can be checked where nothing else of paydrop is. */
function settingsIfAny(call: Call): Settings | undefined {
  try {
    return settingsOf(call);
  } catch {
    return undefined;
  }
}

function wantsOneFile(): PipelineError {
  const next = 'Write "paydrop backup FILE" or "paydrop backup verify FILE".';
  return new PipelineError('USAGE', 'make or check a backup', 'give one file', { next });
}

function describe(path: string, summary: BackupSummary): string {
  const tables = summary.tables.filter(({ rows }) => rows > 0);
  const table = textTable(
    ['Table', 'Rows', 'Bytes'],
    tables.map(({ table: name, rows, bytes }) => [name, String(rows), String(bytes)]),
    [1, 2],
  );
  const whole = `${path} is intact: the ledger of ${summary.madeAt}, ${counted(summary.rows, 'row')}, with the tables of ${summary.migration}.`;
  return [whole, table, `SHA-256 of its content: ${summary.sha256}`].join('\n\n');
}

export const restore: CliCommand = {
  name: 'restore',
  about: 'Restore the ledger from a backup, and stop every account that has sent since',
  takes: [['<file>', 'a file that "paydrop backup" made']],
  options: [
    ['--replace', 'keep the current ledger, if it holds files, under another name'],
    ['--without-keys', 'restore also when no master key at hand opens anything in it'],
    JSON_OPTION,
  ],
  notes: [
    `Stop all paydrop processes of this ledger first. The whole file is checked before anything is changed, and the
change is one transaction. Leave the send journal as it is: it has what was sent since the backup. With --replace the
calls of the replaced ledger are kept too. Exit status 5 when an account was stopped or another host has to report,
because a person has to look there.`,
    `A master key that the backup needs and that is not at hand is named first, with what cannot be opened without it; the
exit status is 5 then. "paydrop backup verify" names the keys without restoring anything.`,
  ],
  examples: ['restore /backups/paydrop-2026-11-22.backup', 'restore /backups/paydrop-2026-11-22.backup --replace'],
  async run(call) {
    const [file = ''] = call.arguments;
    const settings = settingsOf(call);
    const replace = call.options['replace'] !== undefined;
    const log = openCommandLog('error');
    const isKnown = call.options['withoutKeys'] !== undefined;
    const missing: string[] = [];
    const mayOpen = (needs: readonly KeyNeed[]) =>
      void missing.push(...warnOfMissingKeys(settings, file, needs, isKnown).map(({ id }) => id));
    const options = { clock: systemClock, log, actor: operatorName(), replace, mayOpen };
    const restored = await restoreBackup(placeOf(settings), resolve(file), options);
    const { recalled, waits, isWaitedFor } = await compare(settings, log);
    const stopped = [...restored.recalled, ...recalled];
    const { backup, keptAs } = restored;
    print(call, { backup, keptAs, stopped: stopped.map(forJson), waits, missingKeys: missing }, () =>
      [describeRestored(file, restored, stopped, waits), ...missing.map(sayLacks)].join('\n'),
    );
    return stopped.length > 0 || isWaitedFor || missing.length > 0 ? EXIT.exception : EXIT.ok;
  },
};

function sayLacks(id: string): string {
  return `Master key ${id} is still missing: "paydrop key list" shows what it opens, and which keys are here.`;
}

const upgrade: CliCommand = {
  name: 'upgrade',
  about: 'Move the embedded database to the PostgreSQL of this version of paydrop',
  options: [
    ['--from <folder>', 'the programs of the earlier PostgreSQL, or where npm installed their package'],
    JSON_OPTION,
  ],
  notes: [
    `Needed once, when a command says that another major version of PostgreSQL made the data. Stop all paydrop processes
first. The ledger is copied into a new database and compared; then the folders are switched, and the earlier one is kept.
If it is interrupted, run it again.`,
    `The programs of the earlier PostgreSQL are found where packages of the operating system put them. Otherwise the command
says which npm package has them. Exit status 5 when a person has to look, as after "paydrop restore".`,
  ],
  examples: ['database upgrade', 'database upgrade --from /usr/lib/postgresql/17/bin', 'database upgrade --json'],
  async run(call) {
    const settings = settingsOf(call);
    mustBeEmbedded(settings);
    const log = openCommandLog('error');
    const { from } = call.options;
    const upgraded = await upgradeDatabase({
      dataDir: settings.paths.data,
      ...(typeof from === 'string' && { from: resolve(from) }),
      clock: systemClock,
      log,
      actor: operatorName(),
      say: (step) => sayErr(`${step} …`),
    });
    if (!upgraded) {
      print(call, { upgraded: false }, () => UPGRADED_BEFORE);
      return EXIT.ok;
    }
    const { recalled, waits, isWaitedFor } = await compare(settings, log);
    print(call, { upgraded: true, ...upgraded, stopped: recalled.map(forJson), waits }, () =>
      describeUpgraded(upgraded, recalled, waits),
    );
    return recalled.length > 0 || isWaitedFor || upgraded.auditBreaks > 0 ? EXIT.exception : EXIT.ok;
  },
};

/** A call that was killed after the switch may not have compared the ledger with the send journal. The workers do. */
const UPGRADED_BEFORE = `The database is of this PostgreSQL already. Nothing was changed.
After an interrupted upgrade, start paydrop; "paydrop status" then lists the accounts that were stopped.`;

export const database: CliCommand = {
  name: 'database',
  about: 'Move the embedded database to a newer PostgreSQL',
  commands: [upgrade],
  examples: ['database upgrade'],
};

function mustBeEmbedded(settings: Settings): void {
  const action = 'upgrade the database';
  if (settings.databaseUrl !== undefined) {
    const next = 'Upgrade that server by its own means; paydrop works with every version from 14 on.';
    throw new PipelineError('USAGE', action, 'DATABASE_URL names a server of your own', { next });
  }
  if (existsSync(settings.paths.data)) return;
  const next = 'The first "paydrop start" makes one.';
  throw new PipelineError('NOT_FOUND', action, `there is no database in "${settings.paths.data}"`, { next });
}

function describeUpgraded(
  { from, to, tables, rows, auditBreaks, keptIn, leftBehind }: Upgraded,
  stopped: readonly Recalled[],
  waits: readonly string[],
): string {
  return [
    `The database is of PostgreSQL ${to} now; it was of PostgreSQL ${from}. ${counted(rows, 'row')} in ${counted(tables, 'table')} were copied and compared.`,
    auditBreaks === 0
      ? 'The audit trail is complete.'
      : 'The audit trail is broken, as it was before: see "paydrop audit verify".',
    ...leftBehind.map((what) => `Not copied, because it is no part of the ledger: ${what}`),
    `The earlier database is kept in ${keptIn}. It holds the same data and wrapped keys: remove it when all is well.`,
    ...stopped.map(describeStop),
    ...(stopped.length > 0 ? [NEXT] : []),
    'Nothing is sent before every sending host has reported: paydrop sender list',
    ...waits,
  ].join('\n');
}

/** Compares as the workers do at startup, so that the operator sees the result at once. */
async function compare(
  settings: Settings,
  log: ReturnType<typeof openCommandLog>,
): Promise<{ recalled: Recalled[]; waits: string[]; isWaitedFor: boolean }> {
  const ledger = await openLedger(placeOf(settings), { clock: systemClock, log });
  try {
    const recalled = await recallForgotten(ledger, settings.paths.journal);
    const { waits, senders } = await readAdmission(ledger);
    // This host reports when it starts.
    return {
      recalled,
      waits,
      isWaitedFor: senders.some(({ name, state }) => state === 'waited for' && name !== settings.host),
    };
  } finally {
    await ledger.close();
  }
}

function forJson({ account, reason, recalled, forgotten }: Recalled) {
  return { account, reason, inDoubt: recalled, forgotten: forgotten.length };
}

function describeRestored(
  file: string,
  { backup, keptAs }: Restored,
  stopped: readonly Recalled[],
  waits: readonly string[],
): string {
  return [
    `Restored ${file}: the ledger of ${backup.madeAt}, ${counted(backup.rows, 'row')} in ${counted(backup.tables.length, 'table')}.`,
    ...(keptAs === undefined
      ? []
      : [`The previous ledger is kept in the schema ${keptAs}; drop it when it is no longer needed.`]),
    ...(stopped.length === 0
      ? ['This ledger has every call in the send journal of this host; no account was stopped.']
      : [...stopped.map(describeStop), NEXT]),
    'Nothing is sent before every sending host has reported: paydrop sender list',
    ...waits,
  ].join('\n');
}

function describeStop({ account, reason, recalled, forgotten }: Recalled): string {
  return `Account ${account} was stopped: ${reason}. Batches in doubt: ${recalled.length}; calls that no batch explains: ${forgotten.length}.`;
}

const NEXT = `What was sent since the backup is not sent again. For each stopped account:
  paydrop unknown list            batches in doubt; their results are at the service
  paydrop account forgotten NAME  calls of files taken after the backup
  paydrop account acknowledge NAME --reason …, then paydrop account resume NAME --reason …
Never drop those files again.`;
