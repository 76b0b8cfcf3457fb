import { access } from 'node:fs/promises';
import type { Settings } from '../config/config.ts';
import { PipelineError } from '../kernel/errors.ts';
import { admit } from '../ledger/admission/admit.ts';
import { isOpen } from '../ledger/admission/close-ledger.ts';
import { type Recalled, recallForgotten } from '../ledger/doubt/recall-batch.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { openSendJournal } from '../ledger/admission/send-journal.ts';
import { sayWaits } from '../ledger/admission/read-admission.ts';
import { sayErr } from './print/say.ts';

/**
 * Compares ledger and send journal before an operator decides about batches. Sends that a restored ledger has forgotten
 * are recorded, so that sent batches are not cancelled as never sent. If the ledger is closed, this host reports to it,
 * as workers do at startup.
 * @param options.decides false for a command that only shows; it continues while other hosts are awaited
 * @throws PipelineError LEDGER_NOT_OPEN
 */
export async function compareJournalFirst(ledger: Ledger, settings: Settings, { decides = true } = {}): Promise<void> {
  const { journal: path } = settings.paths;
  say(await recallForgotten(ledger, path));
  if (await isOpen(ledger.pool)) return;
  const waits = await report(ledger, settings);
  if (await isOpen(ledger.pool)) return;
  if (!decides) return;
  throw new PipelineError('LEDGER_NOT_OPEN', 'decide about what was sent', waits || undefined);
}

/**
 * Reports for this host. A host that never sent has nothing to report and must not count as a sender. Its journal
 * proves nothing, because every process creates one in its data folder.
 */
async function report(ledger: Ledger, { paths, host, senders }: Settings): Promise<string> {
  const exists = await access(paths.journal).then(
    () => true,
    () => false,
  );
  if (!exists) return '';
  const journal = await openSendJournal(paths.journal, { mirror: paths.mirror });
  try {
    const { hasSends, notes } = await journal.readSelf(host, ledger.clock);
    if (!hasSends && !senders?.includes(host) && !notes.some(({ kind }) => kind === 'fence')) return '';
    const admission = await admit(ledger, journal, { name: host, senders });
    say(admission.recalled);
    return 'waits' in admission ? sayWaits(admission.waits).join(' ') : '';
  } finally {
    await journal.close();
  }
}

function say(recalled: readonly Recalled[]): void {
  for (const { account, reason } of recalled)
    sayErr(`Account ${account} was stopped: ${reason}. See "paydrop account list".`);
}
