import { suggestRange } from '../../actions/resolve/probe-ids.ts';
import {
  type OptionsContext,
  type ResolutionOption,
  resolutionOptions,
} from '../../actions/resolve/resolution-options.ts';
import type { Filled } from '../../actions/action.ts';
import type { InDoubt } from '../../ledger/doubt/in-doubt.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import { paydropLine } from '../print/paydrop-line.ts';

/** One possible action for a batch in doubt: when it fits, and the line to paste. */
export type NextStep = { readonly when: string; readonly command: string };

/** @param context.dir how the program was told where its configuration is */
export type StepContext = OptionsContext & { readonly dir: string };

/** Lists what can be done about a batch in doubt, the most certain first, each with a line to paste. */
export function nextSteps(found: InDoubt, context: StepContext): NextStep[] {
  const reference = batchReference({ fileId: found.batch.file_id, batchNo: found.batch.batch_no });
  const line = (...words: string[]) => paydropLine([...(context.dir === '.' ? [] : ['--dir', context.dir]), ...words]);
  if (found.proposal) return proposalSteps(found.proposal, line);
  return resolutionOptions(found, context).flatMap(({ says, action, given = [{ filled: {} }] }) =>
    given.map(({ filled }) => ({
      when: says.join(' '),
      command: line('resolve', reference, ...OPTIONS[action]!(filled, found)),
    })),
  );
}

/** Words of the command line for each way; what is not known is a placeholder. */
const OPTIONS: Partial<Record<ResolutionOption['action'], (filled: Filled, found: InDoubt) => string[]>> = {
  adopt: ({ batchId = 'BATCH-ID' }) => ['--adopt', batchId],
  probe: (_, { before, after }) => {
    const range = suggestRange(before?.batchId, after?.batchId);
    return ['--probe', range ? `${range.from}..${range.to}` : 'FROM..TO'];
  },
  journal: () => ['--report', 'report.csv'],
  // Without letters the evidence is refused when it is pasted unchanged.
  'not-received': () => ['--not-received', '--evidence', '…', '--reason', 'WHY'],
  'close-in-doubt': () => ['--close-in-doubt', '--reason', 'WHY'],
};

function proposalSteps(
  { proposalNo, action, madeBy }: NonNullable<InDoubt['proposal']>,
  line: (...words: string[]) => string,
): NextStep[] {
  const what = `Proposal ${proposalNo} of ${madeBy} waits for a second person: ${action}.`;
  return [
    { when: `${what} Another person confirms it:`, command: line('confirm', String(proposalNo)) },
    { when: 'Or refuse it:', command: line('refuse', String(proposalNo), '--reason', 'WHY') },
  ];
}
