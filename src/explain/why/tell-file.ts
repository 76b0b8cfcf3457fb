import { saidCode } from '../../../schemas/errors.ts';
import { COMPLETENESS, TAKEN_FILE_STATES } from '../../../schemas/lifecycle.ts';
import { saidShown, type Shown, shownOfBatch } from '../../../schemas/shown.ts';
import { LAYOUTS } from '../../../schemas/layouts.ts';
import type { Step } from '../../../schemas/steps.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { formatCents } from '../../kernel/money.ts';
import type { BatchGroup, FileFacts } from '../../ledger/file/read-why.ts';
import type { ResubmissionRow } from '../../ledger/row/resubmissions.ts';
import type { AuditRow } from '../../ledger/file/search.ts';
import type { FileRow, OutputRow } from '../../ledger/engine/records.ts';
import { sayStaysBack, sayWithheld } from '../../reconcile/say-withheld.ts';
import type { ShownFile } from '../read-blocks.ts';
import { remedyOf } from '../hold-reasons.ts';
import { capital, ended, outcomesOf, type Sentence, sumOf, whoDid } from './sentence.ts';

/** Tells the story of a file from its drop to now, without that of each batch. */
export function tellFile(file: FileRow, facts: FileFacts): Sentence[] {
  return facts.links.flatMap((link) => tellLink(file, facts, link));
}

/** Describes one move. Some moves have a text of their own; others give actor and reason. */
function tellLink(file: FileRow, facts: FileFacts, link: AuditRow): Sentence[] {
  const say = (text: string): Sentence[] => [{ at: link.at, text }];
  const who = whoDid(link.actor);
  switch (link.move) {
    case 'claim':
      return say(
        `${file.name} was taken from ${file.folder} for account ${file.account}: ${counted(file.bytes, 'byte')}, sha256 ${file.sha256}. Completeness: ${COMPLETENESS[file.completeness]}.`,
      );
    case 'accept':
      return [...say(`Every check passed: ${describeRows(file)}.`), ...faultSentence(facts, link.at)];
    case 'hold':
      return [...say(`It was held: ${ended(link.reason)}`), ...faultSentence(facts, link.at)];
    case 'reject':
      return [...say(`It was refused: ${ended(link.reason)}`), ...faultSentence(facts, link.at)];
    case 'begin':
      return say(`${capital(link.reason)}.`);
    case 'complete':
      return say('Every row had its outcome; the output files were written and read back.');
    case 'approve':
    case 'decline':
    case 'decline-rest':
    case 'cancel':
    case 'stop':
      return say(`${who} ${PAST[link.move]} it: ${ended(link.reason)}`);
    case 'resubmit':
      return say(
        `${who} resubmitted ${counted(Number(link.evidence['rows']), 'row')} as ${String(link.evidence['name'])}: ${ended(link.reason)}`,
      );
    default:
      return say(`${link.move} by ${whoDid(link.actor)}: ${ended(link.reason)}`);
  }
}

const PAST = {
  approve: 'approved',
  decline: 'declined',
  'decline-rest': 'declined the rest of',
  cancel: 'cancelled',
  stop: 'stopped the rest of',
} as const;

function describeRows(file: FileRow): string {
  const layout = file.layout ? `, layout ${LAYOUTS[file.layout].title}` : '';
  const withheld = file.invalid_rows ? `; ${counted(file.invalid_rows, 'row')} invalid and withheld` : '';
  return `${sumOf(file.valid_rows ?? 0, file.valid_cents ?? 0)}${withheld}${layout}`;
}

function faultSentence({ faults }: FileFacts, at: Date): Sentence[] {
  if (faults.length === 0) return [];
  return [
    { at, text: `Faults: ${faults.map(({ code, faults: count }) => `${saidCode(code)} ${count}×`).join(', ')}.` },
  ];
}

/** Describes the current state of the file. */
export function tellFileState(file: FileRow & ShownFile, facts: FileFacts, outputs: readonly OutputRow[]): string[] {
  return [
    ...tellShown(file),
    ...facts.groups.map((group) => tellGroup(group, shownOfBatch(group.state, file.state, file.blockedBy.length > 0))),
    ...(facts.outcomes.length > 0 ? [`Outcomes: ${outcomesOf(facts.outcomes)}.`] : []),
    ...(wasTaken(file) && facts.withheld.rows > 0 ? [`${sayWithheld(facts.withheld)}.`] : []),
    ...(file.state === 'held' && facts.withheld.rows > 0 ? [`${sayStaysBack(facts.withheld)}.`] : []),
    ...(outputs.length > 0 ? [`Output files: ${outputs.map((output) => output.name).join(', ')}.`] : []),
  ];
}

/** Returns whether the file was accepted; otherwise nothing was paid. */
function wasTaken({ state }: FileRow): boolean {
  return TAKEN_FILE_STATES.some((taken) => taken === state);
}

/** Says how the file stands, in the word that every page uses, and what keeps it from being sent. */
export function tellShown({ shown, blockedBy, late }: ShownFile): string[] {
  const cameLate = late === undefined ? [] : [`After it was taken: ${ended(late)}`];
  return [
    `The file: ${saidShown(shown)}.`,
    ...cameLate,
    ...blockedBy.map(({ says }) => `Nothing is sent: ${ended(says)}`),
  ];
}

function tellGroup({ batches, rows, cents, first }: BatchGroup, shown: Shown): string {
  const what = byNumber(batches, `Batch ${first}`, `${batches} batches`);
  return `${what}: ${saidShown(shown)}, ${counted(rows, 'row')}, ${formatCents(cents)}.`;
}

/** Describes what a person does about what came after a file was taken. */
export function nextForLate(fileId: string): Step {
  return [
    'Ask the sender what came late; it is not sent. Then ',
    { action: 'acknowledge', fileId },
    ', or ',
    { action: 'cancel', fileId },
    ' to stop what is not sent yet.',
  ];
}

/** Describes the next step for the file itself; its open batches have their own. */
export function nextForFile(
  file: FileRow,
  { withheld }: Pick<FileFacts, 'withheld'>,
  resubmissions: readonly ResubmissionRow[],
): Step[] {
  const { file_id: fileId } = file;
  switch (file.state) {
    case 'claimed':
      return [['There is nothing to do: a worker checks its rows.']];
    case 'held':
      // A file without a sendable row cannot be approved (release-held.ts).
      return [
        [
          `${remedyOf(file.reason_code)} Then `.trimStart(),
          ...(file.valid_rows ? [{ action: 'approve', fileId } as const, ' or '] : []),
          { action: 'decline', fileId },
          '.',
        ],
      ];
    case 'rejected':
      return [[remedyOf(file.reason_code) || 'Correct the file and drop it again.']];
    case 'accepted':
    case 'in_progress':
      return [];
    case 'completed':
    case 'partly_cancelled':
    case 'cancelled':
      return [
        ...(wasTaken(file) && withheld.rows > 0
          ? [[`${sayWithheld(withheld)}. Correct its .rejects.csv and drop it, unless this was done.`]]
          : []),
        ...resubmissions.filter((row) => row.new_file_id === null).map((row) => [tellWaiting(file, row)]),
      ];
  }
}

function tellWaiting({ folder }: FileRow, { name, charged }: ResubmissionRow): string {
  if (charged === 0) return `${name} has not been taken from ${folder} yet; start the workers if none run.`;
  return `${name} must no longer be dropped: ${counted(charged, 'row')} of it may have been charged. Drop the others by hand, from .retry.csv and .rejects.csv.`;
}
