import type { App } from '../../app.ts';
import { answerInTime } from '../../kernel/answer-in-time.ts';
import { findClosed } from '../../ledger/alarm/find-closed.ts';
import { findJournalTrouble } from '../../ledger/admission/send-journal.ts';

/** A part that keeps this process from finishing files, and why, in words that may be public. */
export type Unready = { part: 'process' | 'ledger' | 'queue' | 'journal'; why: string };

/** Longest wait for the ledger or the queue, in ms; a health request takes little longer. */
export const HEALTH_MS = 2_000;

/** Lists everything that is wrong now; empty when the process is ready. */
export async function findUnready(app: App, limitMs = HEALTH_MS): Promise<Unready[]> {
  const [ledger, queue, journal] = await Promise.all([
    findTrouble(limitMs, askLedger(app)),
    findTrouble(
      limitMs,
      app.queue.counts('submit').then(() => undefined),
    ),
    findJournalTrouble(app.settings.paths.journal),
  ]);
  return [
    ...unready('process', processTrouble(app)),
    ...unready('ledger', ledger),
    ...unready('queue', queue),
    ...unready('journal', journal),
  ];
}

function processTrouble({ health }: App): string | undefined {
  if (health.isStopping) return 'it is stopping';
  return health.sweptAt ? undefined : 'it is starting';
}

/** Returns why the ledger cannot be changed, even though it answers. */
async function askLedger(app: App): Promise<string | undefined> {
  const [closed] = await findClosed(app.ledger);
  return closed?.reason;
}

/** Hides error details, because database messages name users and hosts. */
function findTrouble(limitMs: number, answer: Promise<string | undefined>): Promise<string | undefined> {
  return answerInTime(limitMs, answer).catch(() => `it does not answer within ${limitMs} ms, or refuses`);
}

function unready(part: Unready['part'], why: string | undefined): Unready[] {
  return why === undefined ? [] : [{ part, why }];
}
