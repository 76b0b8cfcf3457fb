import type { App } from '../../app.ts';
import { answerInTime } from '../../kernel/answer-in-time.ts';
import { findClosed } from '../../ledger/alarm/find-closed.ts';
import { findJournalTrouble } from '../../ledger/admission/find-journal-trouble.ts';

/** A part that keeps this process from taking files to their end, and why, in words that anybody may read. */
export type Unready = { part: 'process' | 'ledger' | 'queue' | 'journal'; why: string };

/** Longest wait for an answer of ledger or queue, in ms; whoever asks for health waits little longer. */
export const HEALTH_MS = 2_000;

/** Everything that is wrong now; nothing when the process is ready. */
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

function processTrouble({ pulse }: App): string | undefined {
  if (pulse.isStopping) return 'it is stopping';
  return pulse.sweptAt ? undefined : 'it is starting';
}

/** What keeps the ledger from being changed, though it answers. */
async function askLedger(app: App): Promise<string | undefined> {
  const [closed] = await findClosed(app.ledger);
  return closed?.reason;
}

/** Messages of a database name users and hosts, so that of an error only the silence is told. */
function findTrouble(limitMs: number, answer: Promise<string | undefined>): Promise<string | undefined> {
  return answerInTime(limitMs, answer).catch(() => `it does not answer within ${limitMs} ms, or refuses`);
}

function unready(part: Unready['part'], why: string | undefined): Unready[] {
  return why === undefined ? [] : [{ part, why }];
}
