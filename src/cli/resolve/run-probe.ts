import { EXIT } from '../../../schemas/errors.ts';
import type { ResolutionContext } from '../../actions/resolve/resolution-context.ts';
import { type IdRange, type Probe, probeIds, suggestRange } from '../../actions/resolve/probe-ids.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readNeighbours } from '../../ledger/doubt/in-doubt.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import { paydropLine } from '../print/paydrop-line.ts';
import { progressLine } from '../print/progress.ts';
import type { Said } from './say-outcome.ts';

/** Looks for the batch under a range of ids, by default those around it, and says which id to assign. */
export async function runProbe(context: ResolutionContext, given: IdRange | undefined, dir: string): Promise<Said> {
  const range = given ?? (await suggestOwnRange(context));
  const progress = progressLine();
  const probe = await probeIds(context, range, {
    onAsk: (done, of) => progress.show(`Asking for batch id ${done + 1} of ${of} …`),
  }).finally(progress.clear);
  const commands = probe.matches.map((batchId) => adoptLine(context, batchId, dir));
  return {
    status: probe.matches.length === 1 ? EXIT.ok : EXIT.unknownOpen,
    json: { verb: 'probe', ...range, ...probe, commands },
    text: describeProbe(range, probe, commands).join('\n'),
  };
}

async function suggestOwnRange({ ledger, batch }: ResolutionContext): Promise<IdRange> {
  const { before, after } = await readNeighbours(ledger, batch);
  const range = suggestRange(before?.batchId, after?.batchId);
  if (range) return range;
  throw new PipelineError('USAGE', 'suggest a range of batch ids', 'the account has no other batch to go by', {
    next: 'Give one, as in --probe 1000001..1000050.',
  });
}

function adoptLine({ file, batch }: ResolutionContext, batchId: string, dir: string): string {
  const reference = batchReference({ fileId: file.file_id, batchNo: batch.batch_no });
  return paydropLine([...(dir === '.' ? [] : ['--dir', dir]), 'resolve', reference, '--adopt', batchId]);
}

function describeProbe(range: IdRange, probe: Probe, commands: readonly string[]): string[] {
  const { matches, nearMisses, known, running, others, notKnown, failed, asked, stopped } = probe;
  return [
    `Asked for ${counted(asked, 'id')} from ${range.from} to ${range.to}: ${others} of other rows, ${notKnown} that the service does not know, ${failed} without an answer.`,
    ...(stopped === undefined ? [] : [`Stopped early: ${stopped}. Try again.`]),
    ...known.map(({ batchId, fileId, batchNo, name }) => `${batchId} is batch ${fileId}/${batchNo} of ${name}.`),
    ...running.map((batchId) => `${batchId} is not done yet; ask again in a minute.`),
    ...nearMisses.map(({ batchId, alike, reason }) => `${batchId} holds ${alike} of its rows, but not all: ${reason}.`),
    ...matches.map((batchId) => `${batchId} matches in every row.`),
    ...conclusion(matches.length, commands),
  ];
}

function conclusion(matches: number, commands: readonly string[]): string[] {
  if (matches === 0)
    return [
      'No id of the range is that of the batch. Nothing was changed. This alone does not show that it was never taken; see the other steps of "paydrop unknown list".',
    ];
  if (matches === 1) return ['Nothing was changed. To adopt it:', `  ${commands[0]!}`];
  return [
    'The service has taken the batch more than once. Ask it to undo one before you adopt the other:',
    ...commands.map((command) => `  ${command}`),
  ];
}
