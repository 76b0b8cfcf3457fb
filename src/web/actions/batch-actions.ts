import { askForResult } from '../../../workers/poll/poll.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { cancelBatch } from '../../ledger/file/cancel-file.ts';
import type { BatchKey } from '../../ledger/engine/move.ts';
import { pollNow } from '../../ledger/batch/poll-now.ts';
import { retryRefused } from '../../ledger/batch/retry-refused.ts';
import { withdrawBatch } from '../../ledger/batch/withdraw-batch.ts';
import { readBatchRow } from '../../ledger/file/read-file.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';
import { ASKED_AGAIN, sayUnanswered } from '../../explain/attempt-words.ts';
import { capital, ended } from '../../explain/why/sentence.ts';
import type { Desk } from '../desk.ts';
import type { ActionHandler, Done } from './action-handler.ts';
import { sayCancelled } from './file-actions.ts';
import { batchFacts, sumWords } from './subject-words.ts';

type Place = { readonly file: FileRow; readonly batch: BatchRow };

/** Cancels one batch that was not sent. */
export const cancelOneBatch: ActionHandler<'batch'> = {
  from: ['ready', 'preparing', 'refused'],
  comparesJournal: true,
  plan: async (desk, { file, batch }) => {
    // A batch of a held file waits for the decision on the file.
    if (file.state !== 'accepted' && file.state !== 'in_progress')
      throw refusal(batch, 'cancel', `its file is ${file.state.replaceAll('_', ' ')}`);
    return {
      says: [`${capital(sumOf(desk, batch))} will never be sent. This cannot be taken back.`],
      facts: batchFacts(desk, file, batch),
      button: `Cancel ${sumOf(desk, batch)}`,
    };
  },
  run: async (desk, { file, batch }, _input, because) =>
    sayCancelled(desk, file, await cancelBatch(desk.app.ledger, keyOf(batch), because)),
};

/** Polls the service for the result now. */
export const repoll: ActionHandler<'batch'> = {
  from: ['submitted', 'result_in', 'exception', 'reconciled'],
  plan: async (desk, { file, batch }) => {
    if (batch.batch_id === null) throw refusal(batch, 'ask for the result of', 'the service gave it no batch id');
    return {
      says: ['The service is asked for the result of this batch. Asking reads only and may be repeated freely.'],
      facts: batchFacts(desk, file, batch),
    };
  },
  run: async ({ app }, { batch }, _input, because) => {
    const key = keyOf(batch);
    await pollNow(app.ledger, key, because);
    const failure = await askForResult(app, key);
    const { state, batch_id: batchId, reason } = await readBatchRow(app.ledger, key);
    const says =
      batch.state === 'reconciled' ? ASKED_AGAIN : (ASKED[state] ?? `The batch is ${state.replaceAll('_', ' ')}.`);
    return {
      says: failure === undefined ? says : sayUnanswered(failure),
      isWarning: state === 'exception' || failure !== undefined,
      json: { ...key, batchId, state, reason, ...(failure && { failure }) },
    };
  },
};

const ASKED: Partial<Record<BatchRow['state'], string>> = {
  submitted: 'The service is not done with it. It is asked again by itself.',
  reconciled: 'The result is here and every row has its outcome.',
  exception: 'The result does not fit what was sent; its money may have moved.',
};

/** Sends a refused batch again. The service had refused it, so nothing was charged. */
export const retry: ActionHandler<'batch'> = {
  from: ['refused'],
  comparesJournal: true,
  plan: async (desk, { file, batch }) => {
    return {
      says: [
        `${capital(sumOf(desk, batch))} will be sent again, as attempt ${batch.attempt + 1}. The service had said no; nothing was charged.`,
        ...whyOf(batch),
        'Mend the cause first. Another refusal stops the account again, and the service locks accounts that try often.',
      ],
      facts: batchFacts(desk, file, batch),
      button: `Send ${sumOf(desk, batch)} again`,
    };
  },
  run: async (desk, place, _input, because) => {
    await retryRefused(desk.app.ledger, keyOf(place.batch), because);
    return sayDecided(desk, place, 'It will be sent again');
  },
};

/** Gives up a refused batch. */
export const withdraw: ActionHandler<'batch'> = {
  from: ['refused'],
  comparesJournal: true,
  plan: async (desk, { file, batch }) => {
    return {
      says: [
        `${capital(sumOf(desk, batch))} will never be sent. This cannot be taken back.`,
        ...whyOf(batch),
        'Its rows stand in the results as NOT_SENT, and in the rejects file.',
      ],
      facts: batchFacts(desk, file, batch),
      button: `Withdraw ${sumOf(desk, batch)}`,
    };
  },
  run: async (desk, place, _input, because) => {
    await withdrawBatch(desk.app.ledger, keyOf(place.batch), because);
    return sayDecided(desk, place, 'Withdrawn');
  },
};

async function sayDecided(desk: Desk, { file, batch }: Place, what: string): Promise<Done> {
  const key = keyOf(batch);
  const { state, attempt, rows, cents } = await readBatchRow(desk.app.ledger, key);
  return {
    says: `${what}: batch ${batch.batch_no} of ${file.name}, ${sumOf(desk, batch)}.`,
    json: { ...key, state, attempt, rows, cents },
  };
}

function whyOf({ reason }: BatchRow): string[] {
  return reason ? [`It was refused because of: ${ended(reason)}`] : [];
}

function refusal({ batch_no: batchNo }: BatchRow, action: string, why: string): PipelineError {
  return new PipelineError('MOVE_REFUSED', `${action} batch ${batchNo}`, why, {
    next: 'Look at the page of its file.',
  });
}

function sumOf(desk: Desk, { account, rows, cents }: BatchRow): string {
  return sumWords(desk, account, rows, cents);
}

function keyOf({ file_id: fileId, batch_no: batchNo }: BatchRow): BatchKey {
  return { fileId, batchNo };
}
