import { type IncomingHttpHeaders, request as startRequest } from 'node:http';
import { SANDBOX_HEADER } from '../../../schemas/sandbox/sandbox-header.ts';
import type { GatewayAccount } from '../service-address.ts';
import { openConnection } from './open-connection.ts';

/** Longest wait for a connection, and for the answer, in ms, because a transaction of the intake waits as well. */
const LONGEST_MS = 10_000;

type Place = Pick<GatewayAccount, 'address' | 'connectTimeoutMs' | 'network'>;

/**
 * Returns the time by the service's clock, in whole seconds, from the headers of any answer. The query carries no login
 * and no body.
 * @returns undefined when the service cannot be reached in time or does not say
 */
export async function askTime(place: Place): Promise<Date | undefined> {
  return readDate((await askHeaders(place))?.date);
}

/** Returns whether a service says that it is a sandbox; undefined when it cannot be reached in time. */
export async function isSandbox(place: Place): Promise<boolean | undefined> {
  const headers = await askHeaders(place);
  return headers && headers[SANDBOX_HEADER.toLowerCase()] !== undefined;
}

async function askHeaders({ address, connectTimeoutMs, network }: Place): Promise<IncomingHttpHeaders | undefined> {
  const waitMs = Math.min(connectTimeoutMs, LONGEST_MS);
  const opened = await openConnection(address, waitMs, network);
  if (opened.kind === 'not_open') return undefined;
  const { connection } = opened;
  try {
    return await new Promise<IncomingHttpHeaders | undefined>((resolve) => {
      const exchange = startRequest({
        createConnection: () => connection.socket,
        method: 'HEAD',
        path: address.pathname,
        headers: { Host: address.host, Connection: 'close' },
        signal: AbortSignal.timeout(waitMs),
      });
      exchange.on('response', (response) => resolve(response.headers));
      exchange.on('error', () => resolve(undefined));
      exchange.on('close', () => resolve(undefined));
      exchange.end();
    });
  } finally {
    connection.close();
  }
}

/** Reads the `Date` header of an answer. */
export function readDate(header: string | undefined): Date | undefined {
  const at = new Date(header ?? '');
  // NaN fails the comparison. An absurd year could not be stored.
  return at.getTime() > 0 && at.getUTCFullYear() < 10_000 ? at : undefined;
}
