import { ACTIONS } from '../../schemas/actions.ts';
import { EXIT } from '../../schemas/errors.ts';
import type {
  ActionContext,
  ActionReport,
  Fact,
  Filled,
  HandledAction,
  Input,
  Listing,
  Subject,
} from '../actions/action.ts';
import { handlerOf, planAction, reasonOf, runAction, shownPlan } from '../actions/run-action.ts';
import { bindWithoutApp, gatewaySettings } from '../app.ts';
import { formatInZone } from '../calendar/zone-time.ts';
import type { Settings } from '../config/config.ts';
import { batchReference } from '../explain/batch-reference.ts';
import { createGateway } from '../gateway/create-gateway.ts';
import { PipelineError } from '../kernel/errors.ts';
import { formatCents } from '../kernel/money.ts';
import { type Charged, mustBeBound } from '../ledger/merchant/bound-accounts.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { type Call, JSON_OPTION, print, type RunningCommand, settingsOf, withLedger } from './command.ts';
import { compareJournalFirst } from './compare-journal-first.ts';
import { openCommandLog } from './open-command-log.ts';
import { operatorName, REASON_OPTION, SAY_WHY } from './option-values.ts';
import { labelLines, textTable } from './print/table.ts';
import { lineHere } from './print/paydrop-line.ts';
import { progressLine } from './print/progress.ts';
import { withApp } from './process/with-app.ts';

export const PLAN_OPTION = ['--plan', 'show what would happen, and change nothing'] as const;

/** Finds the subject that the words of the command line name. */
export type FindByWords = (ledger: Ledger, settings: Settings, words: string) => Promise<Subject>;

type GivenInputs = Partial<Pick<Input, 'filled' | 'file'>> & { readonly stop?: AbortSignal; readonly into?: string };

type ActionWords = Pick<RunningCommand, 'name' | 'about' | 'takes' | 'required' | 'options' | 'notes' | 'examples'>;

/**
 * Returns the command of an action.
 * @param given reads its inputs from the command line
 */
export function actionCommand(
  action: HandledAction,
  { options = [], ...words }: ActionWords,
  find: FindByWords,
  given: (call: Call) => GivenInputs = () => ({}),
): RunningCommand {
  const isAsked = ACTIONS[action].reason === 'asked';
  return {
    ...words,
    options: [...options, ...(isAsked ? [REASON_OPTION] : []), PLAN_OPTION, JSON_OPTION],
    run: (call) => act(call, action, find, given(call)),
  };
}

/** Plans or does an action and prints the result. Returns the exit status. */
export async function act(call: Call, name: HandledAction, find: FindByWords, given: GivenInputs): Promise<number> {
  const { stop, into, ...input } = given;
  const reason = call.options['reason'] === undefined ? {} : { reason: String(call.options['reason']) };
  // A plan needs no reason; without one, nothing else is even opened.
  if (!isPlan(call)) reasonOf(call.features, name, reason, SAY_WHY);
  const handler = handlerOf(call.features, name);
  const progress = progressLine();
  const watched = { progress: progress.show, ...(stop && { stop }), ...(into && { into }) };
  const work = async (context: ActionContext) => {
    const { ledger, settings } = context;
    const finder = () => find(ledger, settings, call.arguments[0] ?? '');
    const filled = input.filled ?? (await suggest(context, name, finder));
    const asked = { actor: operatorName(), filled, ...(input.file && { file: input.file }) };
    if (isPlan(call)) {
      // A plan that rests on what was sent needs an open ledger, as the action does; this host reports to it.
      if (handler.comparesJournal) await compareJournalFirst(ledger, settings, { decides: false });
      return printPlan(call, await planAction(context, name, finder, asked));
    }
    const result = await runAction(context, name, finder, { ...asked, ...reason }, () =>
      compareJournalFirst(ledger, settings),
    );
    if (result.result === 'changed') throw new Error('this command has no plan to compare with');
    return printDone(call, result.done);
  };
  const run = () =>
    handler.needs === 'app'
      ? withApp(settingsOf(call), { log: openCommandLog('warn'), env: process.env }, (app) =>
          work({ ...app, ...watched }),
        )
      : withLedger(call, async (ledger, settings) => {
          const trouble = await readBindingsHere(ledger, settings);
          return work({ ...withoutApp(ledger, settings, trouble), ...watched });
        });
  return run().finally(progress.clear);
}

function isPlan({ options }: Call): boolean {
  return options['plan'] !== undefined;
}

/**
 * Context of an action that needs no queue and no keys: it works while they are unreachable, unless it calls the service.
 * @param trouble why it is not known whom the accounts mean
 */
export function withoutApp(ledger: Ledger, settings: Settings, trouble?: Error): ActionContext {
  const account = (name: string) => {
    const found = settings.accounts.get(name);
    if (found) return found;
    throw new PipelineError('NOT_FOUND', `use account "${name}"`, 'it is no longer in the configuration');
  };
  const gateway = (charged: Charged) => {
    const settled = account(charged.account);
    if (trouble) throw trouble;
    mustBeBound(ledger, charged);
    return createGateway(gatewaySettings(settled));
  };
  return { settings, ledger, clock: ledger.clock, account, gateway };
}

/** Reads whom the accounts mean, as far as the master key allows it. Returns why it does not. */
async function readBindingsHere(ledger: Ledger, settings: Settings): Promise<Error | undefined> {
  try {
    await bindWithoutApp(ledger, settings, process.env);
    return undefined;
  } catch (error) {
    if (error instanceof PipelineError) return error;
    throw error;
  }
}

async function suggest(context: ActionContext, name: HandledAction, find: () => Promise<Subject>): Promise<Filled> {
  const handler = handlerOf(context.settings.features, name);
  return handler.suggest ? handler.suggest(context, await find()) : {};
}

function printPlan(call: Call, planned: Parameters<typeof shownPlan>[0]): number {
  const { says, facts = [], listing, barred, status = 'exception' } = planned.plan;
  print(call, shownPlan(planned), () =>
    blocks(
      says.join('\n'),
      labelLines(facts.map(([label, fact]) => [label, factText(fact)])),
      listingText(listing),
      ...(barred === undefined ? [] : [`It cannot be done: ${barred}.`]),
      'This is a plan; nothing was changed.',
    ),
  );
  return barred === undefined ? EXIT.ok : EXIT[status];
}

function printDone(call: Call, { says, details = [], listing, next = [], status = 'ok', json }: ActionReport): number {
  print(call, json, () =>
    blocks(
      [says, ...details].join('\n'),
      listingText(listing),
      next.flatMap((step) => nextLine(call, step)).join('\n'),
    ),
  );
  return EXIT[status];
}

function blocks(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

function factText(fact: Fact): string {
  if (typeof fact === 'string') return fact;
  if ('cents' in fact) return [formatCents(fact.cents), fact.currency].filter(Boolean).join(' ');
  return formatInZone(fact.at, fact.timeZone ?? 'UTC');
}

function listingText(listing: Listing | undefined): string {
  if (listing === undefined || listing.rows.length === 0) return '';
  return `${listing.label}\n${textTable(listing.titles, listing.rows)}`;
}

/** Returns the line to paste for what can be done next; none for a mere link. */
function nextLine(call: Call, next: NonNullable<ActionReport['next']>[number]): string[] {
  const line = (...words: string[]) => `  ${lineHere(call, ...words)}`;
  const batch = () => ('batchNo' in next ? batchReference({ fileId: next.file.file_id, batchNo: next.batchNo }) : '');
  switch (next.to) {
    case 'proposals':
      return ['Another person runs:', line('confirm', String(next.proposalNo))];
    case 'doubt':
      return ['Options:', line('resolve', batch())];
    case 'adopt':
      return [`To enter batch id ${next.batchId}:`, line('resolve', batch(), '--adopt', next.batchId)];
    case 'confirm-profile':
      return ['To confirm it:', line('profile', 'confirm', next.profile, '--sample', 'SAMPLE', '--reason', '…')];
    case 'rebuild-outputs':
      return ['To restore the missing files:', line('rebuild-outputs', next.file.file_id, '--restore')];
    case 'run':
      return ['To see how far it is:', line('reprocess', 'show', String(next.runNo))];
    case 'file':
      return ['To see its state:', line('why', next.file.file_id)];
  }
}
