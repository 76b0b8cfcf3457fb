import { request as startRequest } from 'node:http';
import type { GatewayAccount } from '../gateway-account.ts';
import { openConnection } from './open-connection.ts';

/**
 * The time by the clock of the service, in whole seconds, from the head of any answer. The question carries nothing: no
 * login, no body.
 * @returns undefined when within the time for connecting it cannot be reached, or does not say
 */
export async function askTime({
  address,
  connectTimeoutMs,
  network,
}: Pick<GatewayAccount, 'address' | 'connectTimeoutMs' | 'network'>): Promise<Date | undefined> {
  const opened = await openConnection(address, connectTimeoutMs, network);
  if (opened.kind === 'not_open') return undefined;
  const { connection } = opened;
  try {
    return await new Promise<Date | undefined>((resolve) => {
      const exchange = startRequest({
        createConnection: () => connection.socket,
        method: 'HEAD',
        path: address.pathname,
        headers: { Host: address.host, Connection: 'close' },
        signal: AbortSignal.timeout(connectTimeoutMs),
      });
      exchange.on('response', (response) => resolve(readDate(response.headers.date)));
      exchange.on('error', () => resolve(undefined));
      exchange.on('close', () => resolve(undefined));
      exchange.end();
    });
  } finally {
    connection.close();
  }
}

/** The header `Date` of an answer. */
export function readDate(header: string | undefined): Date | undefined {
  const at = new Date(header ?? '');
  // NaN lies between nothing. What is out of all reason could not be written down either.
  return at.getTime() > 0 && at.getUTCFullYear() < 10_000 ? at : undefined;
}
