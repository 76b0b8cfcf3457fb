import { adoptById } from '../../actions/resolve/adopt-by-id.ts';
import { closeInDoubt } from '../../actions/resolve/close-in-doubt.ts';
import { declareNotReceived } from '../../actions/resolve/declare-not-received.ts';
import { disownResult } from '../../actions/resolve/disown-result.ts';
import { byNumber } from '../../kernel/counted.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskReason } from '../../kernel/mask.ts';
import type { BatchRow } from '../../ledger/engine/records.ts';
import { capital } from '../../explain/why/sentence.ts';
import type { WebContext } from '../web-context.ts';
import type { ActionHandler, Listing } from './action-handler.ts';
import { resolutionOf, sayResolved, takesTwoToResolve } from './doubt-context.ts';
import { batchFacts, sumWords } from './subject-words.ts';

const TRIED = 'tried on the dashboard';
const SECOND = 'This only proposes it. It is done once another person has confirmed.';

/** Assigns the service's batch id. Every row of its result is compared before anything is changed. */
export const adopt: ActionHandler<'batch'> = {
  from: ['unknown'],
  comparesJournal: true,
  picks: [
    {
      name: 'batchId',
      label: 'Batch id of the service',
      hint: 'Its result is fetched and compared with the rows that were sent; nothing is changed by that.',
      kind: 'text',
      isRequired: true,
    },
  ],
  plan: async (context, place, { actor, filled }) => {
    const isProposal = await takesTwoToResolve(context, place);
    const batchId = batchIdOf(filled);
    const found = await adoptById(resolutionOf(context, place, actor, true), batchId, TRIED);
    const facts = batchFacts(context, place.file, place.batch);
    if (found.result === 'differs')
      return {
        says: [`This is not batch id ${batchId}: ${found.reason}. Nothing was changed.`],
        facts,
        listing: differencesOf(found.differences),
        barred: `the result under batch id ${batchId} is not that of the batch`,
      };
    const { rows } = place.batch;
    return {
      says: [
        `The result under batch id ${batchId} holds ${byNumber(rows, 'the one row', `all ${rows} rows`)} of this batch and no other: invoice, amount and payer agree row by row.`,
        'Adopted, the batch counts as taken under that id, and its result is fetched. It is not sent again.',
        ...(isProposal ? [SECOND] : []),
      ],
      facts,
      isProposal,
      button: `${isProposal ? 'Propose to adopt' : 'Adopt'} ${batchId} for ${sumOf(context, place.batch)}`,
    };
  },
  run: async (context, place, { actor, filled }, { reason }) => {
    const batchId = batchIdOf(filled);
    const outcome = await adoptById(resolutionOf(context, place, actor, false), batchId, reason);
    if (outcome.result === 'differs')
      throw new PipelineError('RESOLUTION_REFUSED', `adopt batch id ${batchId}`, outcome.reason);
    return sayResolved(
      context,
      place,
      outcome,
      `Every row matches; it is adopted under batch id ${batchId}, and its result is fetched.`,
    );
  },
};

/** Sends the batch once more, after a person has confirmed with the service that it never received it. */
export const notReceived: ActionHandler<'batch'> = {
  from: ['unknown'],
  comparesJournal: true,
  asks: [
    {
      name: 'evidence',
      label: 'Evidence',
      hint: 'Who of the service confirmed it, when, and how, such as "Ann of the service desk, ticket 4711".',
      kind: 'long',
      isRequired: true,
    },
  ],
  plan: async (context, place, { actor }) => {
    const isProposal = await takesTwoToResolve(context, place);
    await declareNotReceived(resolutionOf(context, place, actor, true), {
      evidence: 'not yet written down',
      reason: TRIED,
    });
    const sum = sumOf(context, place.batch);
    return {
      says: [
        `${capital(sum)} will be sent once more, as attempt ${place.batch.attempt + 1}.`,
        'If the service has taken the batch after all, every payer in it is charged twice. So do this only when the service itself has confirmed that it never came.',
        ...(isProposal ? [SECOND] : []),
      ],
      facts: batchFacts(context, place.file, place.batch),
      isProposal,
      button: `${isProposal ? 'Propose to send' : 'Send'} ${sum} again`,
    };
  },
  run: async (context, place, { actor, filled }, { reason }) => {
    const evidence = maskReason(filled['evidence'] ?? '');
    const outcome = await declareNotReceived(resolutionOf(context, place, actor, false), { evidence, reason });
    const attempt = place.batch.attempt + 1;
    return sayResolved(
      context,
      place,
      outcome,
      `Declared as not received; it is sent once more, as attempt ${attempt}.`,
    );
  },
};

/** Closes a batch whose outcome stays unknown: rows that no report has explained go out as UNKNOWN. */
export const closeBatchInDoubt: ActionHandler<'batch'> = {
  from: ['unknown', 'exception'],
  comparesJournal: true,
  plan: async (context, place, { actor }) => {
    const isProposal = await takesTwoToResolve(context, place);
    await closeInDoubt(resolutionOf(context, place, actor, true), TRIED);
    return {
      says: [
        'Rows that no report of the service has explained go out as UNKNOWN, for the suspense account, and are never sent again.',
        'This ends the search: the batch is final afterwards.',
        ...(isProposal ? [SECOND] : []),
      ],
      facts: batchFacts(context, place.file, place.batch),
      isProposal,
      button: `${isProposal ? 'Propose to close' : 'Close'} ${sumOf(context, place.batch)} in doubt`,
    };
  },
  run: async (context, place, { actor }, { reason }) => {
    const outcome = await closeInDoubt(resolutionOf(context, place, actor, false), reason);
    return sayResolved(
      context,
      place,
      outcome,
      'Rows that no report has explained go out as UNKNOWN and are never sent again.',
    );
  },
};

/** Detaches a result that belongs to another batch. This only adds doubt, so one person is enough. */
export const disown: ActionHandler<'batch'> = {
  from: ['exception'],
  comparesJournal: true,
  plan: async (context, place, { actor }) => {
    await disownResult(resolutionOf(context, place, actor, true), TRIED);
    return {
      says: [
        "The result that came for this batch is declared to be another batch's. Whether this one was taken is not known then: it is in doubt, and its account sends nothing until that is resolved.",
      ],
      facts: batchFacts(context, place.file, place.batch),
      button: `Disown the result of ${sumOf(context, place.batch)}`,
    };
  },
  run: async (context, place, { actor }, { reason }) => {
    const outcome = await disownResult(resolutionOf(context, place, actor, false), reason);
    const done = await sayResolved(context, place, outcome, 'Its result is disowned. It is in doubt now.');
    const { file, batch } = place;
    const path = `/files/${file.file_id}/batches/${batch.batch_no}/resolve`;
    return { ...done, links: [{ path, label: 'Resolve it' }] };
  },
};

function batchIdOf({ batchId = '' }: Readonly<Record<string, string>>): string {
  return batchId;
}

function sumOf(context: WebContext, { account, rows, cents }: BatchRow): string {
  return sumWords(context, account, rows, cents);
}

type Differences = readonly { position: number; line: number | null; sent: string; result: string }[];

function differencesOf(differences: Differences): Listing | undefined {
  if (differences.length === 0) return undefined;
  return {
    label: 'Rows that differ',
    titles: ['Row', 'Line', 'Sent', 'Came back'],
    rows: differences.map(({ position, line, sent, result }) => [
      String(position),
      line === null ? '' : String(line),
      sent,
      result,
    ]),
  };
}
