import { BATCH_STATES } from '../../../schemas/lifecycle.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { BatchFacts, TriedSend, Waiting } from '../../ledger/file/read-why.ts';
import type { AuditRow } from '../../ledger/file/search.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';
import { capital, ended, outcomesOf, type Sentence, sumOf, whoDid } from './sentence.ts';

/** Tells the story of one batch: each attempt, the service's answers and the decisions of persons. */
export function tellBatch(file: FileRow, batch: BatchRow, facts: BatchFacts): Sentence[] {
  const { attempts, links, releases, outcomes } = facts;
  const happened = links.map((link) => tellLink(link, attempts));
  if (releases.times > 0) {
    const last = ended(releases.lastReason ?? '');
    const text = `It was taken up and put back unsent ${releases.times}×, the last time because ${last}`;
    happened.push({ at: releases.lastAt, text });
  }
  const what = `Batch ${batch.batch_no} of ${file.name}: ${sumOf(batch.rows, batch.cents)}; sha256 of its bytes ${batch.body_sha256}.`;
  return [
    { at: null, text: what },
    ...happened.toSorted((one, other) => (one.at?.getTime() ?? 0) - (other.at?.getTime() ?? 0)),
    ...(outcomes.length > 0 ? [{ at: null, text: `Outcomes: ${outcomesOf(outcomes)}.` }] : []),
  ];
}

function tellLink(link: AuditRow, attempts: readonly TriedSend[]): Sentence {
  const text = link.actor.startsWith('operator:')
    ? `${whoDid(link.actor)} (${link.move}): ${ended(link.reason)}${evidenceOf(link)}`
    : (wordsOf(link, attempts) ?? `${capital(ended(link.reason))}${evidenceOf(link)}`);
  return { at: link.at, text };
}

/** Describes moves whose reason alone is not enough. */
function wordsOf(link: AuditRow, attempts: readonly TriedSend[]): string | undefined {
  if (link.move === 'send') {
    const begun = attempts.find((attempt) => attempt.started_at.getTime() === link.at.getTime());
    const bytes = begun ? `: ${counted(begun.request_bytes, 'byte')} to ${begun.host}` : '';
    return `${capital(link.reason)}${bytes}. From here on the service may have it.`;
  }
  if (link.move === 'late-answer')
    return `An answer came when the batch had a verdict already: ${ended(link.reason)}${evidenceOf(link)}`;
  return undefined;
}

/** Formats the recorded evidence: texts of the service, codes, hashes. */
function evidenceOf({ evidence }: AuditRow): string {
  const parts = Object.entries(evidence)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name} ${String(value)}`);
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** Describes the state of the batch and its next step. The caller adds the account's holds. */
export function nextForBatch(batch: BatchRow, facts: Waiting, timeZone: string, isHeld: boolean): string[] {
  const reference = `${batch.file_id}/${batch.batch_no}`;
  const when = (at: Date) => formatInZone(at, timeZone);
  const now = `Batch ${batch.batch_no} is ${batch.state}: ${BATCH_STATES[batch.state]}.`;
  switch (batch.state) {
    case 'ready':
      return [now, ...waitingFor(batch, facts, when, isHeld)];
    case 'preparing':
    case 'sending':
      return [now, 'Nothing is to be done: a call is bounded in time, and one that breaks off is put in doubt.'];
    case 'unknown':
      return [
        now,
        `Never drop its file again. "paydrop resolve ${reference}" says what is known and what can be done.`,
      ];
    case 'submitted': {
      const next = batch.next_poll_at ? `; the next question is due at ${when(batch.next_poll_at)}` : '';
      return [now, `The service was asked ${batch.polls}×${next}. To ask now: "paydrop repoll ${reference}".`];
    }
    case 'result_in':
      return [now, 'Nothing is to be done: a paydrop that runs matches the result with the rows.'];
    case 'exception':
      return [
        now,
        `Both sides: "paydrop exceptions ${reference}". It is asked for again by itself; to ask now: "paydrop repoll ${reference}". Call the service if it stays.`,
      ];
    case 'refused':
      return [
        now,
        `Fix the cause, then "paydrop retry ${reference} --reason …", or "paydrop withdraw ${reference} --reason …".`,
      ];
    case 'reconciled':
    case 'cancelled':
      return [now];
  }
}

function waitingFor(batch: BatchRow, facts: Waiting, when: (at: Date) => string, isHeld: boolean): string[] {
  const reference = `${batch.file_id}/${batch.batch_no}`;
  if (facts.isBarred)
    return [
      `Its bytes were sent before, as the send journal knows, so it never leaves. Look its rows up at the service, then "paydrop cancel ${reference} --reason …".`,
    ];
  const reasons = [
    ...(facts.ahead > 0 ? [`${counted(facts.ahead, 'batch')} ${byNumber(facts.ahead, 'goes', 'go')} before it.`] : []),
    ...(batch.not_before ? [`After tries that reached nobody it waits until ${when(batch.not_before)}.`] : []),
  ];
  if (reasons.length > 0 || isHeld) return reasons;
  return ['Nothing is to be done: a paydrop that runs sends it.'];
}
