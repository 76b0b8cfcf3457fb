import { EXIT } from '../../../schemas/errors.ts';
import type { Settings } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readExceptions } from '../../ledger/doubt/find-batches-holding.ts';
import { findKeyPlace } from '../../crypto/key-place.ts';
import { openKeyRing } from '../../crypto/key-ring.ts';
import { BATCH_ARGUMENT, findBatch } from '../../explain/batch-reference.ts';
import { compareBatch } from '../../explain/compare-batch.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { describeComparison } from '../exceptions/describe-comparison.ts';
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
  const keys = openKeyRing(findKeyPlace(settings, process.env));
  const comparison = await compareBatch({ ledger, keys }, file, batch, { all: call.options['all'] === true });
  print(call, comparison, () => describeComparison(comparison));
}
