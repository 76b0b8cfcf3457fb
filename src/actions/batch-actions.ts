import { saidState } from '../../schemas/shown.ts';
import { stepText } from '../../schemas/steps.ts';
import { type BatchState, UNSENT_BATCH_STATES } from '../../schemas/lifecycle.ts';
import { tryAgain } from '../ledger/stage/taken.ts';
import { ring } from '../../workers/ring.ts';
import { askForResult } from '../../workers/poll/poll.ts';
import type { App } from '../app.ts';
import { PipelineError } from '../kernel/errors.ts';
import { cancelBatch } from '../ledger/file/cancel-file.ts';
import type { BatchKey } from '../ledger/engine/move.ts';
import { pollNow } from '../ledger/batch/schedule-poll.ts';
import { retryRefused, withdrawBatch } from '../ledger/batch/retry-refused.ts';
import { readBatches, readBatchRow, readFileState } from '../ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../ledger/engine/records.ts';
import { sayAskedAgain, sayUnanswered } from '../explain/attempt-words.ts';
import { capital, ended } from '../explain/why/sentence.ts';
import type { Action, ActionContext, AppAction, ActionReport } from './action.ts';
import { sayCancelled } from './file-actions.ts';
import { batchFacts, sumWords } from './subject-words.ts';

type Place = { readonly file: FileRow; readonly batch: BatchRow };

/** Cancels one batch that was not sent. */
export const cancelOneBatch: Action<'batch'> = {
  from: UNSENT_BATCH_STATES,
  comparesJournal: true,
  plan: async (context, { file, batch }) => {
    // A batch of a held file waits for the decision on the file.
    if (file.state !== 'accepted' && file.state !== 'in_progress')
      throw refusal(batch, 'cancel', `the state of its file is ${saidState(file.state)}`);
    return {
      says: [`${capital(sumOf(context, batch))} will never be sent. This cannot be undone.`],
      facts: await batchFacts(context, file, batch),
      button: `Cancel ${sumOf(context, batch)}`,
    };
  },
  run: async (context, { file, batch }, _input, because) =>
    sayCancelled(context, file, await cancelBatch(context.ledger, keyOf(batch), because)),
};

/** Polls the service for the result now. */
export const repoll: AppAction<'batch'> = {
  needs: 'app',
  from: ['submitted', 'result_in', 'exception', 'reconciled'],
  plan: async (context, { file, batch }) => {
    if (batch.batch_id === null) throw refusal(batch, 'ask for the result of', 'the service gave it no batch id');
    return {
      says: ['The service is asked for the result of this batch. This only reads and can be repeated freely.'],
      facts: await batchFacts(context, file, batch),
    };
  },
  run: async (app, { file, batch }, _input, because) => {
    const key = keyOf(batch);
    await pollNow(app.ledger, key, because);
    const failure = await askForResult(app, key);
    const { state, batch_id: batchId, reason } = await readBatchRow(app.ledger, key);
    const says =
      batch.state === 'reconciled'
        ? sayAskedAgain(key)
        : [ASKED[state] ?? `The state of the batch is ${saidState(state)}.`];
    return {
      says: stepText(failure === undefined ? says : sayUnanswered(failure)),
      status: state === 'exception' || failure !== undefined ? 'exception' : 'ok',
      json: { ...key, name: file.name, batchId, state, reason, ...(failure && { failure }) },
    };
  },
};

const ASKED: Partial<Record<BatchRow['state'], string>> = {
  submitted: 'The service has not finished it. paydrop asks again automatically.',
  reconciled: 'The result has arrived and every row has its outcome.',
  exception: 'The result does not match what was sent; its money may have moved.',
};

/** Sends a refused batch again. The service had refused it, so nothing was charged. */
export const retry: Action<'batch'> = {
  from: ['refused'],
  comparesJournal: true,
  plan: async (context, { file, batch }) => {
    return {
      says: [
        `${capital(sumOf(context, batch))} will be sent again, as attempt ${batch.attempt + 1}. The service refused it before; nothing was charged.`,
        ...whyOf(batch),
        'Fix the cause first. Another refusal stops the account again, and the service locks accounts after repeated attempts.',
      ],
      facts: await batchFacts(context, file, batch),
      binds: { attempt: batch.attempt },
      button: `Send ${sumOf(context, batch)} again`,
    };
  },
  run: async (context, place, _input, because) => {
    await retryRefused(context.ledger, keyOf(place.batch), because);
    return sayDecided(context, place, 'It will be sent again');
  },
};

/** Gives up a refused batch. */
export const withdraw: Action<'batch'> = {
  from: ['refused'],
  comparesJournal: true,
  plan: async (context, { file, batch }) => {
    return {
      says: [
        `${capital(sumOf(context, batch))} will never be sent. This cannot be undone.`,
        ...whyOf(batch),
        'Its rows appear as NOT_SENT in the results, and in the rejects file.',
      ],
      facts: await batchFacts(context, file, batch),
      button: `Withdraw ${sumOf(context, batch)}`,
    };
  },
  run: async (context, place, _input, because) => {
    await withdrawBatch(context.ledger, keyOf(place.batch), because);
    return sayDecided(context, place, 'Withdrawn');
  },
};

async function sayDecided(context: ActionContext, { file, batch }: Place, what: string): Promise<ActionReport> {
  const key = keyOf(batch);
  const { state, attempt, rows, cents } = await readBatchRow(context.ledger, key);
  const fileState = await readFileState(context.ledger, key.fileId);
  return {
    says: `${what}: batch ${batch.batch_no} of ${file.name}, ${sumOf(context, batch)}.`,
    json: { ...key, name: file.name, state, attempt, rows, cents, fileState },
  };
}

function whyOf({ reason }: BatchRow): string[] {
  return reason ? [`It was refused because of: ${ended(reason)}`] : [];
}

function refusal({ batch_no: batchNo, file_id: fileId }: BatchRow, action: string, why: string): PipelineError {
  return new PipelineError('MOVE_REFUSED', `${action} batch ${batchNo}`, why, {
    next: `See "paydrop why ${fileId}".`,
  });
}

function sumOf(context: ActionContext, { account, rows, cents }: BatchRow): string {
  return sumWords(context, account, rows, cents);
}

function keyOf({ file_id: fileId, batch_no: batchNo }: BatchRow): BatchKey {
  return { fileId, batchNo };
}

/** What a stage was rung for, in words, such as "submit of batch 2". */
export type Rung = string;

/**
 * Has the stages look at a file, or at one of its batches, at once, also at what failed a moment ago. Harmless at any time:
 * the ledger lets through what is due.
 * @returns what was rung for; nothing while a person or the service must act first
 */
export async function requeueFile(app: App, file: FileRow, only?: BatchRow): Promise<Rung[]> {
  await tryAgain(app.ledger, file);
  if (file.state === 'claimed') {
    await ring(app, 'intake', file.site);
    return ['intake'];
  }
  const batches = only ? [only] : await readBatches(app.ledger, file.file_id);
  const rung = withoutLaterOnes(batches).flatMap(({ state, batch_no: batchNo }) => {
    const stage = STAGES[state];
    return stage === undefined ? [] : [{ stage, says: `${stage} of batch ${batchNo}` }];
  });
  for (const stage of new Set(rung.map((one) => one.stage))) await ring(app, stage);
  if (!only) await ring(app, 'deliver', file.site);
  return [...rung.map(({ says }) => says), ...(only ? [] : ['deliver'])];
}

/** Stage for each batch state. The other states wait for a person or a worker, or are final. */
const STAGES: Partial<Record<BatchState, 'submit' | 'poll'>> = {
  ready: 'submit',
  submitted: 'poll',
  result_in: 'poll',
};

/** Drops all waiting batches but the first, because batches of one account go one after the other. */
function withoutLaterOnes(batches: readonly BatchRow[]): BatchRow[] {
  const first = batches.find((batch) => batch.state === 'ready');
  return batches.filter((batch) => batch.state !== 'ready' || batch === first);
}
