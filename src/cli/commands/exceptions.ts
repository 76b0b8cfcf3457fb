import { EXIT } from '../../../schemas/errors.ts';
import { readResult } from '../../../workers/poll/judge-result.ts';
import { openResult } from '../../../workers/poll/sealed-result.ts';
import type { Settings } from '../../kernel/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../../ledger/open-ledger.ts';
import { readExceptions } from '../../ledger/queries/read-exceptions.ts';
import { readSentRows } from '../../ledger/queries/read-file.ts';
import { compareRows } from '../../reconcile/compare-rows.ts';
import { findKeyPlace } from '../../vault/key-place.ts';
import { openKeyRing } from '../../vault/key-ring.ts';
import { BATCH_ARGUMENT, batchReference, findBatch } from '../../operator/batch-reference.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { describeComparison, type Comparison } from '../exceptions/describe-comparison.ts';
import { describeExceptions } from '../exceptions/describe-exceptions.ts';

export const exceptions: CliCommand = {
  name: 'exceptions',
  about: 'Batches whose result does not fit what was sent, and both sides of one',
  takes: [['[batch]', BATCH_ARGUMENT[1]]],
  options: [['--all', 'show the rows that fit, too'], JSON_OPTION],
  notes: [
    'A batch whose result does not fit has no outcomes: half a result would pass for a whole one. The service is asked for it again once a day, and when it fits by then the batch goes on by itself.',
  ],
  examples: ['exceptions', 'exceptions monday.csv/2'],
  async run(call) {
    const [words] = call.arguments;
    await withLedger(call, (ledger, settings) =>
      words === undefined ? listExceptions(call, ledger) : showException(call, ledger, settings, words),
    );
    return EXIT.ok;
  },
};

async function listExceptions(call: Call, ledger: Ledger): Promise<void> {
  const found = await readExceptions(ledger);
  print(call, found, () => describeExceptions(found));
}

/** @throws PipelineError NOT_FOUND when the batch has no result yet */
async function showException(call: Call, ledger: Ledger, settings: Settings, words: string): Promise<void> {
  const { file, batch } = await findBatch(ledger, words);
  const reference = batchReference({ fileId: file.file_id, batchNo: batch.batch_no });
  if (batch.result_sha256 === null)
    throw new PipelineError('NOT_FOUND', `compare batch ${reference}`, 'there is no result of it yet');
  const keys = openKeyRing(findKeyPlace(settings, process.env));
  const bytes = await openResult({ ledger, keys }, file, batch.batch_no);
  const sent = await readSentRows(ledger, file.file_no, batch.batch_no);
  const results = readResult(bytes, file.layout!, sent.length);
  const unreadable = typeof results === 'string' ? results : undefined;
  const rows = compareRows(file.layout!, sent, typeof results === 'string' ? [] : results);
  const comparison: Comparison = {
    batch: reference,
    name: file.name,
    state: batch.state,
    batchId: batch.batch_id,
    reason: batch.reason,
    ...(unreadable !== undefined && { unreadable }),
    sentRows: sent.length,
    resultRows: typeof results === 'string' ? 0 : results.length,
    differing: rows.filter((row) => !row.isSame).length,
    rows: call.options['all'] ? rows : rows.filter((row) => !row.isSame),
  };
  print(call, comparison, () => describeComparison(comparison));
}
