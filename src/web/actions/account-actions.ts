import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { ALL_ACCOUNTS, pauseAccount, resumeAccount } from '../../ledger/account/pause-account.ts';
import { readAccountStates, readHolds, type Stop } from '../../ledger/account/read-holds.ts';
import { describeHolds } from '../../explain/describe-holds.ts';
import { ended } from '../../explain/why/sentence.ts';
import type { WebContext } from '../web-context.ts';
import type { ActionHandler, Facts } from './action-handler.ts';

/** Pauses one account, or all of them. */
export const pause: ActionHandler<'account'> = {
  plan: async (context, { account }) => {
    const stops = await stopsOf(context, account);
    const before = stops.find(({ kind }) => kind === 'pause');
    if (before) throw refusal('pause', account, `it was paused before by ${before.actor}: ${before.reason}`);
    return {
      says: [
        `${named(account)} ${account === ALL_ACCOUNTS ? 'send' : 'sends'} nothing more until somebody resumes.`,
        'When this is done no submit begins any more, in any process. Calls that have begun go on to their end; results are still asked for and delivered.',
      ],
      facts: await accountFacts(context, account),
      button: account === ALL_ACCOUNTS ? 'Pause all accounts' : `Pause ${account}`,
    };
  },
  run: async ({ app }, { account }, _input, because) => {
    const isNew = await pauseAccount(app.ledger, account, because);
    return {
      says: isNew ? `Paused: ${named(account)}. No submit begins any more.` : `${named(account)}: paused before.`,
      json: { account, paused: true, wasPausedBefore: !isNew },
    };
  },
};

/** Lets a stopped account send again. Batches in doubt or refused still hold it. */
export const resume: ActionHandler<'account'> = {
  comparesJournal: true,
  plan: async (context, { account }) => {
    const stops = await stopsOf(context, account);
    if (stops.length === 0) throw refusal('resume', account, 'nothing has stopped it');
    await mustHaveLooked(context, account, stops);
    return {
      says: [
        account === ALL_ACCOUNTS
          ? 'The stop of all accounts is lifted; stops of single accounts stay.'
          : `Account ${account} sends again, unless something else holds it.`,
        ...stops.map(({ kind, actor, reason }) =>
          kind === 'pause' ? `It was paused by ${actor}: ${ended(reason)}` : `It was stopped: ${ended(reason)}`,
        ),
      ],
      facts: await accountFacts(context, account),
      button: account === ALL_ACCOUNTS ? 'Resume all accounts' : `Resume ${account}`,
    };
  },
  run: async (context, { account }, _input, because) => {
    const { ledger } = context.app;
    const lifted = await resumeAccount(ledger, account, because);
    const states = await statesOf(context, account);
    return {
      says: lifted.length > 0 ? `Resumed: ${named(account)}.` : `Nothing had stopped ${named(account)}.`,
      details: states.flatMap((state) =>
        describeHolds(state, zoneOf(context, state.account)).map((hold) => `Still held, ${state.account}: ${hold}`),
      ),
      json: { account, lifted, holds: states },
    };
  },
};

/** Returns the stops that this action would lift; a stop of all accounts can only be lifted for all. */
async function stopsOf({ app }: WebContext, account: string): Promise<Stop[]> {
  const { stops } = await readHolds(app.ledger, account);
  return stops.filter((stop) => stop.account === account);
}

/** Checks the same as the move, but before the user writes a reason. */
async function mustHaveLooked(context: WebContext, account: string, stops: readonly Stop[]): Promise<void> {
  if (!stops.some(({ kind }) => kind === 'journal')) return;
  const [state] = await statesOf(context, account);
  if (!state || state.forgotten === 0) return;
  throw new PipelineError(
    'JOURNAL_AHEAD',
    `resume account "${account}"`,
    `the send journal knows ${counted(state.forgotten, 'call')} that no batch of the ledger can answer for`,
    {
      next: `Compare "paydrop account forgotten ${account}" with the service's own report, then run "paydrop account acknowledge ${account}".`,
    },
  );
}

async function accountFacts(context: WebContext, account: string): Promise<Facts> {
  const states = await statesOf(context, account);
  const sum = (of: 'ready' | 'onTheirWay') => String(states.reduce((total, state) => total + state[of], 0));
  return [
    ['Accounts', states.map((state) => state.account).join(', ')],
    ['Batches that wait', sum('ready')],
    ['Batches on their way', sum('onTheirWay')],
  ];
}

async function statesOf({ app }: WebContext, account: string) {
  const states = await readAccountStates(app.ledger, [...app.settings.accounts.keys()]);
  return states.filter((state) => account === ALL_ACCOUNTS || state.account === account);
}

function named(account: string): string {
  return account === ALL_ACCOUNTS ? 'All accounts' : `Account ${account}`;
}

function refusal(action: string, account: string, why: string): PipelineError {
  const what = account === ALL_ACCOUNTS ? 'all accounts' : `account "${account}"`;
  return new PipelineError('MOVE_REFUSED', `${action} ${what}`, why, { next: 'Nothing is to be done.' });
}

function zoneOf({ app }: WebContext, account: string): string {
  return app.settings.accounts.get(account)?.timeZone ?? 'UTC';
}
