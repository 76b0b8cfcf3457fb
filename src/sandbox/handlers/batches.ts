import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { processBatch, readBatchFile } from '../batch/process-batch.ts';
import type { Answer } from '../soap/write-envelope.ts';
import type { Call, Handler, HandlerContext } from './handler.ts';
import { element, textElement } from '../xml/write-xml.ts';
import { ruleSetting } from '../rules/find-break.ts';

/**
 * Returns the payload of the four batch operations. Its values have no padding: PHP compares the batch ids of
 * submission and result as they are.
 */
export function batchPayload(result: string, batchId: string, ...more: readonly string[]): string {
  return element('BATCHPROCESSRESULT', authorization(result), textElement('BATCHID', batchId), ...more);
}

/** Payload of a failed call, which names no batch. */
export const FAILED_BATCH_PAYLOAD = element('BATCHPROCESSRESULT', authorization(''));

/**
 * Assumption: no recorded answer shows a wrong login of a batch operation. The service answers code 1 elsewhere, and
 * clients look in this place.
 */
export const BAD_LOGIN_BATCH_PAYLOAD = batchPayload('REJECT: 1', '');

export const BATCH_TEXTS = {
  running: 'Batch Processing, Please Wait ....',
  done: 'Batch Process Has Been Done',
  /** Assumption: no source shows the answer to an unknown batch id. */
  unknown: 'Error : Invalid Batch ID.',
} as const;

function authorization(result: string): string {
  return textElement('AUTHORIZATIONRESULT', result);
}

/**
 * Returns the handler that takes a batch file of at most `maxRows` rows, even garbage. The answer only confirms
 * receipt; the result file reports faulty rows. Rows are judged and booked before the answer leaves. So a client that
 * has a batch id can find the batch, even if the sandbox is killed right then.
 */
export function batchSubmission(kind: FolderOperation): Handler {
  return {
    needs: ['batchFile'],
    failurePayload: FAILED_BATCH_PAYLOAD,
    badLoginPayload: BAD_LOGIN_BATCH_PAYLOAD,
    answer: (call, context) => takeBatch(kind, call, context),
  };
}

async function takeBatch(
  kind: FolderOperation,
  { account, parameters }: Call,
  context: HandlerContext,
): Promise<Answer> {
  const file = readBatchFile(parameters.bytes('batchFile') ?? Buffer.alloc(0));
  if (file.rows.length > context.maxRows) {
    return {
      payload: FAILED_BATCH_PAYLOAD,
      error: `Bad request. A batch may have ${context.maxRows} rows at most (--max-rows).`,
    };
  }
  const { operation } = FOLDER_OPERATIONS[kind];
  const at = context.clock.now();
  const batchId = await context.books.takeBatch({
    at: at.toISOString(),
    readyAt: new Date(at.getTime() + context.batchDelayMs).toISOString(),
    account: account.agentCode,
    operation,
    judge: (isTaken, keyOf, paymentOf, recordOf) =>
      processBatch(file, {
        kind,
        account: account.agentCode,
        server: account.server,
        ipAddress: parameters.text('customerIPAddress') ?? '',
        findsDuplicates: kind !== 'card' || context.cardDuplicates,
        isTaken,
        keyOf,
        paymentOf,
        recordOf,
        takeRejection: () => context.takeRejection?.(operation),
        rules: ruleSetting(context, account.server),
      }),
  });
  context.log.info({ batchId, account: account.agentCode, operation, rows: file.rows.length }, 'batch taken');
  return { payload: batchPayload(BATCH_TEXTS.running, batchId) };
}

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
