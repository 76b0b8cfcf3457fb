import { EXIT } from '../../../schemas/errors.ts';
import { type Cancelled, cancelBatch, cancelFile } from '../../ledger/file/cancel-file.ts';
import type { BatchRow } from '../../ledger/engine/records.ts';
import { readBatches } from '../../ledger/file/read-file.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { FILE_OR_BATCH_ARGUMENT, findFileOrBatch } from '../../explain/find-file-or-batch.ts';
import { operatorName } from '../operator-name.ts';
import { REASON_OPTION, readReason } from '../read-reason.ts';
import { sumOf } from '../../explain/why/sentence.ts';

export const cancel: CliCommand = {
  name: 'cancel',
  about: 'Stop what was not sent yet of a file, or one batch of it',
  takes: [FILE_OR_BATCH_ARGUMENT],
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  notes: [
    `What was sent, or may have been, goes on to its end: it cannot be called back.
A held file is stopped with "paydrop decline".`,
  ],
  examples: ['cancel monday.csv --reason "the sender recalls it"', 'cancel monday.csv/3 --reason "wrong amounts"'],
  async run(call) {
    const [words = ''] = call.arguments;
    const reason = readReason(call, 'cancel it');
    await withLedger(call, async (ledger, settings) => {
      await compareJournalFirst(ledger, settings);
      const { file, batch } = await findFileOrBatch(ledger, words);
      const because = { actor: operatorName(), reason };
      const done = batch
        ? await cancelBatch(ledger, { fileId: file.file_id, batchNo: batch.batch_no }, because)
        : await cancelFile(ledger, file.file_id, because);
      const batches = await readBatches(ledger, file.file_id);
      print(call, { fileId: file.file_id, name: file.name, ...done }, () => describe(file.name, done, batches));
    });
    return EXIT.ok;
  },
};

function describe(name: string, { state, cancelled, goingOn }: Cancelled, batches: readonly BatchRow[]): string {
  const stopped = batches.filter((batch) => cancelled.includes(batch.batch_no));
  const rows = stopped.reduce((sum, batch) => sum + batch.rows, 0);
  const cents = stopped.reduce((sum, batch) => sum + batch.cents, 0);
  const lines = [`Cancelled: ${sumOf(rows, cents)} will never be sent.`];
  if (goingOn.length > 0) {
    const open = goingOn.map((batch) => `${batch.batchNo} (${batch.state})`).join(', ');
    lines.push(
      `Going on: batch ${open}. Their outcomes come with the results; the cancelled rows stand there as NOT_SENT.`,
    );
  } else lines.push(`${name} is ${state}; its output files follow.`);
  return lines.join('\n');
}
