import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { processBatch } from '../batch/process-batch.ts';
import { readBatchFile } from '../batch/read-batch-file.ts';
import type { Answer } from '../soap/write-envelope.ts';
import { BAD_LOGIN_BATCH_PAYLOAD, BATCH_TEXTS, batchPayload, FAILED_BATCH_PAYLOAD } from './batch-payload.ts';
import type { Call, Desk, Handler } from './handler.ts';

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
    answer: (call, desk) => takeBatch(kind, call, desk),
  };
}

async function takeBatch(kind: FolderOperation, { account, parameters }: Call, desk: Desk): Promise<Answer> {
  const file = readBatchFile(parameters.bytes('batchFile') ?? Buffer.alloc(0));
  if (file.rows.length > desk.maxRows) {
    return { payload: FAILED_BATCH_PAYLOAD, error: `Bad request. A batch may have ${desk.maxRows} rows at most.` };
  }
  const { operation } = FOLDER_OPERATIONS[kind];
  const at = desk.clock.now();
  const batchId = await desk.books.takeBatch({
    at: at.toISOString(),
    readyAt: new Date(at.getTime() + desk.batchDelayMs).toISOString(),
    account: account.agentCode,
    operation,
    judge: (isTaken, keyOf, paymentOf, numberOf) =>
      processBatch(file, {
        kind,
        account: account.agentCode,
        server: account.server,
        ipAddress: parameters.text('customerIPAddress') ?? '',
        findsDuplicates: kind !== 'card' || desk.cardDuplicates,
        isTaken,
        keyOf,
        paymentOf,
        numberOf,
      }),
  });
  desk.log.info({ batchId, account: account.agentCode, operation, rows: file.rows.length }, 'batch taken');
  return { payload: batchPayload(BATCH_TEXTS.running, batchId) };
}
