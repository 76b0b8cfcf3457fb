import type { ServiceLimits } from '../../schemas/fields.ts';
import type { BatchOperationName, Server } from '../../schemas/operations.ts';
import { PipelineError } from '../kernel/errors.ts';
import type { ResultAnswer, SubmitAnswer } from './answers.ts';
import { type GatewayAccount, serviceAddress } from './service-address.ts';
import { askTime } from './transport/ask-time.ts';
import { type NetworkParts, openConnection } from './transport/open-connection.ts';
import { classifyResult } from './classify-result.ts';
import { createScrub } from './hide-secrets.ts';
import { buildRequest, type SoapRequest, templateOf } from './soap/build-request.ts';
import { post } from './transport/post.ts';
import { sayRestriction } from '../../schemas/restrictions.ts';
import { crashPoint } from '../kernel/crash-point.ts';
import { classifySubmit } from './classify-submit.ts';

export type GatewaySettings = {
  server: Server;
  agentCode: string;
  password: string;
  /** Defaults to the address of the server. Plain http is accepted for loopback hosts only. */
  baseUrl?: string | undefined;
  /** Covers name look-up, TCP and TLS. */
  connectTimeoutMs?: number | undefined;
  /** Runs from the first byte written to the last byte read. */
  answerTimeoutMs?: number | undefined;
  /** Largest answer to read, in bytes; a larger one counts as broken. The default is 50 MB. */
  maxAnswerBytes?: number;
  currency?: string | undefined;
  /** Limits of parameters that differ from our assumptions. */
  serviceLimits?: ServiceLimits | undefined;
};

/** A connection that stands, where it leads to, and how large the request is. */
export type Standing = { url: string; requestBytes: number; findFault?: () => Promise<string | undefined> };

/** The payment service as one account sees it. Its calls return values and never retry on their own. */
export type Gateway = {
  /**
   * Sends a batch file once. It opens the connection and builds the whole request, then awaits `beforeFirstByte`, in
   * which the caller makes its intent durable. It writes the request only when that resolves to true. A caller that lets
   * the connection wait asks `findFault` first, which returns why the request must not be written to it by now.
   *
   * @param call.body the batch file, before base64
   * @throws PipelineError INTERNAL when the request cannot be built; nothing was sent
   */
  submitBatch(call: {
    operation: BatchOperationName;
    body: Uint8Array;
    beforeFirstByte: (about: Standing) => Promise<boolean>;
  }): Promise<SubmitAnswer>;
  /**
   * Queries the result of a batch. It only reads, so it may be repeated.
   * @throws PipelineError INTERNAL when the request cannot be built
   */
  fetchBatchResult(call: { batchId: string }): Promise<ResultAnswer>;
  /** Returns the time by the service's clock, in whole seconds; undefined when it does not say. Sends no login. */
  askTime(): Promise<Date | undefined>;
};

/**
 * Creates the client of the payment service for one account.
 * @param network what tests replace: name look-up and the trusted certificates
 * @throws PipelineError GATEWAY_SETUP when these settings are unsafe
 */
export function createGateway(settings: GatewaySettings, network: NetworkParts = {}): Gateway {
  const account = readSettings(settings, network);
  return {
    submitBatch: (call) => submitBatch(account, call),
    fetchBatchResult: (call) => fetchBatchResult(account, call.batchId),
    askTime: () => askTime(account),
  };
}

/** @throws PipelineError GATEWAY_SETUP */
export function readSettings(settings: GatewaySettings, network: NetworkParts): GatewayAccount {
  if (!settings.agentCode || !settings.password) throw setupError('agent code or password is empty');
  return {
    server: settings.server,
    currency: settings.currency,
    limits: settings.serviceLimits,
    login: { agentCode: settings.agentCode, password: settings.password },
    address: serviceAddress(settings.server, settings.baseUrl),
    connectTimeoutMs: positive(settings.connectTimeoutMs ?? 10_000, 'connectTimeoutMs'),
    answerTimeoutMs: positive(settings.answerTimeoutMs ?? 180_000, 'answerTimeoutMs'),
    largestAnswerBytes: answerLimit(settings.maxAnswerBytes ?? LARGEST_BATCH_RESULT_BYTES),
    network,
  };
}

/** Far above the result of the largest batch, which must stay readable once its rows have been charged. */
const LARGEST_BATCH_RESULT_BYTES = 50 * 1024 * 1024;
/** The text of a larger answer would not fit into one string. */
const LARGEST_LIMIT_BYTES = 256 * 1024 * 1024;

function answerLimit(bytes: number): number {
  if (Number.isInteger(bytes) && bytes > 0 && bytes <= LARGEST_LIMIT_BYTES) return bytes;
  throw setupError(`maxAnswerBytes must be a whole number from 1 to ${LARGEST_LIMIT_BYTES}`);
}

/** Node treats a longer delay as 1 ms, which would make the outcome of every call unknown. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

function positive(ms: number, name: string): number {
  if (ms > 0 && ms <= LONGEST_TIMER_MS) return ms;
  throw setupError(`${name} must be more than 0 and at most ${LONGEST_TIMER_MS}`);
}

function setupError(reason: string): PipelineError {
  return new PipelineError('GATEWAY_SETUP', 'set up the payment service', reason);
}

async function fetchBatchResult(account: GatewayAccount, batchId: string): Promise<ResultAnswer> {
  const { address, login } = account;
  const request = await buildResultRequest(account, batchId);
  const opened = await openConnection(address, account.connectTimeoutMs, account.network);
  if (opened.kind === 'not_open') return { kind: 'failed', why: opened.why };
  const outcome = await post(opened.connection, { ...request, address }, account);
  return classifyResult(batchId, outcome, createScrub(login));
}

/** Builds the request. Ids of letters and digits need no escaping; one that a person assigned may. */
async function buildResultRequest(account: GatewayAccount, batchId: string): Promise<SoapRequest> {
  const operation = 'getBatchProcessResultFile';
  if (/^[A-Za-z0-9]+$/.test(batchId)) return (await templateOf(account, operation, 'batchId')).fill(batchId);
  return buildRequest({ operation, address: account.address.href, login: account.login, values: { batchId } });
}

type SubmitCall = Parameters<Gateway['submitBatch']>[0];

/**
 * Sends one batch once. Until `post`, every failure proves that nothing was sent; after it, only the service's answer
 * is certain.
 */
async function submitBatch(account: GatewayAccount, call: SubmitCall): Promise<SubmitAnswer> {
  const message = sayRestriction({ operation: call.operation, server: account.server, currency: account.currency });
  if (message !== undefined) return { kind: 'restricted', message };

  const request = await buildBatchRequest(account, call);
  const opened = await openConnection(account.address, account.connectTimeoutMs, account.network);
  if (opened.kind === 'not_open') return { kind: 'not_sent', why: opened.why };

  const { connection } = opened;
  crashPoint('submit.connected');
  const standing = {
    url: account.address.href,
    requestBytes: request.body.length,
    findFault: () => connection.findFaultBeforeWriting(),
  };
  if (!(await isIntentDurable(call, standing))) {
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
  const answer = classifySubmit(call.operation, outcome, createScrub(account.login, call.body));
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
async function isIntentDurable(call: SubmitCall, standing: Standing): Promise<boolean> {
  try {
    return await call.beforeFirstByte(standing);
  } catch {
    return false;
  }
}
