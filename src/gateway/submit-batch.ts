import type { BatchOperationName } from '../../schemas/operations.ts';
import { findRestriction } from '../../schemas/restrictions.ts';
import { crashPoint } from '../kernel/crash-point.ts';
import { PipelineError } from '../kernel/errors.ts';
import type { SubmitAnswer } from './answers.ts';
import { classifySubmit } from './classify-submit.ts';
import type { GatewayAccount } from './gateway-account.ts';
import { createScrub } from './hide-secrets.ts';
import { type SoapRequest, templateOf } from './soap/build-request.ts';
import { openConnection } from './transport/open-connection.ts';
import { post } from './transport/post.ts';

type SubmitCall = {
  operation: BatchOperationName;
  body: Uint8Array;
  beforeFirstByte: (about: { url: string; requestBytes: number }) => Promise<boolean>;
};

/**
 * Sends one batch once. Until `post`, every failure proves that nothing was sent; after it, only the service's answer
 * is certain.
 */
export async function submitBatch(account: GatewayAccount, call: SubmitCall): Promise<SubmitAnswer> {
  const message = findRestriction({ operation: call.operation, server: account.server, currency: account.currency });
  if (message !== undefined) return { kind: 'restricted', message };

  const request = await buildBatchRequest(account, call);
  const opened = await openConnection(account.address, account.connectTimeoutMs, account.network);
  if (opened.kind === 'not_open') return { kind: 'not_sent', why: opened.why };

  const { connection } = opened;
  crashPoint('submit.connected');
  if (!(await isIntentDurable(call, account.address.href, request.body.length))) {
    connection.close();
    return { kind: 'withheld' };
  }
  const fault = await connection.findFaultBeforeWriting();
  if (fault !== undefined) {
    connection.close();
    return { kind: 'not_sent', why: fault };
  }
  crashPoint('submit.before-first-byte');
  const outcome = await post(connection, { ...request, address: account.address }, account);
  crashPoint('submit.answered');
  const answer = await classifySubmit(call.operation, outcome, createScrub(account.login, call.body));
  return outcome.serviceAt ? { ...answer, serviceAt: outcome.serviceAt } : answer;
}

async function buildBatchRequest(account: GatewayAccount, call: SubmitCall): Promise<SoapRequest> {
  if (call.body.length === 0) throw new PipelineError('INTERNAL', 'submit a batch', 'the batch has no bytes');
  return (await templateOf(account, call.operation, 'batchFile')).fillFile(call.body);
}

/**
 * Returns whether the intent is durable. Anything but true means that it may not be on disk, and a batch without a
 * trace must not leave. An error is the caller's own and known to it, so it is dropped.
 */
async function isIntentDurable(call: SubmitCall, url: string, requestBytes: number): Promise<boolean> {
  try {
    return await call.beforeFirstByte({ url, requestBytes });
  } catch {
    return false;
  }
}
