import type { ResolutionContext } from '../../actions/resolve/resolution-context.ts';
import { gatewaySettings } from '../../app.ts';
import { createGateway } from '../../gateway/create-gateway.ts';
import type { Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { findBatch } from '../../explain/batch-reference.ts';
import { operatorName } from '../operator-name.ts';

/**
 * Collects what resolving a batch needs. It works on the ledger; the sweep of a running paydrop finds what became due.
 * @throws PipelineError USAGE, NOT_FOUND, GATEWAY_SETUP
 */
export async function openResolution(
  ledger: Ledger,
  settings: Settings,
  words: string,
  { dryRun = false } = {},
): Promise<ResolutionContext> {
  const { file, batch } = await findBatch(ledger, words);
  const account = settings.accounts.get(file.account);
  if (!account)
    throw new PipelineError('NOT_FOUND', `use account "${file.account}"`, 'it is not in the configuration any more');
  return {
    ledger,
    account,
    gateway: createGateway(gatewaySettings(account)),
    file,
    batch,
    actor: operatorName(),
    dryRun,
  };
}
