import { saidState } from '../../../schemas/shown.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { describeDoubt, readInDoubt } from '../../ledger/doubt/in-doubt.ts';
import { readMerchants, sayMerchant, sayMerchantOf } from '../../ledger/merchant/read-merchants.ts';
import { BATCH_OR_LINE_ARGUMENT, findBatchOrLine } from '../../explain/batch-reference.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { REASON_OPTION } from '../option-values.ts';
import { act, type FindByWords, PLAN_OPTION, withoutApp } from '../action-command.ts';
import { chooseWay, WAY_OPTIONS } from '../resolve/choose-way.ts';
import { describeInDoubt, showInDoubt, type ShownDoubt } from '../resolve/describe-in-doubt.ts';
import type { Settings } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';

export const resolve: CliCommand = {
  name: 'resolve',
  about: 'Resolve a batch in doubt, or unknown rows of a finished batch; without an option, show what is known',
  takes: [BATCH_OR_LINE_ARGUMENT],
  groups: [{ title: 'Use one of:', options: WAY_OPTIONS }],
  options: [
    ['--evidence <text>', 'with --not-received: who confirmed it, when and how'],
    REASON_OPTION,
    PLAN_OPTION,
    JSON_OPTION,
  ],
  notes: [
    'Rows of a finished batch are unknown when the answer of the service does not say whether it charged them. --report decides those that the report shows or proves missing; --close-in-doubt gives up the others.',
    'Nothing is ever sent again without one of these. The exit status is 4 while the batch is still in doubt: paydrop refused, needs another report, or needs a second person.',
  ],
  examples: [
    'resolve monday.csv/1',
    'resolve monday.csv/1 --adopt 1000002',
    'resolve monday.csv/1 --probe 1000002..1000050',
    'resolve monday.csv/1 --report report.csv',
    'resolve monday.csv:12 --report report.csv',
    'resolve monday.csv/1 --not-received --evidence "Ann of the service desk, ticket 4711" --reason "never arrived"',
    'resolve monday.csv/1 --close-in-doubt --reason "the service cannot say"',
  ],
  async run(call) {
    // Read first: a faulty command line must not even open the ledger.
    const way = await chooseWay(call);
    if (way === undefined) return show(call);
    const { action, ...given } = way;
    return act(call, action, findByWords, given);
  },
};

const findByWords: FindByWords = async (ledger, _settings, words) => ({
  kind: 'batch',
  ...(await findBatchOrLine(ledger, words)),
});

/** Shows what is known of a batch in doubt or of unknown rows, and what can be done about it. */
async function show(call: Call): Promise<number> {
  return withLedger(call, async (ledger, settings) => {
    await compareJournalFirst(ledger, settings);
    const { file, batch } = await findBatchOrLine(ledger, call.arguments[0] ?? '');
    const found = await describeDoubt(ledger, batch);
    if (batch.state !== 'unknown' && found.unknownRows.length === 0)
      throw new PipelineError(
        'MOVE_REFUSED',
        `resolve batch ${batch.batch_no} of file "${file.name}"`,
        `its state is ${saidState(batch.state)}; only a batch in doubt or with unknown rows can be resolved this way`,
      );
    const account = withoutApp(ledger, settings).account(file.account);
    const shown = showInDoubt(found, {
      account,
      merchant: await sayMerchantOf(ledger, batch.account),
      now: ledger.clock.now(),
      dir: call.dir,
    });
    print(call, shown, () => describeInDoubt(shown));
    const isClosed = batch.state !== 'unknown' && found.unknownRows.every((row) => row.isClosed);
    return isClosed ? EXIT.ok : EXIT.unknownOpen;
  });
}

const list: CliCommand = {
  name: 'list',
  about: 'List batches in doubt and undecided rows, what is known of each, and the commands to resolve it',
  options: [JSON_OPTION],
  notes: [
    'Rows are undecided when the answer of the service, such as TIMEOUT, does not say whether it charged them, and no user has closed them. Their account continues.',
    'A batch is in doubt when its call broke off after the first byte: the service may or may not have taken it. It is never sent again automatically, and its account sends nothing until an operator resolves it.',
  ],
  examples: ['unknown list', 'unknown list --json'],
  async run(call) {
    await withLedger(call, (ledger, settings) => showAll(call, ledger, settings));
    return EXIT.ok;
  },
};

export const unknown: CliCommand = {
  name: 'unknown',
  about: 'Outcome unknown',
  commands: [list],
  examples: list.examples,
};

async function showAll(call: Call, ledger: Ledger, settings: Settings): Promise<void> {
  await compareJournalFirst(ledger, settings, { decides: false });
  const now = ledger.clock.now();
  const merchants = await readMerchants(ledger);
  const shown = (await readInDoubt(ledger)).map((found) => {
    const account = settings.accounts.get(found.batch.account) ?? GONE;
    const merchant = sayMerchant(merchants.get(found.batch.account));
    return showInDoubt(found, { account, merchant, now, dir: call.dir });
  });
  print(call, shown, () => {
    if (shown.length === 0) return 'No batch is in doubt, and no row is undecided.';
    const ofRows = shown.filter(({ unknownRows }) => unknownRows.length > 0);
    const batches = shown.length - ofRows.length;
    return [
      ...(batches > 0 ? [headline(batches)] : []),
      ...(ofRows.length > 0 ? [rowsHeadline(ofRows)] : []),
      ...shown.map(describeInDoubt),
      HINT,
    ].join('\n\n');
  });
}

/** Stands in for an account that left the configuration with a batch in doubt; put back, its own values apply. */
const GONE = { server: 'NA', resolveWaitMs: 86_400_000, timeZone: 'UTC' } as const;

function headline(count: number): string {
  const what =
    count === 1
      ? '1 batch is in doubt. Its account sends nothing until it is resolved.'
      : `${count} batches are in doubt. Their accounts send nothing until they are resolved.`;
  return `${what} Do not drop such a file again: payers could be charged twice.`;
}

function rowsHeadline(batches: readonly ShownDoubt[]): string {
  const open = batches.flatMap(({ unknownRows }) => unknownRows.filter(({ isClosed }) => !isClosed));
  return `${counted(open.length, 'row')} of ${counted(batches.length, 'finished batch')} ${byNumber(open.length, 'is', 'are')} undecided: the service did not say whether it charged ${byNumber(open.length, 'it', 'them')}. Do not send such a row again before the service has answered.`;
}

const HINT = 'With --plan a command shows what it would do and changes nothing.';
