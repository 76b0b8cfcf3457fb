import { type IdRange, MOST_IDS, type Probe, probeIds, suggestRange } from './probe-ids.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import { counted } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readNeighbours } from '../../ledger/doubt/in-doubt.ts';
import type { Action, ActionContext, ActionReport, Filled, SubjectOf } from '../action.ts';
import { resolutionOf } from './doubt-context.ts';
import { batchFacts } from '../subject-words.ts';

/** Limit for a user who waits for a page without progress. */
const MOST_AT_ONCE = 100;

/** Looks for a batch in doubt under the ids around it, and says which one to assign. Changes nothing. */
export const probe: Action<'batch'> = {
  from: ['unknown'],
  comparesJournal: true,
  asks: [
    { name: 'from', label: 'First batch id', hint: 'Digits only.', kind: 'text', isRequired: true },
    { name: 'to', label: 'Last batch id', hint: `At most ${MOST_AT_ONCE} at a time.`, kind: 'text', isRequired: true },
  ],
  suggest: async (context, { batch }) => {
    const { before, after } = await readNeighbours(context.ledger, batch);
    const range = suggestRange(before?.batchId, after?.batchId);
    if (!range) return {};
    const last = BigInt(range.from) + BigInt(mostIds(context) - 1);
    return { from: range.from, to: BigInt(range.to) < last ? range.to : String(last) };
  },
  plan: async (context, place) => {
    const { before, after } = await readNeighbours(context.ledger, place.batch);
    const facts = await batchFacts(context, place.file, place.batch);
    return {
      says: [
        'The service is asked for each of these ids, and every row is compared. This only reads and changes nothing.',
        before || after
          ? 'The suggested range lies between the ids that the account received before and after the call.'
          : 'The account has no other batch to compare with; ask the service for ids of that time.',
      ],
      facts: [
        ...facts,
        ['Batch id of the account before it', before?.batchId ?? ''],
        ['Batch id of the account after it', after?.batchId ?? ''],
      ],
      button: 'Ask for these ids',
    };
  },
  run: async (context, place, { actor, filled }) => {
    const range = rangeOf(filled, mostIds(context));
    const onAsk = (done: number, of: number) => context.progress?.(`Asking for batch id ${done + 1} of ${of} …`);
    return sayProbe(place, range, await probeIds(resolutionOf(context, place, actor, true), range, { onAsk }));
  },
};

function mostIds({ progress }: ActionContext): number {
  return progress ? MOST_IDS : MOST_AT_ONCE;
}

function rangeOf({ from = '', to = '' }: Filled, most: number): IdRange {
  const isNumber = /^\d{1,18}$/.test(from) && /^\d{1,18}$/.test(to);
  if (!isNumber || BigInt(to) - BigInt(from) < most) return { from, to };
  throw new PipelineError('USAGE', 'look for the batch', `these are more than ${most} ids`, {
    next: 'Ask for fewer ids at a time.',
  });
}

function sayProbe({ file, batch }: SubjectOf<'batch'>, range: IdRange, found: Probe): ActionReport {
  const { matches, nearMisses, known, running, others, notKnown, failed, asked, stopped } = found;
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  return {
    says: conclusionOf(matches),
    status: matches.length === 1 ? 'ok' : 'unknownOpen',
    details: [
      `Asked for ${counted(asked, 'id')} from ${range.from} to ${range.to}: ${others} with other rows, ${notKnown} unknown to the service, ${failed} without an answer.`,
      ...(stopped === undefined ? [] : [`Stopped early: ${stopped}. Try again.`]),
    ],
    listing: {
      label: 'Ids with findings',
      titles: ['Batch id', 'What it is'],
      rows: [
        ...matches.map((batchId) => [batchId, 'matches in every row']),
        ...nearMisses.map(({ batchId, alike, reason }) => [
          batchId,
          `has ${alike} of its rows, but not all: ${reason}`,
        ]),
        ...running.map((batchId) => [batchId, 'not finished yet; ask again in a minute']),
        ...known.map(({ batchId, batchNo, name }) => [batchId, `is batch ${batchNo} of ${name}`]),
      ],
    },
    next: [...matches, ...nearMisses.map(({ batchId }) => batchId)].map((batchId) => ({
      to: 'adopt',
      file,
      batchNo: batch.batch_no,
      batchId,
    })),
    json: { batch: batchReference(key), ...key, name: file.name, verb: 'probe', ...range, ...found },
  };
}

function conclusionOf(matches: readonly string[]): string {
  if (matches.length === 0)
    return 'No id in the range belongs to the batch. This does not prove that the service never received it.';
  if (matches.length === 1) return `Batch id ${matches[0]} matches in every row. Nothing was changed yet.`;
  return 'The service has accepted the batch more than once. Ask it to reverse one before you enter the other id.';
}
