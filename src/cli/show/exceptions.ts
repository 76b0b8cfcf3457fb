import { EXIT } from '../../../schemas/errors.ts';
import { saidState } from '../../../schemas/shown.ts';
import type { Settings } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { type ExceptionBatch, readExceptions } from '../../ledger/doubt/find-batches-holding.ts';
import { readOpenProposals } from '../../ledger/proposal/proposals.ts';
import { BATCH_ARGUMENT, batchReference, findBatch } from '../../explain/batch-reference.ts';
import { compareBatch, type Comparison } from '../../explain/compare-batch.ts';
import { type Call, type CliCommand, JSON_OPTION, keysOf, print, readLedger } from '../command.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import type { ComparedRow, ShownSide } from '../../reconcile/compare-rows.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import { HOW_TO_END, proposalTable, textTable } from '../print/table.ts';
import { formatCents } from '../../kernel/money.ts';

export const exceptions: CliCommand = {
  name: 'exceptions',
  about: 'List batches whose result does not match, or compare both sides of one',
  takes: [['[batch]', BATCH_ARGUMENT[1]]],
  options: [['--all', 'also show matching rows'], JSON_OPTION],
  notes: [
    'A batch whose result does not match has no outcomes. The result is fetched again once a day; when it matches, the batch continues automatically.',
  ],
  examples: ['exceptions', 'exceptions monday.csv/2'],
  async run(call) {
    const [words] = call.arguments;
    await readLedger(call, (ledger, settings) =>
      words === undefined ? listExceptions(call, ledger, settings) : showException(call, ledger, settings, words),
    );
    return EXIT.ok;
  },
};

export const proposals: CliCommand = {
  name: 'proposals',
  about: 'List proposals that another person must confirm or refuse',
  options: [JSON_OPTION],
  examples: ['proposals'],
  async run(call) {
    await readLedger(call, async (ledger, settings) => {
      const open = await readOpenProposals(ledger);
      const table = () => proposalTable(open, momentsIn(zoneOf(settings), ledger.clock.now()));
      print(call, open, () => (open.length === 0 ? 'No open proposals.' : `${table()}\n\n${HOW_TO_END}`));
    });
    return EXIT.ok;
  },
};

async function listExceptions(call: Call, ledger: Ledger, settings: Settings): Promise<void> {
  const found = await readExceptions(ledger);
  print(call, found, () => describeExceptions(found, momentsIn(zoneOf(settings), ledger.clock.now())));
}

/** @throws PipelineError NOT_FOUND when the batch has no result yet */
async function showException(call: Call, ledger: Ledger, settings: Settings, words: string): Promise<void> {
  const { file, batch } = await findBatch(ledger, words);
  const keys = keysOf(settings);
  const comparison = await compareBatch({ ledger, keys }, file, batch, { all: call.options['all'] === true });
  print(call, comparison, () => describeComparison(comparison));
}

/** Compares side by side like `diff -y`: `|` between rows that differ, `<` and `>` where one side has none. */
export function describeComparison(comparison: Comparison): string {
  const { batch, name, state, batchId, reason, unreadable, sentRows, resultRows, differing, rows } = comparison;
  const head = [
    `Batch ${batch} of ${name}, batch id ${batchId ?? '-'}, ${saidState(state)}`,
    ...(state === 'exception' && reason ? [reason] : []),
    ...(unreadable ? [`The result cannot be read: ${unreadable}`] : []),
    `${counted(sentRows, 'row')} sent, ${resultRows} returned, ${differing} ${byNumber(differing, 'differs', 'differ')}.`,
  ];
  if (rows.length === 0) return head.join('\n');
  const titles = ['Row', 'Line', 'Sent', 'Total', 'Payer', '', 'Returned', 'Total', 'Payer', 'Message'];
  return `${head.join('\n')}\n\n${textTable(titles, rows.map(cellsOf), [0, 1, 3, 7])}`;
}

function cellsOf({ position, line, isSame, sent, result }: ComparedRow): string[] {
  const sign = isSame ? '' : !result ? '<' : !sent ? '>' : '|';
  return [
    String(position),
    line === undefined ? '' : String(line),
    ...sideOf(sent),
    sign,
    ...(result && 'cells' in result ? [`${counted(result.cells, 'cell')} of another layout`, '', ''] : sideOf(result)),
    result?.message ?? '',
  ];
}

function sideOf(side: ShownSide | undefined): [string, string, string] {
  return side ? [side.invoice, side.total, side.payer] : ['', '', ''];
}

/** Lists the batches that wait because their result does not fit, and what to type next. */
export function describeExceptions(batches: readonly ExceptionBatch[], when: (at: Date) => string): string {
  if (batches.length === 0) return 'No result needs attention: each one matches what was sent.';
  const rows = batches.map((batch) => [
    batchReference({ fileId: batch.fileId, batchNo: batch.batchNo }),
    batch.name,
    batch.account,
    batch.batchId ?? '',
    String(batch.rows),
    formatCents(batch.cents),
    when(batch.since),
    batch.reason ?? '',
  ]);
  const titles = ['Batch', 'File', 'Account', 'Batch Id', 'Rows', 'Total', 'Since', 'Why'];
  return `${textTable(titles, rows, [4, 5])}\n\n${HOW_TO_GO_ON}`;
}

const HOW_TO_GO_ON = `"paydrop exceptions BATCH" shows both sides of one, "paydrop repoll BATCH" asks for its result again.
Its money may have moved, so never drop the file again. If the service says that the result belongs to another
batch, run "paydrop resolve BATCH --disown --reason …"; the batch is then in doubt.`;
