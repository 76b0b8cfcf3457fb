import { EXIT } from '../../../schemas/errors.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { findInvoice } from '../../ledger/file/search.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { findFileOrBatch } from '../../explain/find-file-or-batch.ts';
import { describeWhy, type Why, whyBatch, whyFile, whyInvoice, whyUntaken } from '../../explain/why/tell-why.ts';

export const why: CliCommand = {
  name: 'why',
  about: 'The whole story of a file, a batch or an invoice: what happened, how it stands, what to do next',
  takes: [['<file|batch|invoice>', 'a file, a batch as in monday.csv/2, or an invoice number exactly as in the file']],
  options: [JSON_OPTION],
  examples: ['why monday.csv', 'why monday.csv/2', 'why C-1002 --json'],
  async run(call) {
    const [words = ''] = call.arguments;
    await withLedger(call, async (ledger, settings) => {
      const stories = await tell(ledger, settings, words);
      print(call, stories, () => stories.map(describeWhy).join('\n\n\n'));
    });
    return EXIT.ok;
  },
};

async function tell(ledger: Ledger, settings: Settings, words: string): Promise<Why[]> {
  try {
    const { file, batch } = await findFileOrBatch(ledger, words);
    return [batch ? await whyBatch(ledger, settings, file, batch) : await whyFile(ledger, settings, file)];
  } catch (error) {
    if (!(error instanceof PipelineError) || error.code !== 'NOT_FOUND') throw error;
    const rows = await findInvoice(ledger, words);
    const untaken = rows.length === 0 ? await whyUntaken(ledger, settings, words) : undefined;
    if (untaken) return [untaken];
    if (rows.length === 0) throw error;
    return whyInvoice(ledger, settings, rows);
  }
}
