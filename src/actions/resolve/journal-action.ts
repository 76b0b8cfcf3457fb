import { byNumber, counted } from '../../kernel/counted.ts';
import { type JournalReading, readJournal } from './read-journal.ts';
import { batchReference } from '../../explain/batch-reference.ts';
import type { Action, Input, Listing } from '../action.ts';
import { resolutionOf, sayResolved, takesTwoToResolve } from './doubt-context.ts';
import { batchFacts, shortHash } from '../subject-words.ts';
import { describeWait } from '../../explain/attempt-words.ts';

/** Reads the service's own transaction report for a batch in doubt, or for unknown rows of a finished batch. */
export const journal: Action<'batch'> = {
  from: ['unknown', 'reconciled'],
  comparesJournal: true,
  usualReason: 'what the report says',
  picks: [
    {
      name: 'report',
      label: 'Transaction report',
      hint: 'CSV of approved payments, from a day before the call up to now, unchanged as downloaded.',
      kind: 'file',
      isRequired: true,
    },
  ],
  plan: async (context, place, input) => {
    const isProposal = await takesTwoToResolve(context, place);
    const dry = resolutionOf(context, place, input.actor, true);
    const reading = await readJournal(dry, given(input, 'tried on the dashboard'));
    const { counts, certain, uncertain, report, isFinished } = reading;
    const isEnd = isFinished ? certain > 0 : uncertain.length === 0;
    const isWhole = uncertain.length === 0;
    return {
      says: [
        `The report shows ${counted(counts.found, 'row')}; missing: ${counts.absent}, undecided: ${counts.ambiguous}.`,
        isFinished ? rowsWords(reading) : batchWords(reading),
        ...(isWhole ? [] : nextReportWords(reading, dry.account.resolveWaitMs)),
        ...(isEnd && isProposal ? ['This only proposes these outcomes; another person must confirm them.'] : []),
      ],
      facts: [
        ...(await batchFacts(context, place.file, place.batch)),
        ['Lines of the report', String(report.lines)],
        ['SHA-256 of the report', shortHash(report.sha256)],
      ],
      listing: ambiguousRows(reading),
      binds: { attempt: place.batch.attempt, findings: [isFinished, counts, certain, uncertain, report.covers] },
      isProposal: isEnd && isProposal,
      button: isEnd ? (isFinished ? END_ROWS : END_BATCH) : 'Save the findings of the report',
    };
  },
  run: async (context, place, input, { reason }) => {
    const real = resolutionOf(context, place, input.actor, false);
    const reading = await readJournal(real, given(input, reason));
    const { outcome, counts, certain, uncertain, report, ambiguous, isFinished } = reading;
    const told = `The report shows ${counted(counts.found, 'row')}; missing: ${counts.absent}, undecided: ${counts.ambiguous}.`;
    const facts = { counts, certain, uncertain, ambiguous, report };
    if (outcome.result !== 'kept') {
      const means = `${told} ${isFinished ? rowsWords(reading) : 'Every row is certain.'}`;
      const done = await sayResolved(context, 'journal', place, outcome, means, facts);
      return uncertain.length === 0 ? done : { ...done, status: 'unknownOpen', listing: ambiguousRows(reading) };
    }
    const key = { fileId: place.file.file_id, batchNo: place.batch.batch_no };
    return {
      says: `The findings of the report are saved. The ${isFinished ? 'outcomes of its rows are still unknown' : 'batch is still in doubt'}.`,
      status: 'unknownOpen',
      details: [told, ...nextReportWords(reading, real.account.resolveWaitMs)],
      listing: ambiguousRows(reading),
      next: [{ to: 'doubt', file: place.file, batchNo: key.batchNo }],
      json: {
        batch: batchReference(key),
        ...key,
        name: place.file.name,
        verb: 'journal',
        ...outcome,
        state: place.batch.state,
        ...facts,
      },
    };
  },
};

const END_BATCH = 'End the batch with the outcomes of the reports';
const END_ROWS = 'Give the rows the outcomes of the reports';

function batchWords({ certain, uncertain }: JournalReading): string {
  if (uncertain.length === 0) return 'Every row is then certain, and the batch ends with the outcomes of the reports.';
  return `${certain} of its rows ${byNumber(certain, 'is', 'are')} then certain, ${uncertain.length} ${byNumber(uncertain.length, 'stays', 'stay')} in doubt. The findings of the report are saved.`;
}

function rowsWords({ certain, uncertain }: JournalReading): string {
  const decided =
    certain > 0
      ? `${counted(certain, 'unknown row')} ${byNumber(certain, 'gets', 'get')} the outcome of the reports, and a correction file follows.`
      : 'The reports decide no row yet. The findings of the report are saved.';
  return uncertain.length === 0 ? decided : `${decided} Still unknown: ${counted(uncertain.length, 'row')}.`;
}

/** Returns the report. It exists, because the page asks for the file before it plans. */
function given({ file }: Input, reason: string): { name: string; bytes: Buffer; reason: string } {
  return { ...file!, reason };
}

/** Most rows to list; the sentence above has the total. */
const SHOWN = 20;

function ambiguousRows({ ambiguous }: JournalReading): Listing | undefined {
  if (ambiguous.length === 0) return undefined;
  return {
    label: 'Undecided rows',
    titles: ['Line', 'Because'],
    rows: ambiguous.slice(0, SHOWN).map(({ line, why }) => [String(line), why]),
  };
}

/** Says which transaction report the operator must supply next, after one that left rows in doubt. */
export function nextReportWords({ report, counts }: JournalReading, waitMs: number): string[] {
  const wait = describeWait(Math.max(1, Math.ceil(waitMs / 60_000)) * 60_000);
  const second = `Give a second report of approved payments, made at least ${wait} after this one and showing later payments.`;
  return [
    ...(report.covers ? [] : [`Missing rows prove nothing: ${report.coversNot}.`]),
    ...(report.neverCovers && counts.absent > 0
      ? [
          'No other report will show it either. Enter the batch id, ask the service to confirm that it never received the batch, or close it with unknown outcome.',
        ]
      : []),
    ...(!report.neverCovers && counts.absent > 0 ? [second] : []),
    ...(counts.ambiguous > 0
      ? [
          'For undecided rows, give the report of the day, which shows the last digits of the numbers, or close the batch with unknown outcome.',
        ]
      : []),
  ];
}
