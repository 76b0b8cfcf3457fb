import { setTimeout as sleep } from 'node:timers/promises';
import { type OperationName, OPERATIONS, type Server } from '../../schemas/operations.ts';
import type { ParametersOf } from '../../schemas/parameters.ts';
import type { Currency } from '../../schemas/restrictions.ts';
import { wireRow } from '../../schemas/wire.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { PipelineError } from '../kernel/errors.ts';
import { callOperation, type CallOptions, type ClientParts } from './call-operation.ts';
import type { ClientAnswer } from './client-answers.ts';
import { type GatewaySettings, readSettings } from './create-gateway.ts';
import type { TranscriptEntry } from './exchange.ts';
import { serviceAddress } from './service-address.ts';
import type { NetworkParts } from './transport/open-connection.ts';

export type GatewayClientSettings = {
  server: Server;
  agentCode: string;
  password: string;
  /** Needed for the restriction check of card charges; never sent. A call may bring another one. */
  currency?: Currency | undefined;
  /** Left out: the address of the server. Plain http is taken for loopback hosts only. */
  baseUrl?: string | undefined;
  /** `connectMs`: name look-up, TCP and TLS together; `answerMs`: from the first byte written to the last one read. */
  timeouts?: { connectMs?: number | undefined; answerMs?: number | undefined } | undefined;
  /**
   * Largest answer that is read, in bytes; a larger one counts as broken off. 6 MB when left out, which is the result of
   * 10,000 long rows. To read an answer may take eight times its size in memory.
   */
  maxAnswerBytes?: number | undefined;
  /** Is told each request and answer without logins, numbers, security codes and files. Its errors are dropped. */
  transcript?: ((entry: TranscriptEntry) => void) | undefined;
};

/**
 * The 20 operations of the service under the spec's names. A method never throws for what the service, the
 * network or the parameters do; see ClientAnswer for what it answers.
 */
export type GatewayClient = {
  readonly [Operation in OperationName]: (
    parameters: ParametersOf<Operation>,
    options?: CallOptions,
  ) => Promise<ClientAnswer<Operation>>;
};

/** What tests replace, besides the network: the time, and the wait between the attempts of a read. */
export type ClientWorld = NetworkParts & { clock?: Clock; wait?: (ms: number) => Promise<void> };

/**
 * The typed client of the whole service for one account.
 * @throws PipelineError GATEWAY_SETUP when the service could not be called safely with these settings, and for any server
 *   but NA and UK
 */
export function createGatewayClient(settings: GatewayClientSettings, world: ClientWorld = {}): GatewayClient {
  const parts = readParts(settings, world);
  const operations = Object.keys(OPERATIONS) as OperationName[];
  const methods = operations.map((operation) => [
    operation,
    (parameters: unknown, options?: CallOptions) => callOperation(parts, operation, parameters, options),
  ]);
  // Made from the table by name, which the compiler cannot follow; the types above say the same of each name.
  return Object.fromEntries(methods) as GatewayClient;
}

/** @throws PipelineError GATEWAY_SETUP */
export function readParts(settings: GatewayClientSettings, world: ClientWorld): ClientParts {
  const { server, baseUrl, transcript } = settings;
  // A base address would otherwise let any server pass.
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
  const { currency, baseUrl, timeouts, maxAnswerBytes = LARGEST_ANSWER_BYTES } = more;
  return {
    server,
    agentCode,
    password,
    maxAnswerBytes,
    ...(currency === undefined ? {} : { currency }),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(timeouts?.connectMs === undefined ? {} : { connectTimeoutMs: timeouts.connectMs }),
    ...(timeouts?.answerMs === undefined ? {} : { answerTimeoutMs: timeouts.answerMs }),
  };
}
