import type { LookupFunction } from 'node:net';
import type { Server } from '../../../schemas/operations.ts';
import type { Currency } from '../../../schemas/restrictions.ts';
import { createGatewayClient, type GatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';

/** One regional face of the service, according to its specification. */
export type Face = {
  readonly server: Server;
  readonly currency: Currency;
  /** What the face accepts, as `currency method`. */
  readonly accepted: readonly string[];
};

export const FACES: readonly Face[] = [
  {
    server: 'NA',
    currency: 'USD',
    accepted: ['USD VISA', 'USD MC', 'USD AMX', 'USD DSC', 'CAD VISA', 'CAD MC', 'CAD AMX'],
  },
  {
    server: 'UK',
    currency: 'GBP',
    accepted: ['GBP VISA', 'GBP MC', 'GBP AMX', 'GBP MAESTR', 'EUR VISA', 'EUR MC', 'EUR AMX'],
  },
];

export type OpenFace = {
  readonly client: GatewayClient;
  readonly sandbox: Sandbox;
  /** Connections that the client has started, including failed ones. */
  connections(): number;
};

/** Starts a sandbox whose only account is on that server, and a client for it. It begins on June 15, 2026. */
export async function openFace({ server, currency }: Pick<Face, 'server' | 'currency'>): Promise<OpenFace> {
  const login = { agentCode: 'TEST88', password: 'TEST88' };
  const sandbox = await startSandbox({ now: '2026-06-15T10:00:00Z', accounts: [{ ...login, server }] });
  let count = 0;
  // Each connection looks up its host anew, so lookups count them.
  const lookup: LookupFunction = (_host, options, done) => {
    count += 1;
    if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
    else done(null, '127.0.0.1', 4);
  };
  const baseUrl = `http://localhost:${sandbox.port}`;
  const client = createGatewayClient({ server, currency, ...login, baseUrl }, { lookup });
  return { client, sandbox, connections: () => count };
}
