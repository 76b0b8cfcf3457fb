import { saidState } from '../../../schemas/lifecycle.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { describeDoubt } from '../../ledger/doubt/in-doubt.ts';
import { BATCH_ARGUMENT, findBatch } from '../../explain/batch-reference.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { REASON_OPTION } from '../read-reason.ts';
import { act, PLAN_OPTION, withoutApp } from '../action-command.ts';
import { findBatchByWords } from './batch-actions.ts';
import { chooseWay, WAY_OPTIONS } from '../resolve/choose-way.ts';
import { describeInDoubt, showInDoubt } from '../resolve/describe-in-doubt.ts';

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
  hidden: [
    ['--dry-run', 'former name of --plan'],
    ['--journal <report.csv>', 'former name of --report'],
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
    if (call.options['dryRun'] === undefined) await compareJournalFirst(ledger, settings);
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
