import { EXIT } from '../../../schemas/errors.ts';
import { reconcileAccount } from '../../actions/resolve/reconcile-account.ts';
import type { Settings } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { acknowledgeForgotten, ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readAccountStates, readForgottenSends } from '../../ledger/account/read-holds.ts';
import { accountTable, comparisonText, forgottenTable } from '../account/account-tables.ts';
import { actionCommand, type FindByWords } from '../action-command.ts';
import { type CliCommand, type RunningCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { readReport } from '../resolve/choose-way.ts';
import { operatorName } from '../operator-name.ts';
import { REASON_OPTION, readReason } from '../read-reason.ts';

const ACCOUNT = ['<account>', 'account of the configuration'] as const;
const ACCOUNT_OR_ALL = ['[account]', 'account of the configuration; left out with --all'] as const;

const list: CliCommand = {
  name: 'list',
  about: 'Which accounts send, which do not, why, and what to do about it',
  options: [JSON_OPTION],
  examples: ['account list', 'account list --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      // Right after a restore the journals are not compared yet, and an account that must not send would look fine.
      await compareJournalFirst(ledger, settings, { decides: false });
      const states = await readAccountStates(ledger, [...settings.accounts.keys()]);
      print(call, states, () => accountTable(states, (account) => zoneOf(settings, account)));
    });
    return EXIT.ok;
  },
};

const findAccounts: FindByWords = async (ledger, settings, words) => {
  if (words === '') return { kind: 'account', account: ALL_ACCOUNTS };
  return { kind: 'account', account: oneOf(words, await knownAccounts(ledger, settings)) };
};

const pause = stopping(
  actionCommand(
    'pause',
    {
      name: 'pause',
      about: 'Send nothing more on an account; calls that have begun go on to their end',
      takes: [ACCOUNT_OR_ALL],
      options: [['--all', 'all accounts at once, also those that are added later']],
      notes: ['When it returns no submit begins any more, in any process. Results are still asked for and delivered.'],
      examples: [
        'account pause main --reason "the bank is closed"',
        'account pause --all --reason "amounts look wrong"',
      ],
    },
    findAccounts,
  ),
);

const resume = stopping(
  actionCommand(
    'resume',
    {
      name: 'resume',
      about: 'Let a stopped account send again, and say what else still holds it',
      takes: [ACCOUNT_OR_ALL],
      options: [['--all', 'lift the stop of all accounts; those of single accounts stay']],
      notes: [
        'An account of which the send journal knows more than the ledger is resumed after "account acknowledge" only.',
      ],
      examples: [
        'account resume main --reason "the bank is open"',
        'account resume --all --reason "amounts are right"',
      ],
    },
    findAccounts,
  ),
);

/** Asks for an account or `--all`, because all accounts must not be stopped by leaving a word out. */
function stopping(command: RunningCommand): RunningCommand {
  return {
    ...command,
    run: async (call) => {
      if ((call.arguments[0] === undefined) === (call.options['all'] === undefined))
        throw new PipelineError('USAGE', 'choose an account', 'it wants either an account or --all');
      return command.run(call);
    },
  };
}

const forgotten: CliCommand = {
  name: 'forgotten',
  about: 'Calls that the send journal knows and the ledger does not, after a backup was restored',
  takes: [ACCOUNT],
  options: [JSON_OPTION],
  examples: ['account forgotten main', 'account forgotten main --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      await compareJournalFirst(ledger, settings, { decides: false });
      const account = oneOf(call.arguments[0] ?? '', await knownAccounts(ledger, settings));
      const sends = await readForgottenSends(ledger, account);
      print(call, sends, () => forgottenTable(account, sends, zoneOf(settings, account)));
    });
    return EXIT.ok;
  },
};

const acknowledge: CliCommand = {
  name: 'acknowledge',
  about: 'Record that you have looked at what "account forgotten" lists; the account can then be resumed',
  takes: [ACCOUNT],
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  notes: ['Batches of the same bytes stay barred for ever, so what was sent is not sent again by this.'],
  examples: ['account acknowledge main --reason "all 240 rows stand in the report of the bank"'],
  async run(call) {
    const reason = readReason(call, 'acknowledge the calls');
    await withLedger(call, async (ledger, settings) => {
      await compareJournalFirst(ledger, settings);
      const account = oneOf(call.arguments[0] ?? '', await knownAccounts(ledger, settings));
      const acknowledged = await acknowledgeForgotten(ledger, account, { actor: operatorName(), reason });
      const next = `To let it send again: "paydrop account resume ${account} --reason …".`;
      print(call, { account, acknowledged }, () =>
        acknowledged === 0
          ? 'There was nothing new to acknowledge.'
          : `Acknowledged: ${counted(acknowledged, 'call')}. ${next}`,
      );
    });
    return EXIT.ok;
  },
};

const reconcile: CliCommand = {
  name: 'reconcile',
  about: 'Compare all that the ledger may have forgotten of an account with one report of the service',
  takes: [ACCOUNT],
  required: [['--report <file>', 'report of the service, as CSV, over the whole time in question'], REASON_OPTION],
  options: [JSON_OPTION],
  notes: [
    `After an older ledger was restored, or a send journal was lost. The payments that nobody here sent are listed. A batch that
waits and of which the report shows payments is in doubt from then on, and is not sent. What the report does not show is not
proven: it may have been cut. Exit status 5 when there is something to look at.`,
  ],
  examples: ['account reconcile main --report june.csv --reason "after the restore"'],
  async run(call) {
    const reason = readReason(call, 'compare the account');
    return withLedger(call, async (ledger, settings) => {
      await compareJournalFirst(ledger, settings, { decides: false });
      const name = oneOf(call.arguments[0] ?? '', [...settings.accounts.keys()]);
      const bytes = await readReport(call.options['report'] as string);
      const account = { ledger, name, account: settings.accounts.get(name)! };
      const comparison = await reconcileAccount(account, bytes, { actor: operatorName(), reason });
      print(call, comparison, () => comparisonText(name, comparison, zoneOf(settings, name)));
      return comparison.unknown.length + comparison.inDoubt.length === 0 ? EXIT.ok : EXIT.exception;
    });
  },
};

export const account: CliCommand = {
  name: 'account',
  about: 'Stop and resume sending, and see what holds an account',
  commands: [list, pause, resume, forgotten, reconcile, acknowledge],
  examples: ['account list', 'account pause --all --reason "amounts look wrong"'],
};

function zoneOf(settings: Settings, name: string): string {
  return settings.accounts.get(name)?.timeZone ?? 'UTC';
}

/** Includes accounts that left the configuration, because they may still have open work. */
async function knownAccounts(ledger: Ledger, settings: Settings): Promise<string[]> {
  return (await readAccountStates(ledger, [...settings.accounts.keys()])).map((state) => state.account);
}

function oneOf(name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  const next = `There are: ${known.join(', ')}.`;
  throw new PipelineError('NOT_FOUND', `use account "${maskText(name)}"`, 'it is not in the configuration', { next });
}
