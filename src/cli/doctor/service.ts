import type { Account } from '../../config/config.ts';
import { serviceAddress } from '../../gateway/service-address.ts';
import { openConnection } from '../../gateway/transport/open-connection.ts';
import { bad, type Check, type Finding, ok } from './check.ts';
import { findingOf } from './finding-of.ts';

/** Opens a TCP and TLS connection as a call would, and closes it without sending a byte of a request. */
export const service: Check = {
  name: 'Service',
  needs: 'nothing',
  look: async ({ settings }) => Promise.all([...settings.accounts.values()].map(knock)),
};

async function knock({ name, server, baseUrl, connectTimeoutMs }: Account): Promise<Finding> {
  try {
    const address = serviceAddress(server, baseUrl);
    const opened = await openConnection(address, connectTimeoutMs, {});
    if (opened.kind === 'open') {
      opened.connection.close();
      return ok(`account ${name}: ${address.host} can be reached`);
    }
    return bad(
      `account ${name}: ${address.host} cannot be reached: ${opened.why}`,
      'Check the network, a firewall or baseUrl; nothing is lost, the batches wait.',
    );
  } catch (error) {
    return findingOf(error, bad);
  }
}
