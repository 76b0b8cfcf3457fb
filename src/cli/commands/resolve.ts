import { EXIT } from '../../../schemas/errors.ts';
import { mustBeIn } from '../../actions/resolve/carry-out.ts';
import type { ResolutionContext } from '../../actions/resolve/resolution-context.ts';
import type { Settings } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { describeDoubt } from '../../ledger/doubt/in-doubt.ts';
import { BATCH_ARGUMENT } from '../../explain/batch-reference.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { chooseVerb, VERB_OPTIONS } from '../resolve/choose-verb.ts';
import { describeInDoubt, showInDoubt } from '../resolve/describe-in-doubt.ts';
import { openResolution } from '../resolve/open-resolution.ts';
import { runVerb } from '../resolve/run-verb.ts';
import type { Said } from '../resolve/say-outcome.ts';

export const resolve: CliCommand = {
  name: 'resolve',
  about: 'Say what became of a batch in doubt; without an option, what is known of it',
  takes: [BATCH_ARGUMENT],
  groups: [{ title: 'One of these ways:', options: VERB_OPTIONS }],
  options: [
    ['--evidence <text>', 'with --not-received: who confirmed it, when, and how'],
    ['--reason <text>', 'why, for the audit trail'],
    ['--dry-run', 'say what would happen and change nothing'],
    JSON_OPTION,
  ],
  notes: [
    'Nothing is ever sent again without one of these. The exit status is 4 while the batch is still in doubt: it was refused, another report is needed, or a second person has to confirm.',
  ],
  examples: [
    'resolve monday.csv/1',
    'resolve monday.csv/1 --adopt 1000002',
    'resolve monday.csv/1 --probe 1000002..1000050',
    'resolve monday.csv/1 --journal report.csv',
    'resolve monday.csv/1 --not-received --evidence "Ann of the service desk, ticket 4711" --reason "never arrived"',
    'resolve monday.csv/1 --close-in-doubt --reason "the service cannot say"',
  ],
  async run(call) {
    const [words = ''] = call.arguments;
    // Parse first: a faulty command line must not even open the ledger.
    const verb = chooseVerb(call);
    const dryRun = call.options['dryRun'] === true;
    const said = await withLedger(call, async (ledger, settings) => {
      if (!dryRun) await compareJournalFirst(ledger, settings);
      const context = await openResolution(ledger, settings, words, { dryRun });
      return verb.kind === 'show' ? show(call, ledger, settings, context) : runVerb(context, verb, call.dir);
    });
    print(call, said.json, () => said.text);
    return said.status;
  },
};

async function show(call: Call, ledger: Ledger, settings: Settings, context: ResolutionContext): Promise<Said> {
  mustBeIn(context, 'resolve', 'unknown');
  const account = settings.accounts.get(context.batch.account)!;
  const found = await describeDoubt(ledger, context.batch);
  const shown = showInDoubt(found, { account, now: ledger.clock.now(), dir: call.dir });
  return { status: EXIT.unknownOpen, json: shown, text: describeInDoubt(shown) };
}
