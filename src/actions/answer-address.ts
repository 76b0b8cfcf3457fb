import { counted } from '../kernel/counted.ts';
import { PipelineError } from '../kernel/errors.ts';
import {
  type AddressQuestion,
  answerAddress as answer,
  listAddressQuestions,
} from '../ledger/merchant/answer-address.ts';
import type { Action, ActionContext } from './action.ts';

const MOVED = 'moved';

/** Says whether the service of an account moved to its new address, or is another one. */
export const answerAddress: Action<'account'> = {
  comparesJournal: true,
  asks: [
    {
      name: 'service',
      label: 'The service at the new address',
      kind: 'choice',
      isRequired: true,
      // The first choice is the safe one: payments that were sent are not sent again.
      choices: [
        { value: MOVED, label: 'is the same, and moved: what was sent counts' },
        { value: 'other', label: 'is another one: what was sent does not count there' },
      ],
    },
  ],
  plan: async (context, { account }, { filled }) => {
    const question = await questionOf(context, account);
    const { before, address, files, unsent, askedAt } = question;
    const same =
      'If the service moved, unsent work is sent to the new address, and payments that were sent are recognized.';
    const other =
      'If it is another service, unsent work stays stopped until it is moved or canceled, and the same payments may be sent there.';
    return {
      says: filled['service'] === undefined ? [same, other] : [filled['service'] === MOVED ? same : other],
      facts: [
        ['Account', account],
        ['Address before', before ?? 'known to the send journal alone'],
        ['Address now', address],
        ['Files taken before', String(files)],
        ['Unsent batches', String(unsent)],
        ['Asked', { at: askedAt, timeZone: context.settings.accounts.get(account)?.timeZone }],
      ],
      binds: { address: [before, address] },
      button: `Answer for ${account}`,
    };
  },
  run: async (context, { account }, { filled }, because) => {
    await questionOf(context, account);
    const hasMoved = filled['service'] === MOVED;
    const accounts = await answer(context.ledger, account, hasMoved, because);
    return {
      says: `Answered for ${counted(accounts.length, 'account')}: the service ${hasMoved ? 'moved' : 'is another one'}.`,
      details: [`${accounts.join(', ')}: files are taken and sent again within a minute.`],
      json: { accounts, hasMoved },
    };
  },
};

async function questionOf({ ledger }: ActionContext, account: string): Promise<AddressQuestion> {
  const found = (await listAddressQuestions(ledger)).find((question) => question.account === account);
  if (found) return found;
  throw new PipelineError('NOT_FOUND', `answer for account "${account}"`, 'nothing is asked about its address', {
    next: 'See "paydrop account list".',
  });
}
