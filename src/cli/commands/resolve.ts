import { saidState } from '../../../schemas/shown.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { describeDoubt, readInDoubt } from '../../ledger/doubt/in-doubt.ts';
import { BATCH_ARGUMENT, findBatch } from '../../explain/batch-reference.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { REASON_OPTION } from '../option-values.ts';
import { act, PLAN_OPTION, withoutApp } from '../action-command.ts';
import { findBatchByWords } from './batch-actions.ts';
import { chooseWay, WAY_OPTIONS } from '../resolve/choose-way.ts';
import { describeInDoubt, showInDoubt } from '../resolve/describe-in-doubt.ts';
import type { Settings } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';

export const resolve: CliCommand = {
  name: 'resolve',
  about: 'Resolve a batch in doubt; without an option, show what is known',
  takes: [BATCH_ARGUMENT],
  groups: [{ title: 'Use one of:', options: WAY_OPTIONS }],
  options: [
    ['--evidence <text>', 'with --not-received: who confirmed it, when and how'],
    REASON_OPTION,
    PLAN_OPTION,
    JSON_OPTION,
  ],
  notes: [
    'Nothing is ever sent again without one of these. The exit status is 4 while the batch is still in doubt: paydrop refused, needs another report, or needs a second person.',
  ],
  examples: [
    'resolve monday.csv/1',
    'resolve monday.csv/1 --adopt 1000002',
    'resolve monday.csv/1 --probe 1000002..1000050',
    'resolve monday.csv/1 --report report.csv',
    'resolve monday.csv/1 --not-received --evidence "Ann of the service desk, ticket 4711" --reason "never arrived"',
    'resolve monday.csv/1 --close-in-doubt --reason "the service cannot say"',
  ],
  async run(call) {
    // Read first: a faulty command line must not even open the ledger.
    const way = await chooseWay(call);
    if (way === undefined) return show(call);
    const { action, ...given } = way;
    return act(call, action, findBatchByWords, given);
  },
};

/** Shows what is known of a batch in doubt, and what can be done about it. */
async function show(call: Call): Promise<number> {
  return withLedger(call, async (ledger, settings) => {
    await compareJournalFirst(ledger, settings);
    const { file, batch } = await findBatch(ledger, call.arguments[0] ?? '');
    if (batch.state !== 'unknown')
      throw new PipelineError(
        'MOVE_REFUSED',
        `resolve batch ${batch.batch_no} of file "${file.name}"`,
        `its state is ${saidState(batch.state)}; only a batch in doubt can be resolved this way`,
      );
    const account = withoutApp(ledger, settings).account(file.account);
    const found = await describeDoubt(ledger, batch);
    const shown = showInDoubt(found, { account, now: ledger.clock.now(), dir: call.dir });
    print(call, shown, () => describeInDoubt(shown));
    return EXIT.unknownOpen;
  });
}

const list: CliCommand = {
  name: 'list',
  about: 'List batches in doubt, what is known of each, and the commands to resolve it',
  options: [JSON_OPTION],
  notes: [
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
  const shown = (await readInDoubt(ledger)).map((found) => {
    const account = settings.accounts.get(found.batch.account) ?? GONE;
    return showInDoubt(found, { account, now, dir: call.dir });
  });
  print(call, shown, () => {
    if (shown.length === 0) return 'No batch is in doubt.';
    return [headline(shown.length), ...shown.map(describeInDoubt), HINT].join('\n\n');
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

const HINT = 'With --plan a command shows what it would do and changes nothing.';
