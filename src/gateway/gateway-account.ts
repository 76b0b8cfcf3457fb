import type { Server } from '../../schemas/operations.ts';
import type { Login } from './soap/build-request.ts';
import type { NetworkParts } from './transport/open-connection.ts';

/** The checked settings of an account: everything a call needs. */
export type GatewayAccount = {
  readonly server: Server;
  readonly currency: string | undefined;
  readonly login: Login;
  /** URL of the service's ProcessLink, where batches go. */
  readonly address: URL;
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly largestAnswerBytes: number;
  readonly network: NetworkParts;
};
