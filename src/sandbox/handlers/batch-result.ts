import { textElement } from '../xml/write-xml.ts';
import { BAD_LOGIN_BATCH_PAYLOAD, BATCH_TEXTS, batchPayload, FAILED_BATCH_PAYLOAD } from './batch-payload.ts';
import type { Handler } from './handler.ts';

/** Reports a batch's progress and, once it is done, its result file. A batch of another account counts as unknown. */
export const batchResult: Handler = {
  needs: ['batchId'],
  failurePayload: FAILED_BATCH_PAYLOAD,
  badLoginPayload: BAD_LOGIN_BATCH_PAYLOAD,
  answer: ({ account, parameters }, { books, clock }) => {
    const batchId = (parameters.text('batchId') ?? '').trim();
    const batch = books.findBatch(account.agentCode, batchId);
    if (!batch) return { payload: batchPayload(BATCH_TEXTS.unknown, batchId) };
    if (clock.now() < batch.readyAt) return { payload: batchPayload(BATCH_TEXTS.running, batchId) };
    const file = textElement('BATCHPROCESSRESULTFILE', batch.openResult().toString('base64'));
    return { payload: batchPayload(BATCH_TEXTS.done, batchId, file) };
  },
};
