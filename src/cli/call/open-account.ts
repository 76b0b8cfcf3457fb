import { createGatewayClient, type GatewayClient } from '../../gateway/create-gateway-client.ts';
import { serviceAddress } from '../../gateway/service-address.ts';
import { isLoopback } from '../../kernel/is-loopback.ts';
import type { Account, Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';

export type OpenAccount = {
  readonly account: Account;
  readonly client: GatewayClient;
  /** The calls stay on this machine, so no money moves. */
  readonly isSandbox: boolean;
};

/**
 * Returns an account of the configuration, ready for calls.
 * @throws PipelineError NOT_FOUND; GATEWAY_SETUP for an address that cannot be called safely
 */
export function openAccount(settings: Settings, name: string): OpenAccount {
  const account = settings.accounts.get(name);
  if (!account) {
    const next = `There are: ${[...settings.accounts.keys()].join(', ')}.`;
    throw new PipelineError('NOT_FOUND', `use account "${maskText(name)}"`, 'it is not in the configuration', { next });
  }
  const { server, agentCode, password, currency, baseUrl, connectTimeoutMs, answerTimeoutMs } = account;
  const timeouts = { connectMs: connectTimeoutMs, answerMs: answerTimeoutMs };
  return {
    account,
    client: createGatewayClient({ server, agentCode, password, currency, baseUrl, timeouts }),
    isSandbox: isLoopback(serviceAddress(server, baseUrl).hostname),
  };
}
