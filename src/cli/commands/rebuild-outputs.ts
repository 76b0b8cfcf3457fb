import { makeFolders } from '../../kernel/make-folders.ts';
import { resolve } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { type OutputCheck, rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import { findFile } from '../../ledger/file/search.ts';
import { type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { textTable } from '../print/table.ts';
import { withApp } from '../process/with-app.ts';

export const rebuild: CliCommand = {
  name: 'rebuild-outputs',
  about: 'Make the output files of a file once more and compare them; they are the same byte for byte',
  takes: [['<file>', 'its id, the first letters of it, or its name']],
  options: [['--out <folder>', 'leave them there; left out, they are only compared'], JSON_OPTION],
  notes: [
    `Nothing in the out folder is changed. A file that is missing there can be brought
back with --out, as the same bytes. Exit status 5 when one is missing or differs.`,
  ],
  examples: ['rebuild-outputs monday.csv', 'rebuild-outputs monday.csv --out /tmp/again'],
  async run(call) {
    const [words = ''] = call.arguments;
    const { out } = call.options;
    const into = out === undefined ? undefined : resolve(String(out));
    const options = { log: openCommandLog('warn'), env: process.env };
    return withApp(settingsOf(call), options, async (app) => {
      const file = await findFile(app.ledger, words);
      if (into !== undefined) await makeFolders(into, 0o700);
      const checks = await rebuildOutputs(app, file, into);
      print(call, { fileId: file.file_id, name: file.name, outputs: checks }, () => describe(checks));
      return checks.every(isWhole) ? EXIT.ok : EXIT.exception;
    });
  },
};

function isWhole({ onDisk, rebuilt }: OutputCheck): boolean {
  return onDisk === 'same' && rebuilt === 'same';
}

function describe(checks: readonly OutputCheck[]): string {
  if (checks.length === 0) return 'No output of this file was written yet.';
  const rows = checks.map(({ name, onDisk, rebuilt }) => [name, onDisk, rebuilt]);
  const table = textTable(['Output', 'In the out folder', 'Made again'], rows);
  const hints = [
    ...(checks.some(({ onDisk }) => onDisk === 'missing')
      ? ['missing: somebody moved or removed it; --out writes it again.']
      : []),
    ...(checks.some(({ onDisk }) => onDisk === 'differs')
      ? ['differs in the out folder: it was changed after paydrop had written and read it back.']
      : []),
    ...(checks.some(({ rebuilt }) => rebuilt === 'differs')
      ? ['differs when made again: settings of its folder or account, or this version, write it otherwise.']
      : []),
  ];
  return [table, ...(hints.length > 0 ? [hints.join('\n')] : ['Every output is whole.'])].join('\n\n');
}
