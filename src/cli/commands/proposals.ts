import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import type { ProposalRow } from '../../ledger/proposal/propose.ts';
import { type OpenProposal, readFileOf, readOpenProposals, readProposal } from '../../ledger/proposal/proposals.ts';
import { actionCommand, type FindByWords } from '../action-command.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import { textTable } from '../print/table.ts';

const NUMBER_ARGUMENT = ['<no>', 'its number, as "paydrop proposals" lists it'] as const;

export const proposals: CliCommand = {
  name: 'proposals',
  about: 'List proposals that another person must confirm or refuse',
  options: [JSON_OPTION],
  examples: ['proposals'],
  async run(call) {
    await withLedger(call, async (ledger, settings) => {
      const open = await readOpenProposals(ledger);
      const table = () => proposalTable(open, momentsIn(zoneOf(settings), ledger.clock.now()));
      print(call, open, () => (open.length === 0 ? 'No open proposals.' : `${table()}\n\n${HOW_TO_END}`));
    });
    return EXIT.ok;
  },
};

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

export const HOW_TO_END = 'Another person runs "paydrop confirm NO"; any operator can run "paydrop refuse NO".';

/** Returns the open proposals as a table, oldest first. */
export function proposalTable(open: readonly OpenProposal[], when: (at: Date) => string): string {
  const rows = open.map((one) => [
    String(one.proposal_no),
    one.action,
    placeOf(one),
    one.name,
    one.account,
    String(one.rows),
    formatCents(one.cents),
    one.made_by,
    when(one.made_at),
    one.reason,
  ]);
  const titles = ['No', 'To', 'What', 'File', 'Account', 'Rows', 'Total', 'By', 'Since', 'Why'];
  return textTable(titles, rows, [0, 5, 6]);
}

/** Formats a file or batch as typed on the command line; a version of a profile has only its name. */
function placeOf({ file_id: fileId, batch_no: batchNo }: ProposalRow): string {
  return [fileId ?? 'profile', ...(batchNo === null ? [] : [batchNo])].join('/');
}
