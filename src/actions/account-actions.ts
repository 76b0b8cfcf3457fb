import { stepText } from '../../schemas/steps.ts';
import { counted } from '../kernel/counted.ts';
import { PipelineError } from '../kernel/errors.ts';
import { ALL_ACCOUNTS, pauseAccount, resumeAccount } from '../ledger/account/pause-account.ts';
import { readAccountStates, readHolds, type Stop } from '../ledger/account/read-holds.ts';
import { readForgotten } from '../ledger/duplicates/find-forgotten-rows.ts';
import { describeHolds } from '../explain/describe-holds.ts';
import { ended, whoDid } from '../explain/why/sentence.ts';
import type { Action, ActionContext, Facts } from './action.ts';

/** Pauses one account, or all of them. */
export const pause: Action<'account'> = {
  plan: async (context, { account }) => {
    const before = (await stopsOf(context, account)).find(({ kind }) => kind === 'pause');
    if (before)
      return {
        says: [`It was paused before by ${whoDid(before.actor)}: ${ended(before.reason)}`],
        barred: 'it is already paused',
        status: 'ok',
      };
    return {
      says: [
        `${named(account)} ${account === ALL_ACCOUNTS ? 'send' : 'sends'} nothing until a user resumes.`,
        'From then on no process starts a new submission. Running calls continue to their end; results are still fetched and delivered.',
      ],
      facts: await accountFacts(context, account),
      button: account === ALL_ACCOUNTS ? 'Pause all accounts' : `Pause ${account}`,
    };
  },
  run: async ({ ledger }, { account }, _input, because) => {
    const isNew = await pauseAccount(ledger, account, because);
    return {
      says: isNew
        ? `Paused: ${inline(account)}. No new submission starts.`
        : `${named(account)} ${account === ALL_ACCOUNTS ? 'were' : 'was'} paused before.`,
      json: { account, paused: true, wasPausedBefore: !isNew },
    };
  },
};

/** Lets a stopped account send again. Batches in doubt or refused still hold it. */
export const resume: Action<'account'> = {
  comparesJournal: true,
  plan: async (context, { account }) => {
    const stops = await stopsOf(context, account);
    if (stops.length === 0)
      return { says: [`Nothing has stopped ${inline(account)}.`], barred: 'no action is needed', status: 'ok' };
    await mustHaveLooked(context, account, stops);
    return {
      says: [
        account === ALL_ACCOUNTS
          ? 'The stop of all accounts is lifted; stops of single accounts remain.'
          : `Account ${account} sends again, unless something else stops it.`,
        ...stops.map(({ kind, actor, reason }) =>
          kind === 'pause' ? `It was paused by ${whoDid(actor)}: ${ended(reason)}` : `It was stopped: ${ended(reason)}`,
        ),
        ...(await unknownWords(context, account)),
      ],
      facts: await accountFacts(context, account),
      binds: { stops },
      button: account === ALL_ACCOUNTS ? 'Resume all accounts' : `Resume ${account}`,
    };
  },
  run: async (context, { account }, _input, because) => {
    const lifted = await resumeAccount(context.ledger, account, because);
    const states = await statesOf(context, account);
    return {
      says: lifted.length > 0 ? `Resumed: ${inline(account)}.` : `Nothing had stopped ${inline(account)}.`,
      details: [
        ...states.flatMap((state) =>
          describeHolds(state, zoneOf(context, state.account)).map(
            (hold) => `Still held, ${state.account}: ${stepText(hold)}`,
          ),
        ),
        ...(await unknownWords(context, account)),
      ],
      json: { account, lifted, holds: states },
    };
  },
};

/** Says for each account that goes on what nobody knows of its forgotten calls. */
async function unknownWords(context: ActionContext, account: string): Promise<string[]> {
  const states = await statesOf(context, account);
  const words = states.map(async (state) => {
    const { unknown } = await readForgotten(context.ledger.pool, state.account);
    return sayUnknownRows(unknown).map((said) => `Account ${state.account}: ${said}`);
  });
  return (await Promise.all(words)).flat();
}

/** @param calls whose rows neither a send journal nor a report shows */
export function sayUnknownRows(calls: number): string[] {
  if (calls === 0) return [];
  return [
    `which rows went out with ${counted(calls, 'forgotten call')} stays unknown; until "paydrop account reconcile" has read a report that covers ${calls === 1 ? 'it' : 'them'}, from a payment on that the ledger knows, every new file needs approval, and files accepted before wait.`,
  ];
}

/** Returns the stops that this action would lift; a stop of all accounts can only be lifted for all. */
async function stopsOf({ ledger }: ActionContext, account: string): Promise<Stop[]> {
  const { stops } = await readHolds(ledger, account);
  return stops.filter((stop) => stop.account === account);
}

/** Checks the same as the move, but before the user writes a reason. */
async function mustHaveLooked(context: ActionContext, account: string, stops: readonly Stop[]): Promise<void> {
  if (!stops.some(({ kind }) => kind === 'journal')) return;
  const [state] = await statesOf(context, account);
  if (!state || state.forgotten === 0) return;
  throw new PipelineError(
    'JOURNAL_AHEAD',
    `resume account "${account}"`,
    `the send journal knows ${counted(state.forgotten, 'call')} that no batch in the ledger explains`,
    {
      next: `Compare "paydrop account forgotten ${account}" with the service's own report, then run "paydrop account acknowledge ${account}".`,
    },
  );
}

async function accountFacts(context: ActionContext, account: string): Promise<Facts> {
  const states = await statesOf(context, account);
  const sum = (of: 'ready' | 'onTheirWay') => String(states.reduce((total, state) => total + state[of], 0));
  return [
    ['Accounts', states.map((state) => state.account).join(', ')],
    ['Batches waiting', sum('ready')],
    ['Batches in progress', sum('onTheirWay')],
  ];
}

async function statesOf({ ledger, settings }: ActionContext, account: string) {
  const states = await readAccountStates(ledger, [...settings.accounts.keys()]);
  return states.filter((state) => account === ALL_ACCOUNTS || state.account === account);
}

function named(account: string): string {
  return account === ALL_ACCOUNTS ? 'All accounts' : `Account ${account}`;
}

function inline(account: string): string {
  return account === ALL_ACCOUNTS ? 'all accounts' : `account ${account}`;
}

function zoneOf({ settings }: ActionContext, account: string): string {
  return settings.accounts.get(account)?.timeZone ?? 'UTC';
}
