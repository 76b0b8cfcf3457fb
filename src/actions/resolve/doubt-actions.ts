import { batchReference } from '../../explain/batch-reference.ts';
import { assignById, type Adoption } from './assign-batch-id.ts';
import { closeInDoubt, declareNotReceived, detachBatchResult } from './carry-out.ts';
import { byNumber } from '../../kernel/counted.ts';
import { maskReason } from '../../kernel/mask.ts';
import type { BatchRow } from '../../ledger/engine/records.ts';
import { capital } from '../../explain/why/sentence.ts';
import type { Action, ActionContext, ActionReport, Listing, SubjectOf } from '../action.ts';
import { resolutionOf, sayResolved, takesTwoToResolve } from './doubt-context.ts';
import { batchFacts, sumWords } from '../subject-words.ts';
import { readUnknownRows } from '../../ledger/doubt/unknown-rows.ts';

const TRIED = 'tried on the dashboard';
const SECOND = 'This only proposes it. It is done once another person confirms it.';

/** Assigns the service's batch id. Every row of its result is compared before anything is changed. */
export const adopt: Action<'batch'> = {
  from: ['unknown'],
  comparesJournal: true,
  usualReason: 'every row of the result matches',
  picks: [
    {
      name: 'batchId',
      label: 'Batch id of the service',
      hint: 'Its result is fetched and compared with the rows sent. This changes nothing.',
      kind: 'text',
      isRequired: true,
    },
  ],
  plan: async (context, place, { actor, filled }) => {
    const isProposal = await takesTwoToResolve(context, place);
    const batchId = batchIdOf(filled);
    const found = await assignById(resolutionOf(context, place, actor, true), batchId, TRIED);
    const facts = await batchFacts(context, place.file, place.batch);
    if (found.result === 'differs')
      return {
        says: [notThis(batchId, found.reason)],
        facts,
        listing: differencesOf(found.differences),
        barred: `the result under batch id ${batchId} belongs to another batch`,
        status: 'unknownOpen',
      };
    const { rows } = place.batch;
    return {
      says: [
        `The result under batch id ${batchId} holds ${byNumber(rows, 'the only row', `all ${rows} rows`)} of this batch and no others: invoice, amount and payer match row by row.`,
        'The batch then counts as accepted under that id, and its result is fetched. It is not sent again.',
        ...(isProposal ? [SECOND] : []),
      ],
      facts,
      binds: { attempt: place.batch.attempt },
      isProposal,
      button: `${isProposal ? 'Propose to enter' : 'Enter'} ${batchId} for ${sumOf(context, place.batch)}`,
    };
  },
  run: async (context, place, { actor, filled }, { reason }) => {
    const batchId = batchIdOf(filled);
    const outcome = await assignById(resolutionOf(context, place, actor, false), batchId, reason);
    if (outcome.result === 'differs') return sayDiffers(place, batchId, outcome);
    const means = `Every row matches. It has batch id ${batchId} now, and its result is fetched.`;
    return sayResolved(context, 'adopt', place, outcome, means, { batchId });
  },
};

/** Sends the batch once more, after a person has confirmed with the service that it never received it. */
export const notReceived: Action<'batch'> = {
  from: ['unknown'],
  comparesJournal: true,
  asks: [
    {
      name: 'evidence',
      label: 'Evidence',
      hint: 'Who at the service confirmed it, when and how, such as "Ann of the service desk, ticket 4711".',
      kind: 'long',
      isRequired: true,
    },
  ],
  plan: async (context, place, { actor }) => {
    const isProposal = await takesTwoToResolve(context, place);
    await declareNotReceived(resolutionOf(context, place, actor, true), {
      evidence: 'not yet written',
      reason: TRIED,
    });
    const sum = sumOf(context, place.batch);
    return {
      says: [
        `${capital(sum)} will be sent again, as attempt ${place.batch.attempt + 1}.`,
        'If the service did receive the batch, every payer in it is charged twice. Do this only after the service has confirmed that it never received it.',
        ...(isProposal ? [SECOND] : []),
      ],
      facts: await batchFacts(context, place.file, place.batch),
      binds: { attempt: place.batch.attempt },
      isProposal,
      button: `${isProposal ? 'Propose to send' : 'Send'} ${sum} again`,
    };
  },
  run: async (context, place, { actor, filled }, { reason }) => {
    const evidence = maskReason(filled['evidence'] ?? '');
    const outcome = await declareNotReceived(resolutionOf(context, place, actor, false), { evidence, reason });
    const means = `Marked as not received; it is sent again, as attempt ${place.batch.attempt + 1}.`;
    return sayResolved(context, 'not-received', place, outcome, means);
  },
};

/** Closes a batch, or unknown rows of a finished one: rows that no report has explained are UNKNOWN for good. */
export const closeBatchInDoubt: Action<'batch'> = {
  from: ['unknown', 'exception', 'reconciled'],
  comparesJournal: true,
  plan: async (context, place, { actor }) => {
    const isProposal = await takesTwoToResolve(context, place);
    await closeInDoubt(resolutionOf(context, place, actor, true), TRIED);
    return {
      says: [
        'Rows that no transaction report explains get the outcome UNKNOWN, for the suspense account, and are never sent again.',
        place.batch.state === 'reconciled'
          ? 'This ends the search: no list names these rows any more. A later report can still decide them.'
          : 'This ends the search: the batch is then final.',
        ...(isProposal ? [SECOND] : []),
      ],
      facts: await batchFacts(context, place.file, place.batch),
      binds: { attempt: place.batch.attempt, state: await stateOf(context, place) },
      isProposal,
      button: `${isProposal ? 'Propose to close' : 'Close'} ${await openSumOf(context, place)} with unknown outcome`,
    };
  },
  run: async (context, place, { actor }, { reason }) => {
    const outcome = await closeInDoubt(resolutionOf(context, place, actor, false), reason);
    const means = 'Rows that no transaction report explains get the outcome UNKNOWN and are never sent again.';
    return sayResolved(context, 'close-in-doubt', place, outcome, means);
  },
};

/** Detaches a result that belongs to another batch. This only adds doubt, so one person is enough. */
export const disown: Action<'batch'> = {
  from: ['exception'],
  comparesJournal: true,
  plan: async (context, place, { actor }) => {
    await detachBatchResult(resolutionOf(context, place, actor, true), TRIED);
    return {
      says: [
        'You state that the result received for this batch belongs to another batch. This batch is then in doubt, and its account sends nothing until it is resolved.',
      ],
      facts: await batchFacts(context, place.file, place.batch),
      binds: { 'batch id': place.batch.batch_id },
      button: `Detach the result of ${sumOf(context, place.batch)}`,
    };
  },
  run: async (context, place, { actor }, { reason }) => {
    const outcome = await detachBatchResult(resolutionOf(context, place, actor, false), reason);
    const means = 'Its result is detached. The batch is in doubt now.';
    const done = await sayResolved(context, 'disown', place, outcome, means);
    return { ...done, next: [{ to: 'doubt', file: place.file, batchNo: place.batch.batch_no }] };
  },
};

function notThis(batchId: string, why: string): string {
  return `This is not batch id ${batchId}: ${why}. Nothing was changed.`;
}

function sayDiffers(
  { file, batch }: SubjectOf<'batch'>,
  batchId: string,
  { result, reason, differences }: Extract<Adoption, { result: 'differs' }>,
): ActionReport {
  const key = { fileId: file.file_id, batchNo: batch.batch_no };
  return {
    says: notThis(batchId, reason),
    listing: differencesOf(differences),
    status: 'unknownOpen',
    json: { batch: batchReference(key), ...key, name: file.name, verb: 'adopt', batchId, result, reason, differences },
  };
}

function batchIdOf({ batchId = '' }: Readonly<Record<string, string>>): string {
  return batchId;
}

function sumOf(context: ActionContext, { account, rows, cents }: BatchRow): string {
  return sumWords(context, account, rows, cents);
}

/** Returns the rows that are closed with a batch: of a finished one, only those whose outcome is unknown. */
async function openSumOf(context: ActionContext, { file, batch }: SubjectOf<'batch'>): Promise<string> {
  if (batch.state !== 'reconciled') return sumOf(context, batch);
  const unknown = await readUnknownRows(context.ledger.pool, file.file_no, batch.batch_no);
  const cents = unknown.reduce((sum, row) => sum + row.cents, 0);
  return sumWords(context, batch.account, unknown.length, cents);
}

/** Returns what a closing ends: the state of the batch and, of a finished one, each row with unknown outcome. */
async function stateOf(context: ActionContext, { file, batch }: SubjectOf<'batch'>): Promise<unknown> {
  if (batch.state !== 'reconciled') return batch.state;
  const unknown = await readUnknownRows(context.ledger.pool, file.file_no, batch.batch_no);
  return [batch.state, ...unknown.map(({ line, since }) => [line, since.getTime()])];
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
