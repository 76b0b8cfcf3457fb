import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceLimits } from '../../schemas/fields.ts';
import { type OperationName, OPERATIONS, type Server } from '../../schemas/operations.ts';
import type { ParametersOf } from '../../schemas/parameters.ts';
import type { Currency } from '../../schemas/restrictions.ts';
import { wireRow } from '../../schemas/wire.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { PipelineError } from '../kernel/errors.ts';
import { callOperation, type CallOptions, type ClientParts } from './call-operation.ts';
import type { ClientAnswer } from './answers.ts';
import { type GatewaySettings, readSettings } from './create-gateway.ts';
import type { TranscriptEntry } from './exchange.ts';
import { serviceAddress } from './service-address.ts';
import type { NetworkParts } from './transport/open-connection.ts';

export type GatewayClientSettings = {
  server: Server;
  agentCode: string;
  password: string;
  /** Only for the restriction check of card charges, which requires it; never sent. A call may override it. */
  currency?: Currency | undefined;
  /** Limits that the spec leaves open, where they differ from our assumptions: `{ lengths: { comment: 250 } }`. */
  serviceLimits?: ServiceLimits | undefined;
  /** Defaults to the address of the server. Plain http is accepted for loopback hosts only. */
  baseUrl?: string | undefined;
  /** `connectMs` covers name look-up, TCP and TLS; `answerMs` runs from the first byte written to the last read. */
  timeouts?: { connectMs?: number | undefined; answerMs?: number | undefined } | undefined;
  /**
   * Largest answer to read, in bytes; a larger one counts as broken. The default is 6 MB, the result of 10,000 long
   * rows. Reading an answer may take eight times its size in memory.
   */
  maxAnswerBytes?: number | undefined;
  /** Receives each request and answer without logins, numbers, security codes or files. Its errors are dropped. */
  transcript?: ((entry: TranscriptEntry) => void) | undefined;
};

/**
 * The 20 operations of the service under the spec's names. A method never throws because of the service, the network or
 * the parameters; see `ClientAnswer` for what it returns.
 */
export type GatewayClient = {
  readonly [Operation in OperationName]: (
    parameters: ParametersOf<Operation>,
    options?: CallOptions,
  ) => Promise<ClientAnswer<Operation>>;
};

/** What tests replace besides the network: the clock, and the wait between read attempts. */
export type ClientWorld = NetworkParts & { clock?: Clock; wait?: (ms: number) => Promise<void> };

/**
 * Creates the typed client of the whole service for one account.
 * @throws PipelineError GATEWAY_SETUP when these settings are unsafe, or the server is neither NA nor UK
 */
export function createGatewayClient(settings: GatewayClientSettings, world: ClientWorld = {}): GatewayClient {
  const parts = readParts(settings, world);
  const operations = Object.keys(OPERATIONS) as OperationName[];
  const methods = operations.map((operation) => [
    operation,
    (parameters: unknown, options?: CallOptions) => callOperation(parts, operation, parameters, options),
  ]);
  // The compiler cannot follow keys built from the table; the types above describe each of them.
  return Object.fromEntries(methods) as GatewayClient;
}

/** @throws PipelineError GATEWAY_SETUP */
export function readParts(settings: GatewayClientSettings, world: ClientWorld): ClientParts {
  const { server, baseUrl, transcript } = settings;
  // Otherwise a base URL would let any server through.
  if (server !== 'NA' && server !== 'UK') {
    throw new PipelineError('GATEWAY_SETUP', 'set up the payment service', 'the server is neither NA nor UK');
  }
  const { clock = systemClock, wait = (ms) => sleep(ms), ...network } = world;
  const addresses = {
    ProcessLink: serviceAddress(server, baseUrl, 'ProcessLink'),
    CustomerLink: serviceAddress(server, baseUrl, 'CustomerLink'),
    ReportLink: serviceAddress(server, baseUrl, 'ReportLink'),
  };
  return {
    account: readSettings(accountSettings(settings), network),
    addressOf: (operation) => addresses[wireRow(operation).service],
    clock,
    wait,
    transcript,
  };
}

const LARGEST_ANSWER_BYTES = 6 * 1024 * 1024;

function accountSettings({ server, agentCode, password, ...more }: GatewayClientSettings): GatewaySettings {
  const { currency, serviceLimits, baseUrl, timeouts, maxAnswerBytes = LARGEST_ANSWER_BYTES } = more;
  return {
    server,
    agentCode,
    password,
    maxAnswerBytes,
    currency,
    serviceLimits,
    baseUrl,
    connectTimeoutMs: timeouts?.connectMs,
    answerTimeoutMs: timeouts?.answerMs,
  };
}
