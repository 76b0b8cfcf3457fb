import type { ResultAnswer } from './answers.ts';
import { classifyResult } from './classify-result.ts';
import type { GatewayAccount } from './gateway-account.ts';
import { createScrub } from './scrub.ts';
import { buildRequest, type SoapRequest } from './soap/build-request.ts';
import { templateOf } from './soap/request-template.ts';
import { openConnection } from './transport/open-connection.ts';
import { post } from './transport/post.ts';

/** Queries the service once for the result of a batch. */
export async function fetchBatchResult(account: GatewayAccount, batchId: string): Promise<ResultAnswer> {
  const { address, login } = account;
  const request = await buildResultRequest(account, batchId);
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

/** Builds the request. Ids of letters and digits need no escaping; one that a person assigned may. */
async function buildResultRequest(account: GatewayAccount, batchId: string): Promise<SoapRequest> {
  const operation = 'getBatchProcessResultFile';
  if (/^[A-Za-z0-9]+$/.test(batchId)) return (await templateOf(account, operation, 'batchId')).fill(batchId);
  return buildRequest({ operation, address: account.address.href, login: account.login, values: { batchId } });
}
