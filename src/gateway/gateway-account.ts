import type { Server } from '../../schemas/operations.ts';
import type { Login } from './soap/build-request.ts';
import type { NetworkParts } from './transport/open-connection.ts';

/** The settings of an account after their check: all that a call needs to know. */
export type GatewayAccount = {
  readonly server: Server;
  readonly currency: string | undefined;
  readonly login: Login;
  /** Base address of the service, as a URL of its host. */
  readonly address: URL;
  readonly connectTimeoutMs: number;
  readonly answerTimeoutMs: number;
  readonly largestAnswerBytes: number;
  readonly network: NetworkParts;
};
