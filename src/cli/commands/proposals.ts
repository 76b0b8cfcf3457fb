import { PipelineError } from '../../kernel/errors.ts';
import { readFileOf, readProposal } from '../../ledger/proposal/proposals.ts';
import { actionCommand, type FindByWords } from '../action-command.ts';

const NUMBER_ARGUMENT = ['<no>', 'its number, as "paydrop proposals" lists it'] as const;

const findProposal: FindByWords = async (ledger, _settings, words) => {
  if (!/^[1-9]\d{0,14}$/.test(words))
    throw new PipelineError('USAGE', 'find a proposal', `"${words}" is not the number of a proposal`, {
      next: 'See "paydrop proposals".',
    });
  const proposal = await readProposal(ledger, Number(words));
  return { kind: 'proposal', proposal, file: await readFileOf(ledger, proposal) };
};

export const confirm = actionCommand(
  'confirm',
  {
    name: 'confirm',
    about: 'Confirm what another person has proposed; it is done at once',
    takes: [NUMBER_ARGUMENT],
    notes: [
      'The person who proposed it cannot confirm it. If the file or batch has changed since, it is void and nothing is done.',
    ],
    examples: ['confirm 7'],
  },
  findProposal,
);

export const refuse = actionCommand(
  'refuse',
  {
    name: 'refuse',
    about: 'Refuse a proposal, or withdraw your own',
    takes: [NUMBER_ARGUMENT],
    examples: ['refuse 7 --reason "the sender wants it back"'],
  },
  findProposal,
);
