import type { ResultAnswer } from './answers.ts';
import { classifyResult } from './classify-result.ts';
import type { GatewayAccount } from './gateway-account.ts';
import { createScrub } from './scrub.ts';
import { buildRequest } from './soap/build-request.ts';
import { openConnection } from './transport/open-connection.ts';
import { post } from './transport/post.ts';

/** Asks the service once for the result of a batch (spec 4, `getBatchProcessResultFile`). */
export async function fetchBatchResult(account: GatewayAccount, batchId: string): Promise<ResultAnswer> {
  const { address, login } = account;
  const operation = 'getBatchProcessResultFile';
  const request = await buildRequest({ operation, address: address.href, login, values: { batchId } });
  const opened = await openConnection(address, account.connectTimeoutMs, account.network);
  if (opened.kind === 'not_open') return { kind: 'failed', why: opened.why };
  const outcome = await post(opened.connection, {
    ...request,
    address,
    timeoutMs: account.answerTimeoutMs,
    largestAnswerBytes: account.largestAnswerBytes,
  });
  return classifyResult(batchId, outcome, createScrub(login));
}
