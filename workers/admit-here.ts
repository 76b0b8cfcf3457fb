import type { App } from '../src/app.ts';
import { admit, isAdmitted, isOwn, type OwnTrouble, type Sender } from '../src/ledger/admission/admit.ts';
import { type Recalled, recallForgotten } from '../src/ledger/doubt/recall-batch.ts';
import { note, noteEnd } from './note-failures.ts';
import { sayWaits } from '../src/ledger/admission/read-admission.ts';

/**
 * Reports to the ledger what this host's send journal knows; it must succeed before anything is sent. An account with
 * calls that the ledger does not know is stopped, and those calls are put in doubt or barred. Repeatable.
 * @returns undefined while the ledger stays closed; the log says once what it waits for
 */
export function admitHere(app: App): Promise<Sender | undefined> {
  const running = asked.get(app.journal) ?? ask(app).finally(() => asked.delete(app.journal));
  asked.set(app.journal, running);
  return running;
}

/** Checks in progress, by send journal: accounts that ask at the same time share one. */
const asked = new WeakMap<App['journal'], Promise<Sender | undefined>>();

async function ask(app: App): Promise<Sender | undefined> {
  const { ledger, journal, settings } = app;
  const before = ledger.admitted;
  const admission = await admit(ledger, journal, { name: settings.host, senders: settings.senders });
  logRecalled(app, admission.recalled);
  const sender = 'sender' in admission ? admission.sender : undefined;
  const waits = 'waits' in admission ? sayWaits(admission.waits).join(' ') : undefined;
  if (waits !== undefined && waits !== before.waits)
    app.log.error({ code: 'LEDGER_NOT_OPEN' }, `nothing is sent: ${waits}`);
  if (sender && before.waits !== undefined)
    app.log.info({ epoch: sender.epoch }, 'the ledger is open: sending continues');
  Object.assign(ledger.admitted, { sender, waits });
  await noteTrouble(app, 'waits' in admission ? admission.waits.filter(isOwn) : []);
  return sender;
}

/** Records trouble of this host alone as failing work, because no other place shows it. */
async function noteTrouble(app: App, own: readonly OwnTrouble[]): Promise<void> {
  const item = { work: 'admit', subject: app.settings.host } as const;
  if (own.length === 0) return noteEnd(app, item);
  await note(app, item, { code: 'LEDGER_NOT_OPEN', reason: sayWaits(own).join(' ') }, app.settings.sweepMs);
}

/** Records what this host has sent, for a process that sends nothing. */
export async function compareJournal({ ledger, log, settings }: App): Promise<void> {
  logRecalled({ log }, await recallForgotten(ledger, settings.paths.journal));
}

function logRecalled({ log }: Pick<App, 'log'>, all: readonly Recalled[]): void {
  for (const { account, reason, recalled, forgotten } of all) {
    const about = { account, code: 'JOURNAL_AHEAD', inDoubt: recalled.length, forgotten: forgotten.length };
    log.error(about, `account stopped: ${reason}`);
  }
}

/** Returns whether the ledger refused this host when it last asked. It must then leave jobs to hosts that may send. */
export function isBarred({ ledger }: Pick<App, 'ledger'>): boolean {
  return ledger.admitted.waits !== undefined;
}

/** Checks the ledger when no batch was taken up: it may be closed, or replaced by another one. */
export async function askAgainWhenClosed(app: App): Promise<void> {
  const { sender } = app.ledger.admitted;
  if (sender && (await isAdmitted(app.ledger, sender))) return;
  await admitHere(app);
}
