import type { ServiceLimits } from '../../schemas/fields.ts';
import { type Server, SERVER_URLS } from '../../schemas/operations.ts';
import type { Login } from './soap/build-request.ts';
import type { NetworkParts } from './transport/open-connection.ts';
import { PipelineError } from '../kernel/errors.ts';
import { isLoopback } from '../kernel/is-loopback.ts';
import type { ServiceName } from '../../schemas/wsdl.ts';

/** The checked settings of an account: everything a call needs. */
export type GatewayAccount = {
  readonly server: Server;
  readonly currency: string | undefined;
  /** Limits of parameters that differ from our assumptions. */
  readonly limits: ServiceLimits | undefined;
  readonly login: Login;
  /** URL of the service's ProcessLink, where batches go. */
  readonly address: URL;
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly largestAnswerBytes: number;
  readonly network: NetworkParts;
};

/**
 * Returns the URL for an account's calls: the path of version 2, which exists on both servers. Batches go to
 * ProcessLink, stored customers to CustomerLink, transaction reports to ReportLink.
 *
 * Requests carry card numbers, so plain http is accepted for loopback hosts only, where the sandbox runs.
 * @throws PipelineError GATEWAY_SETUP; its message never repeats the address, which could hold a password
 */
export function serviceAddress(server: Server, baseUrl?: string, service: ServiceName = 'ProcessLink'): URL {
  const known: Partial<Record<string, string>> = SERVER_URLS;
  const base = parseUrl(baseUrl ?? known[server]);
  if (!base) throw refuse('the address is not a URL and the server is neither NA nor UK');
  if (base.username || base.password) throw refuse('the address contains a user name or password');
  if (base.search || base.hash) throw refuse('the address has a query or a fragment');
  if (base.protocol !== 'https:' && base.protocol !== 'http:') throw refuse('the address is neither https nor http');
  if (base.protocol === 'http:' && !isLoopback(base.hostname)) {
    throw refuse('the address is plain http and not on this machine');
  }
  return new URL(base.pathname.replace(/\/+$/, '') + `/NetGate/${service}v2.asmx`, base);
}

function parseUrl(text: string | undefined): URL | undefined {
  return text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
}

function refuse(reason: string): PipelineError {
  return new PipelineError('GATEWAY_SETUP', 'use the base URL of the payment service', reason);
}
