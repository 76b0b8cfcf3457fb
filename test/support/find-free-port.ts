import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns a port of the loopback on which no process listens at this moment. */
export async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
