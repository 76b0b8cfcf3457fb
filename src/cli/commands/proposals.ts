import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { formatCents } from '../../kernel/money.ts';
import { confirmProposal, PROPOSED_ACTIONS, refuseProposal } from '../../ledger/proposal/confirm-proposal.ts';
import type { ProposalRow } from '../../ledger/proposal/propose.ts';
import { type OpenProposal, readOpenProposals } from '../../ledger/proposal/proposals.ts';
import { type Call, type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { compareJournalFirst } from '../compare-journal-first.ts';
import { operatorName } from '../operator-name.ts';
import { REASON_OPTION, readReason } from '../read-reason.ts';
import { textTable } from '../print/table.ts';

const NUMBER_ARGUMENT = ['<no>', 'its number, as "paydrop proposals" lists it'] as const;

export const proposals: CliCommand = {
  name: 'proposals',
  about: 'What one person has proposed and another has to confirm or refuse',
  options: [JSON_OPTION],
  examples: ['proposals'],
  async run(call) {
    const open = await withLedger(call, (ledger) => readOpenProposals(ledger));
    print(call, open, () => (open.length === 0 ? 'No proposal waits.' : `${proposalTable(open)}\n\n${HOW_TO_END}`));
    return EXIT.ok;
  },
};

export const confirm: CliCommand = {
  name: 'confirm',
  about: 'Confirm what another person has proposed; it is done at once',
  takes: [NUMBER_ARGUMENT],
  options: [JSON_OPTION],
  notes: [
    'Whoever proposed it cannot confirm it. When what it was made for has changed, it is void and nothing is done.',
  ],
  examples: ['confirm 7'],
  async run(call) {
    const no = proposalNumber(call, 'confirm a proposal');
    const ended = await withLedger(call, async (ledger, settings) => {
      await compareJournalFirst(ledger, settings);
      return confirmProposal(ledger, no, operatorName(), settings.newcomerDays);
    });
    print(call, ended, () => `Confirmed: ${describeEnded(ended)}`);
    return EXIT.ok;
  },
};

export const refuse: CliCommand = {
  name: 'refuse',
  about: 'End a proposal without doing it; its maker may do so as well',
  takes: [NUMBER_ARGUMENT],
  options: [REASON_OPTION, JSON_OPTION],
  examples: ['refuse 7 --reason "the sender wants it back"'],
  async run(call) {
    const no = proposalNumber(call, 'refuse a proposal');
    const isGiven = call.options['reason'] !== undefined;
    const reason = isGiven ? readReason(call, 'refuse the proposal') : 'no reason was given';
    const because = { actor: operatorName(), reason };
    const ended = await withLedger(call, (ledger) => refuseProposal(ledger, no, because));
    print(call, ended, () => `Refused: ${describeEnded(ended)}. Nothing was done; it waits as before.`);
    return EXIT.ok;
  },
};

export const HOW_TO_END =
  'Another person than its maker runs "paydrop confirm NO"; anybody may end one by "paydrop refuse NO".';

/** Returns the open proposals as a table, oldest first. */
export function proposalTable(open: readonly OpenProposal[]): string {
  const rows = open.map((one) => [
    String(one.proposal_no),
    one.action,
    placeOf(one),
    one.name,
    one.account,
    String(one.rows),
    formatCents(one.cents),
    one.made_by,
    one.made_at.toISOString(),
    one.reason,
  ]);
  const titles = ['No', 'To', 'What', 'File', 'Account', 'Rows', 'Total', 'By', 'Since', 'Why'];
  return textTable(titles, rows, [0, 5, 6]);
}

function describeEnded(proposal: ProposalRow): string {
  const about = PROPOSED_ACTIONS[proposal.action]?.about ?? proposal.action;
  return `proposal ${proposal.proposal_no} of ${proposal.made_by} for ${placeOf(proposal)}: ${about}`;
}

/** Formats a file or batch as typed on the command line. */
function placeOf({ file_id: fileId, batch_no: batchNo }: ProposalRow): string {
  return batchNo === null ? fileId : `${fileId}/${batchNo}`;
}

function proposalNumber(call: Call, action: string): number {
  const [words = ''] = call.arguments;
  if (/^[1-9]\d{0,14}$/.test(words)) return Number(words);
  throw new PipelineError('USAGE', action, `"${words}" is no number of a proposal`, {
    next: 'See "paydrop proposals".',
  });
}
