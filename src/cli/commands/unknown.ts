import { EXIT } from '../../../schemas/errors.ts';
import type { Settings } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readInDoubt } from '../../ledger/doubt/in-doubt.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { describeInDoubt, showInDoubt } from '../resolve/describe-in-doubt.ts';

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
