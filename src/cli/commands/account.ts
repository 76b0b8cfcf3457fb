import { EXIT } from '../../../schemas/errors.ts';
import { bindWithoutApp } from '../../app.ts';
import { sayUnknownRows } from '../../actions/account-actions.ts';
import { type AccountComparison, reconcileAccount } from '../../actions/resolve/reconcile-account.ts';
import type { Settings } from '../../config/config.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { acknowledgeForgotten, ALL_ACCOUNTS } from '../../ledger/account/pause-account.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import {
  type AccountState,
  type ForgottenSend,
  readAccountStates,
  readForgottenSends,
} from '../../ledger/account/read-holds.ts';
import { type LeftOver, readLeft } from '../../explain/left-over.ts';
import { momentsIn } from '../print/moments.ts';
import { type Merchant, readMerchants, sayMerchant } from '../../ledger/merchant/read-merchants.ts';
import { actionCommand, type FindByWords } from '../action-command.ts';
import { type CliCommand, type RunningCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { readReport } from '../resolve/choose-way.ts';
import { operatorName, readReason, REASON_OPTION } from '../option-values.ts';
import { saidState, SHOWN_ACCOUNTS, type ShownAccount } from '../../../schemas/shown.ts';
import { stepText } from '../../../schemas/steps.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone, sharedZone } from '../../calendar/zone-time.ts';
import { describeHolds, showAccount } from '../../explain/describe-holds.ts';
import { textTable } from '../print/table.ts';

const ACCOUNT = ['<account>', 'account of the configuration'] as const;
const ACCOUNT_OR_ALL = ['[account]', 'account of the configuration; left out with --all'] as const;

const list: CliCommand = {
  name: 'list',
  about: 'Show which accounts send, which are stopped, why, and what to do',
  options: [JSON_OPTION],
  examples: ['account list', 'account list --json'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      // Right after a restore the journals are not compared yet, and an account that must not send would look fine.
      await compareJournalFirst(ledger, settings, { decides: false });
      const states = await readAccountStates(ledger, [...settings.accounts.keys()]);
      const merchants = await readMerchants(ledger);
      const shown = states.map((state) => ({
        ...state,
        shown: showAccount(state, settings, ledger.clock.now()),
        merchant: merchants.get(state.account) ?? null,
      }));
      print(call, shown, () => accountTable(shown, (account) => zoneOf(settings, account), merchants));
    });
    return EXIT.ok;
  },
};

export const findAccounts: FindByWords = async (ledger, settings, words) => {
  if (words === '') return { kind: 'account', account: ALL_ACCOUNTS };
  return { kind: 'account', account: oneOf(words, await knownAccounts(ledger, settings)) };
};

const pause = stopping(
  actionCommand(
    'pause',
    {
      name: 'pause',
      about: 'Stop sending on an account; running calls continue to their end',
      takes: [ACCOUNT_OR_ALL],
      options: [['--all', 'all accounts at once, including accounts added later']],
      notes: ['When it returns, no process starts a new submission. Results are still fetched and delivered.'],
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
      about: 'Let a stopped account send again, and show what else still stops it',
      takes: [ACCOUNT_OR_ALL],
      options: [['--all', 'lift the stop of all accounts; stops of single accounts remain']],
      notes: ['An account with calls missing from the ledger can be resumed only after "account acknowledge".'],
      examples: [
        'account resume main --reason "the bank is open"',
        'account resume --all --reason "amounts are right"',
      ],
    },
    findAccounts,
  ),
);

/** Asks for an account or `--all`, because all accounts must not be stopped by leaving a word out. */
export function stopping(command: RunningCommand): RunningCommand {
  return {
    ...command,
    run: async (call) => {
      if ((call.arguments[0] === undefined) === (call.options['all'] === undefined))
        throw new PipelineError('USAGE', 'choose an account', 'give either an account or --all');
      return command.run(call);
    },
  };
}

const address = actionCommand(
  'answer-address',
  {
    name: 'address',
    about: 'Say whether the service of an account moved to its new address, or is another one',
    takes: [ACCOUNT],
    options: [
      ['--moved', 'it is the same service: what was sent counts'],
      ['--other', 'it is another service: what was sent does not count there, and unsent work stays stopped'],
    ],
    notes: [
      'paydrop asks when the agent code of an account is to be used at another address. Until it is answered, nothing of the account is taken or sent.',
    ],
    examples: [
      'account address main --plan',
      'account address main --moved --reason "announced for June 1"',
      'account address main --other --reason "from the test server to the live one"',
    ],
  },
  findAccounts,
  ({ options }) => {
    if (options['plan'] !== undefined && options['moved'] === undefined && options['other'] === undefined) return {};
    if ((options['moved'] === undefined) === (options['other'] === undefined))
      throw new PipelineError('USAGE', 'answer', 'give either --moved or --other');
    return { filled: { service: options['moved'] === undefined ? 'other' : 'moved' } };
  },
);

const left: CliCommand = {
  name: 'left',
  about: 'List what is left over of former accounts, such as after going live, and what to do about each',
  takes: [['[account]', 'only this one, with its former names such as main.1; left out, all']],
  options: [JSON_OPTION],
  notes: [
    `Files held, unsent or in doubt, drops and uploads that were meant for another merchant, and runs of schedules that
left the configuration. Exit status 0 when nothing is left, 4 when something of it is in doubt, else 3.`,
  ],
  examples: ['account left', 'account left main --json'],
  async run(call) {
    return withLedger(call, async (ledger, settings) => {
      await compareJournalFirst(ledger, settings, { decides: false });
      const [wanted] = call.arguments;
      const account = wanted === undefined ? undefined : oneOf(wanted, await knownAccounts(ledger, settings));
      const found = await readLeft(ledger, settings, account);
      const shown = found.map(({ next, ...item }) => ({ ...item, next: stepText(next) }));
      print(call, shown, () => leftTable(shown, momentsIn(sharedZone(settings), ledger.clock.now())));
      if (found.some(({ kind }) => kind === 'doubt')) return EXIT.unknownOpen;
      return found.length === 0 ? EXIT.ok : EXIT.held;
    });
  },
};

const forgotten: CliCommand = {
  name: 'forgotten',
  about: 'List calls that the send journal has and a restored ledger lacks',
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
  about: 'Record that you have checked the calls of "account forgotten"; the account can then be resumed',
  takes: [ACCOUNT],
  required: [REASON_OPTION],
  options: [JSON_OPTION],
  notes: ['Batches with the same bytes are barred forever, so nothing is sent twice.'],
  examples: ['account acknowledge main --reason "all 240 rows are in the report of the bank"'],
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
  about: "Compare an account's ledger with one report of the service",
  takes: [ACCOUNT],
  required: [['--report <file>', 'report of the service, as CSV, for the whole time in question'], REASON_OPTION],
  options: [JSON_OPTION],
  notes: [
    `Use it after an older ledger was restored or a send journal was lost. It lists charged payments that the ledger
did not send, and remembers them: a file that holds one needs approval. A waiting batch is put in doubt, and not sent, if the report shows payments of it. A payment missing
from the report proves nothing, because the report may be cut off. Exit status 5 when something needs attention.`,
  ],
  examples: ['account reconcile main --report june.csv --reason "after the restore"'],
  async run(call) {
    const reason = readReason(call, 'compare the account');
    return withLedger(call, async (ledger, settings) => {
      await compareJournalFirst(ledger, settings, { decides: false });
      const name = oneOf(call.arguments[0] ?? '', [...settings.accounts.keys()]);
      const bytes = await readReport(call.options['report'] as string);
      const fingerprint = await bindWithoutApp(ledger, settings, process.env);
      const account = { ledger, name, account: settings.accounts.get(name)!, fingerprint };
      const comparison = await reconcileAccount(account, bytes, { actor: operatorName(), reason });
      print(call, comparison, () => comparisonText(name, comparison, zoneOf(settings, name)));
      return comparison.unknown.length + comparison.inDoubt.length === 0 ? EXIT.ok : EXIT.exception;
    });
  },
};

export const account: CliCommand = {
  name: 'account',
  about: 'Stop and resume sending, and see what stops an account',
  commands: [list, left, pause, resume, address, forgotten, reconcile, acknowledge],
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

/** Returns one line for each account, then what holds the accounts that do not send. */
export function accountTable(
  states: readonly (AccountState & { shown: ShownAccount })[],
  zoneOf: (account: string) => string,
  merchants: ReadonlyMap<string, Merchant>,
): string {
  const rows = states.map((state) => [
    state.account,
    SHOWN_ACCOUNTS[state.shown].word,
    String(state.ready),
    String(state.onTheirWay),
    inDoubt(state),
    state.forgotten === 0 ? '' : String(state.forgotten),
    sayMerchant(merchants.get(state.account)),
  ]);
  const titles = ['Account', 'State', 'Waiting', 'In progress', 'In doubt', 'Forgotten', 'Merchant'];
  const table = textTable(titles, rows, [2, 3, 5]);
  const why = states.flatMap((state) =>
    describeHolds(state, zoneOf(state.account)).map((hold) => `${state.account}: ${stepText(hold)}`),
  );
  if (states.some(({ isLedgerOpen }) => !isLedgerOpen))
    why.unshift('The ledger is closed, so no account sends. "paydrop status" shows what it waits for.');
  return [table, ...(why.length > 0 ? [why.join('\n')] : [])].join('\n\n');
}

function inDoubt({ batches }: AccountState): string {
  const doubtful = batches.filter((batch) => batch.state === 'unknown');
  if (doubtful.length === 0) return '';
  const rows = doubtful.reduce((sum, batch) => sum + batch.rows, 0);
  return `${counted(rows, 'row')}, ${formatCents(doubtful.reduce((sum, batch) => sum + batch.cents, 0))}`;
}

/** Lists what is left over, by account, each with what to do. */
export function leftTable(
  left: readonly (Omit<LeftOver, 'next'> & { next: string })[],
  when: (at: Date) => string,
): string {
  if (left.length === 0) return 'Nothing is left over of former accounts.';
  const rows = left.map(({ account, name, fileId, batchNo, rows: count, cents, since }) => [
    account,
    name,
    fileId === null ? '' : batchNo === null ? fileId : `${fileId}/${batchNo}`,
    count === null ? '' : String(count),
    cents === null ? '' : formatCents(cents),
    when(since),
  ]);
  const table = textTable(['Account', 'What', 'Id', 'Rows', 'Total', 'Since'], rows, [3, 4]);
  const todo = left.map(
    ({ account, name, says, next }) => `${account === '' ? '' : `${account}: `}${name}: ${says} ${next}`,
  );
  return [table, todo.join('\n')].join('\n\n');
}

/** Lists the calls of one account that only the send journal knows, and what to do with them. */
export function forgottenTable(account: string, sends: readonly ForgottenSend[], timeZone: string): string {
  if (sends.length === 0) return 'The ledger has every call of this account that the send journal has.';
  const rows = sends.map((send) => [
    formatInZone(send.at, timeZone),
    send.batchId === null ? `${send.fileId}/${send.batchNo}` : `batch id ${send.batchId}`,
    String(send.attempt),
    send.batchState === null ? 'not known' : saidState(send.batchState),
    send.acknowledgedAt ? `${send.acknowledgedBy} ${formatInZone(send.acknowledgedAt, timeZone)}` : '',
    send.sha256,
  ]);
  const titles = ['Sent', 'Batch', 'Attempt', 'In the ledger', 'Acknowledged by', 'SHA-256'];
  return [textTable(titles, rows, [2]), NEXT.replaceAll('ACCOUNT', account)].join('\n\n');
}

const NEXT = `These calls were made, but the restored ledger does not have them. Compare them with the service's own
report: "paydrop account reconcile ACCOUNT --report PATH --reason …". Batches with the same bytes are never sent
again. Then: "paydrop account acknowledge ACCOUNT --reason …" and "paydrop account resume ACCOUNT --reason …".`;

/** Unknown payments shown; --json has all. */
const SHOWN = 50;

/** Describes what a report shows that the ledger does not know, and what to do. */
export function comparisonText(account: string, comparison: AccountComparison, timeZone: string): string {
  const { from, to, charged, known, unknown, archived, inDoubt, calls } = comparison;
  if (from === null || to === null) return 'The report shows no charged payment, so it proves nothing.';
  const cents = unknown.reduce((sum, { amountCents }) => sum + (amountCents ?? 0), 0);
  const rows = unknown
    .slice(0, SHOWN)
    .map(({ at, invoice, amountCents, lastFour, transactionId }) => [
      at.utc === null ? at.text : formatInZone(new Date(at.utc), timeZone),
      invoice,
      amountCents === null ? '' : formatCents(amountCents),
      lastFour,
      transactionId,
    ]);
  const outside = calls.outside === 0 ? '' : `; ${counted(calls.outside, 'call')} outside that time`;
  return [
    `Charged payments from ${formatInZone(from, timeZone)} to ${formatInZone(to, timeZone)}: ${charged}, of which the ledger sent ${known}.`,
    `Missing calls not yet acknowledged: ${calls.forgotten}${outside}.`,
    ...sayUnknownRows(calls.unknown),
    ...inDoubt.map(
      ({ name, batchNo, rows: all, shown }) =>
        `In doubt now: batch ${batchNo} of ${name}, of which the report shows ${shown} of ${counted(all, 'row')}. See "paydrop unknown list".`,
    ),
    ...(unknown.length === 0
      ? ['The ledger knows every charged payment in it.']
      : [
          `Charged but not in the ledger: ${counted(unknown.length, 'payment')}, ${formatCents(cents)}. Never drop their files again.`,
          textTable(['Charged', 'Invoice', 'Amount', 'Number', 'Transaction'], rows, [2]),
          ...(archived > 0
            ? [
                `${archived} of them ${byNumber(archived, 'has', 'have')} the invoice of an archived row. Compare with "paydrop find --invoice …" and "paydrop archive read …".`,
              ]
            : []),
          ...(unknown.length > SHOWN ? [`And ${unknown.length - SHOWN} more; --json has all.`] : []),
        ]),
    NEXT_STEPS.replaceAll('ACCOUNT', account),
  ].join('\n');
}

const NEXT_STEPS = `Then: "paydrop account acknowledge ACCOUNT --reason …" and "paydrop account resume ACCOUNT --reason …".`;
