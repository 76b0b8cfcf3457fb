import { EXIT } from '../../../schemas/errors.ts';
import { askForResult } from '../../../workers/poll/poll.ts';
import { pollNow } from '../../ledger/batch/schedule-poll.ts';
import { readBatchRow } from '../../ledger/file/read-file.ts';
import type { BatchRow } from '../../ledger/engine/records.ts';
import { ASKED_AGAIN, sayUnanswered } from '../../explain/attempt-words.ts';
import { BATCH_ARGUMENT, findBatch } from '../../explain/batch-reference.ts';
import { type CliCommand, JSON_OPTION, print, settingsOf } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { operatorName } from '../operator-name.ts';
import { withApp } from '../process/with-app.ts';

export const repoll: CliCommand = {
  name: 'repoll',
  about: 'Ask the service for the result of a batch now',
  takes: [BATCH_ARGUMENT],
  options: [JSON_OPTION],
  notes: [
    'Asking reads only and may be repeated freely. Nothing is sent by it. Exit status 5 when the result does not fit, or the question gets no answer.',
  ],
  examples: ['repoll monday.csv/1', 'repoll monday.csv/1 --json'],
  async run(call) {
    const [words = ''] = call.arguments;
    const options = { log: openCommandLog('warn'), env: process.env };
    return withApp(settingsOf(call), options, async (app) => {
      const { file, batch } = await findBatch(app.ledger, words);
      const key = { fileId: file.file_id, batchNo: batch.batch_no };
      await pollNow(app.ledger, key, { actor: operatorName(), reason: 'asked for by hand' });
      const failure = await askForResult(app, key);
      const { state, batch_id: batchId, reason } = await readBatchRow(app.ledger, key);
      const answered = batch.state === 'reconciled' ? ASKED_AGAIN : (SAYS[state] ?? `The batch is ${state}.`);
      const says = failure === undefined ? answered : sayUnanswered(failure);
      print(call, { ...key, name: file.name, batchId, state, reason, ...(failure && { failure }) }, () => says);
      return state === 'exception' || failure !== undefined ? EXIT.exception : EXIT.ok;
    });
  },
};

const SAYS: Partial<Record<BatchRow['state'], string>> = {
  submitted: 'The service is not done with it. It is asked again by itself.',
  reconciled: 'The result is here and every row has its outcome.',
  exception: 'The result does not fit what was sent; its money may have moved. See "paydrop exceptions".',
};
