import { EXIT, saidCode } from '../../../schemas/errors.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { saidState } from '../../../schemas/shown.ts';
import { saidAnswer } from '../../../schemas/rejections.ts';
import { formatCents } from '../../kernel/money.ts';
import { findFile, findInvoice, type FoundRow } from '../../ledger/file/search.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import { textTable } from '../print/table.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { findFileOrBatch } from '../../explain/batch-reference.ts';
import { whyPayment } from '../../explain/why/tell-payment.ts';
import { describeWhy, type Why, whyBatch, whyFile, whyInvoice, whyUntaken } from '../../explain/why/tell-why.ts';

export const find: CliCommand = {
  name: 'find',
  about: 'Find every row with an invoice',
  required: [['--invoice <number>', 'invoice number, exactly as in the file']],
  options: [JSON_OPTION],
  examples: ['find --invoice C-1002', 'find --invoice C-1002 --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const rows = await findInvoice(ledger, String(call.options['invoice']));
      const when = momentsIn(zoneOf(settings), ledger.clock.now());
      const table = () =>
        textTable(
          TITLES,
          rows.map((row) => describe(row, when)),
          [3],
        );
      print(call, rows, () => (rows.length === 0 ? 'No file had this invoice.' : table()));
    });
    return EXIT.ok;
  },
};

const TITLES = ['Claimed', 'File', 'Line', 'Amount', 'Payer', 'Outcome', 'Message'];

function describe(row: FoundRow, when: (at: Date) => string): string[] {
  return [
    when(row.claimedAt),
    `${row.fileId} ${row.name}`,
    String(row.line),
    row.amountCents === null ? 'unreadable' : formatCents(row.amountCents),
    row.customerCode || (row.lastFour ? `…${row.lastFour}` : ''),
    outcomeOf(row),
    row.message === null ? row.faults.map(saidCode).join('; ') : saidAnswer(row.message, row.code),
  ];
}

/** Without an outcome, the state of the batch or file stands in. */
function outcomeOf(row: FoundRow): string {
  if (row.outcome) return OUTCOMES[row.outcome as Outcome].label;
  if (row.batchNo === null) return row.fileState === 'rejected' ? 'file rejected' : OUTCOMES.invalid.label;
  return row.batchState === null ? `file ${saidState(row.fileState)}` : saidState(row.batchState);
}

export const why: CliCommand = {
  name: 'why',
  about: 'Explain a file, a batch, a payment or an invoice: what happened, its state, what to do next',
  takes: [
    [
      '<file|batch|payment|invoice>',
      'a file, a batch as in monday.csv/2, a payment by its line as in monday.csv:12, or an invoice number exactly as in the file',
    ],
  ],
  options: [JSON_OPTION],
  examples: ['why monday.csv', 'why monday.csv/2', 'why monday.csv:12', 'why C-1002 --json'],
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
  const [, fileWords, line] = /^(.+):([1-9]\d{0,8})$/.exec(words.trim()) ?? [];
  if (fileWords !== undefined) {
    const { file_id: fileId } = await findFile(ledger, fileWords);
    return [await whyPayment(ledger, settings, { fileId, line: Number(line) })];
  }
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
