import { EXIT } from '../../../schemas/errors.ts';
import type { BatchKey, AuditReason } from '../../ledger/engine/move.ts';
import { retryRefused, withdrawBatch } from '../../ledger/batch/retry-refused.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readBatchRow, readFileState } from '../../ledger/file/read-file.ts';
import { BATCH_ARGUMENT, findBatch } from '../../explain/batch-reference.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { operatorName } from '../operator-name.ts';
import { REASON_OPTION, readReason } from '../read-reason.ts';
import { sumOf } from '../../explain/why/sentence.ts';

export const retry: CliCommand = {
  name: 'retry',
  about: 'Send a refused batch again; the service had said no, nothing was charged',
  takes: [BATCH_ARGUMENT],
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  notes: [
    'Fix the cause first. Another refusal stops the account again, and the service locks accounts that try often.',
  ],
  examples: ['retry monday.csv/1 --reason "the password is the new one now"'],
  run: (call) => decide(call, retryRefused, (sum) => `It will be sent again: ${sum}.`),
};

export const withdraw: CliCommand = {
  ...retry,
  name: 'withdraw',
  about: 'Give up a refused batch; its rows are not sent',
  notes: ['Its rows stand in the results as NOT_SENT, and in the rejects file.'],
  examples: ['withdraw monday.csv/1 --reason "the sender will send it anew"'],
  run: (call) => decide(call, withdrawBatch, (sum) => `Withdrawn: ${sum} will never be sent.`),
};

async function decide(
  call: Call,
  move: (ledger: Ledger, key: BatchKey, because: AuditReason) => Promise<unknown>,
  say: (sum: string) => string,
): Promise<number> {
  const [words = ''] = call.arguments;
  const reason = readReason(call, 'move the batch');
  await withLedger(call, async (ledger, settings) => {
    await compareJournalFirst(ledger, settings);
    const { file, batch } = await findBatch(ledger, words);
    const key = { fileId: file.file_id, batchNo: batch.batch_no };
    await move(ledger, key, { actor: operatorName(), reason });
    const { state, rows, cents, attempt } = await readBatchRow(ledger, key);
    const fileState = await readFileState(ledger, file.file_id);
    print(call, { ...key, name: file.name, state, attempt, rows, cents, fileState }, () =>
      say(`batch ${key.batchNo} of ${file.name}, ${sumOf(rows, cents)}`),
    );
  });
  return EXIT.ok;
}
