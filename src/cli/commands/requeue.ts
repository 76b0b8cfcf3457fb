import { saidState } from '../../../schemas/lifecycle.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { requeueFile } from '../../actions/requeue.ts';
import { type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import { FILE_OR_BATCH_ARGUMENT, findFileOrBatch } from '../../explain/find-file-or-batch.ts';
import { openCommandLog } from '../open-command-log.ts';
import { withApp } from '../process/with-app.ts';

export const requeue: CliCommand = {
  name: 'requeue',
  about: 'Create the jobs of a file or batch again; harmless at any time',
  takes: [FILE_OR_BATCH_ARGUMENT],
  options: [JSON_OPTION],
  notes: ['A running paydrop does this automatically every few seconds. A job sends only what the ledger allows.'],
  examples: ['requeue monday.csv', 'requeue monday.csv/2 --json'],
  async run(call) {
    const [words = ''] = call.arguments;
    const options = { log: openCommandLog('warn'), env: process.env };
    await withApp(settingsOf(call), options, async (app) => {
      const { file, batch } = await findFileOrBatch(app.ledger, words);
      const asked = await requeueFile(app, file, batch);
      print(call, { fileId: file.file_id, name: file.name, asked }, () =>
        asked.length > 0
          ? `Created: ${asked.join(', ')}.`
          : `Nothing to create: its state is ${saidState(batch?.state ?? file.state)}. See "paydrop why ${words}".`,
      );
    });
    return EXIT.ok;
  },
};
