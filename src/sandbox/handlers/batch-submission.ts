import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { processBatch } from '../batch/process-batch.ts';
import { readBatchFile } from '../batch/read-batch-file.ts';
import type { Answer } from '../soap/write-envelope.ts';
import { BAD_LOGIN_BATCH_PAYLOAD, BATCH_TEXTS, batchPayload, FAILED_BATCH_PAYLOAD } from './batch-payload.ts';
import type { Call, HandlerContext, Handler } from './handler.ts';

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
    return { payload: FAILED_BATCH_PAYLOAD, error: `Bad request. A batch may have ${context.maxRows} rows at most.` };
  }
  const { operation } = FOLDER_OPERATIONS[kind];
  const at = context.clock.now();
  const batchId = await context.books.takeBatch({
    at: at.toISOString(),
    readyAt: new Date(at.getTime() + context.batchDelayMs).toISOString(),
    account: account.agentCode,
    operation,
    judge: (isTaken, keyOf, paymentOf, numberOf) =>
      processBatch(file, {
        kind,
        account: account.agentCode,
        server: account.server,
        ipAddress: parameters.text('customerIPAddress') ?? '',
        findsDuplicates: kind !== 'card' || context.cardDuplicates,
        isTaken,
        keyOf,
        paymentOf,
        numberOf,
      }),
  });
  context.log.info({ batchId, account: account.agentCode, operation, rows: file.rows.length }, 'batch taken');
  return { payload: batchPayload(BATCH_TEXTS.running, batchId) };
}
