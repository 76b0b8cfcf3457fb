import { saidShown, type Shown } from '../../../schemas/shown.ts';
import type { Step } from '../../../schemas/steps.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { UnknownRow } from '../../ledger/doubt/unknown-rows.ts';
import type { BatchFacts, TriedSend, Waiting } from '../../ledger/file/read-why.ts';
import type { AuditRow } from '../../ledger/file/search.ts';
import type { BatchKey } from '../../ledger/engine/move.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';
import { nextForRefused } from '../describe-holds.ts';
import { capital, ended, outcomesOf, type Sentence, sumOf, whoDid } from './sentence.ts';

/** Tells the story of one batch: each attempt, the service's answers and the decisions of persons. */
export function tellBatch(file: FileRow, batch: BatchRow, facts: BatchFacts): Sentence[] {
  const { attempts, links, releases, outcomes } = facts;
  const happened = links.map((link) => tellLink(link, attempts));
  if (releases.times > 0) {
    const last = ended(releases.lastReason ?? '');
    const text = `It was put back unsent ${releases.times}×, the last time because ${last}`;
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
    return `${capital(link.reason)}${bytes}. From this moment the service may have it.`;
  }
  if (link.move === 'late-answer')
    return `An answer arrived after the verdict: ${ended(link.reason)}${evidenceOf(link)}`;
  return undefined;
}

/** Formats the recorded evidence: texts of the service, codes, hashes. */
function evidenceOf({ evidence }: AuditRow): string {
  const parts = Object.entries(evidence)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name} ${String(value)}`);
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** Says how the batch stands, in the word that every page uses. */
export function tellBatchState({ batch_no: batchNo, shown }: { batch_no: number; shown: Shown }): string {
  return `Batch ${batchNo}: ${saidShown(shown)}.`;
}

/** Lists the first undecided rows with what the service answered. */
export function tellUndecided(rows: readonly UnknownRow[]): string[] {
  if (rows.length === 0) return [];
  const named = rows.slice(0, MOST_NAMED).map(({ line, message }) => `line ${line} (“${message}”)`);
  const more = rows.length > MOST_NAMED ? ` and ${rows.length - MOST_NAMED} more` : '';
  return [`Not known whether charged: ${named.join(', ')}${more}.`];
}

const MOST_NAMED = 10;

/** Describes the next steps for the batch. The caller adds the account's holds. */
export function nextForBatch(
  batch: BatchRow,
  facts: Waiting & { undecided: number },
  timeZone: string,
  isHeld: boolean,
): Step[] {
  const key = { fileId: batch.file_id, batchNo: batch.batch_no };
  const when = (at: Date) => formatInZone(at, timeZone);
  switch (batch.state) {
    case 'ready':
      return waitingFor(batch, facts, when, isHeld);
    case 'sending':
      return [['There is nothing to do: a call has a time limit, and if it breaks off, the batch is in doubt.']];
    case 'unknown':
      return [['Never drop its file again. ', { see: 'doubt', ...key }, ' says what is known and what can be done.']];
    case 'submitted': {
      const next = batch.next_poll_at ? `; the next question is due at ${when(batch.next_poll_at)}` : '';
      return [[`The service was asked ${batch.polls}×${next}. To ask now: `, { action: 'repoll', ...key }, '.']];
    }
    case 'result_in':
      return [['There is nothing to do: a worker matches the result with the rows.']];
    case 'exception':
      return [
        [
          'Both sides: ',
          { see: 'comparison', ...key },
          '. The service is asked for the result again automatically; to ask now: ',
          { action: 'repoll', ...key },
          '. Call the service if it stays wrong.',
        ],
      ];
    case 'refused':
      return [nextForRefused(key)];
    case 'reconciled':
      return facts.undecided > 0 ? [nextForUndecided(facts.undecided, key)] : [];
    case 'cancelled':
      return [];
  }
}

/** Describes the next step for rows that may or may not have been charged. */
export function nextForUndecided(rows: number, key: BatchKey): Step {
  return [
    `Ask the service whether it charged ${byNumber(rows, 'the undecided row', `the ${rows} undecided rows`)} of batch ${key.batchNo}, and never send ${byNumber(rows, 'it', 'them')} again before. `,
    { see: 'doubt', ...key },
    ' says how to enter its answer.',
  ];
}

function waitingFor(batch: BatchRow, facts: Waiting, when: (at: Date) => string, isHeld: boolean): Step[] {
  if (facts.isBarred)
    return [
      [
        'Its bytes were sent before, as the send journal shows, so it is never sent again. Look up its rows at the service, then ',
        { action: 'cancel-batch', fileId: batch.file_id, batchNo: batch.batch_no },
        '.',
      ],
    ];
  const reasons = [
    ...(facts.isCompared
      ? []
      : [
          'It waits until its rows were compared with calls that the ledger had lost. If nothing shows which rows those held, a report of the service must be compared first.',
        ]),
    ...(facts.ahead > 0 ? [`${counted(facts.ahead, 'batch')} ${byNumber(facts.ahead, 'goes', 'go')} before it.`] : []),
    ...(batch.not_before ? [`The service was not reached, so it waits until ${when(batch.not_before)}.`] : []),
  ];
  if (reasons.length > 0 || isHeld) return reasons.map((reason) => [reason]);
  return [['There is nothing to do: a worker sends it.']];
}
