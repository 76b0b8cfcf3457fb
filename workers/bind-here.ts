import { type App, namedAccounts } from '../src/app.ts';
import { bindAccounts, noteNamesAtStart, readBindings, takeOverNames } from '../src/ledger/merchant/bind-accounts.ts';

/** Brings the ledger to what the configuration of this process says of its accounts, when the process starts. */
export async function bindHere(app: App): Promise<void> {
  const named = namedAccounts(app.settings, app.fingerprint);
  for (const { account, says } of await bindAccounts(app.ledger, named))
    app.log.warn({ account, code: 'MERCHANT_CHANGED' }, says);
  await noteNamesAtStart(app.ledger);
}

/**
 * Uses accounts whose question was answered meanwhile, and lets them take over what stands under the names that they
 * replace. It changes nothing else: a process with an older configuration than the ledger's must not change names back.
 */
export async function bindAnswered({ ledger, settings, fingerprint, log }: App): Promise<void> {
  const isBound = (name: string) => ledger.bound.has(name);
  const waiting = [...settings.accounts.keys()].filter((name) => !isBound(name));
  if (waiting.length === 0) return;
  await readBindings(ledger, namedAccounts(settings, fingerprint));
  const answered = waiting.filter(isBound);
  if (answered.length === 0) return;
  for (const { account, says } of await takeOverNames(ledger, answered, [...settings.accounts.keys()]))
    log.warn({ account, code: 'MERCHANT_CHANGED' }, says);
  for (const account of answered) log.info({ account }, 'the account is taken from and sent for again');
}
