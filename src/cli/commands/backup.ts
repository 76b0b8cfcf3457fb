import { resolve } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { systemClock } from '../../kernel/clock.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readBackup } from '../../ledger/backup/read-backup.ts';
import { type BackupSummary, writeBackup } from '../../ledger/backup/write-backup.ts';
import { openLedger } from '../../ledger/engine/open-ledger.ts';
import { describeKeyPlace, findKeyPlace } from '../../crypto/key-place.ts';
import { type CliCommand, JSON_OPTION, placeOf, print, settingsOf } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { textTable } from '../print/table.ts';

export const backup: CliCommand = {
  name: 'backup',
  about: 'Copy the whole ledger into one file, while work goes on; and check such a file',
  takes: [
    ['<file>', 'the new file; or the word "verify"'],
    ['[backup]', 'with verify: the file to check'],
  ],
  options: [JSON_OPTION],
  notes: [
    `The file holds the ledger as it was at one moment. The sealed originals and the master key are no part of it; the
command says where they lie, so that they can be copied as well. The send journal must never be restored.`,
    'Card and account numbers are sealed in it as they are in the ledger. Keep it apart from the master key.',
  ],
  examples: ['backup /backups/paydrop-2026-11-22.backup', 'backup verify /backups/paydrop-2026-11-22.backup'],
  async run(call) {
    const [first = '', second] = call.arguments;
    if (first === 'verify' && second !== undefined) {
      const summary = await readBackup(resolve(second));
      print(call, summary, () => describe(second, summary));
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
          `Copy these by your own means as well:\n  ${archive}  (sealed originals)\n  the master key, from ${masterKey}, kept apart from the backup`,
          `Never restore ${journal} from a copy: it is what keeps a restored ledger from sending twice.`,
        ].join('\n\n'),
      );
      return EXIT.ok;
    } finally {
      await ledger.close();
    }
  },
};

function wantsOneFile(): PipelineError {
  const next = 'Write "paydrop backup FILE" or "paydrop backup verify FILE".';
  return new PipelineError('USAGE', 'make or check a backup', 'it wants one file', { next });
}

function describe(path: string, summary: BackupSummary): string {
  const tables = summary.tables.filter(({ rows }) => rows > 0);
  const table = textTable(
    ['Table', 'Rows', 'Bytes'],
    tables.map(({ table: name, rows, bytes }) => [name, String(rows), String(bytes)]),
    [1, 2],
  );
  const whole = `${path} is whole: the ledger of ${summary.madeAt}, ${counted(summary.rows, 'row')}, up to migration ${summary.migration}.`;
  return [whole, table, `SHA-256 of its content: ${summary.sha256}`].join('\n\n');
}
