import {
  BATCH_MOVES,
  BATCH_STATES,
  COMPLETENESS,
  FILE_MOVES,
  FILE_STATES,
  OUTCOMES,
  OUTPUT_KINDS,
  PROFILE_MOVES,
  PROFILE_STATES,
  REPROCESS_MOVES,
  REPROCESS_STATES,
  RUN_MOVES,
  RUN_STATES,
  type Move,
} from '../../schemas/lifecycle.ts';
import { SHOWN, shownOfState } from '../../schemas/shown.ts';
import { code, mermaid, page, sentence, table } from './markdown.ts';

export function renderLifecycle(): string {
  return page(
    '# Life of a file, a batch and a row',
    'Every state and every transition. The database refuses a transition that is not listed here. No timer moves anything out of `sending` or `unknown`, because the money may have moved.',
    '## File',
    'A payment file is one dropped CSV.',
    ...describeEntity(FILE_STATES, FILE_MOVES),
    '## Batch',
    'A batch is what is sent to the service in one call.',
    ...describeEntity(BATCH_STATES, BATCH_MOVES),
    '## How files and batches are shown',
    'Pages, messages, the command line and the API (`shown`) say the worst of a file, its batches and its account. The first that applies is said:',
    table(
      ['Shown', 'Word', 'Meaning'],
      Object.entries(SHOWN).map(([name, { word, means }]) => [code(name), word, sentence(means)]),
    ),
    '## Run',
    'A run is what a schedule does on one business date. There is exactly one for each date. When a worker dies, another one takes over its run, which stays `running` meanwhile.',
    ...describeEntity(RUN_STATES, RUN_MOVES),
    '## Version of a profile',
    'An import profile says how the files of a folder are read. Each of its versions stays in the ledger.',
    ...describeEntity(PROFILE_STATES, PROFILE_MOVES),
    '## Reprocessing',
    'A person chooses payments of many files, and refused batches, to be sent again. The choice is a frozen set; a worker does it item by item.',
    ...describeEntity(REPROCESS_STATES, REPROCESS_MOVES),
    '## Row',
    'A row gets exactly one outcome and keeps it. Rows that were certainly not charged may be corrected and dropped again; the program itself never sends a row twice.',
    drawRow(),
    describeOutcomes(),
    '## How paydrop knows that a drop is complete',
    table(
      ['Way', 'Meaning'],
      Object.entries(COMPLETENESS).map(([name, about]) => [code(name), sentence(about)]),
    ),
    '## Output files',
    'Written side by side in the output folder, named after the dropped file, never overwritten.',
    table(
      ['Suffix', 'What it tells'],
      Object.values(OUTPUT_KINDS).map((kind) => [code(kind.suffix), sentence(kind.about)]),
    ),
  );
}

function describeEntity(states: Readonly<Record<string, string>>, moves: readonly Move<string>[]): string[] {
  return [
    drawMoves(moves),
    table(
      ['State', 'Shown as', 'Meaning'],
      Object.entries(states).map(([name, about]) => [code(name), SHOWN[shownOfState(name)!].word, sentence(about)]),
    ),
    table(
      ['Move', 'From', 'To', 'Made by', 'When'],
      moves.map(({ name, from, to, by, about }) => [code(name), from ? code(from) : '', code(to), by, sentence(about)]),
    ),
  ];
}

/** Draws the moves; a star marks those of an operator. */
function drawMoves(moves: readonly Move<string>[]): string {
  const arrows = moves.map(({ name, from, to, by }) => {
    return `  ${from ?? '[*]'} --> ${to}: ${name}${by === 'operator' ? ' *' : ''}`;
  });
  const lefts = new Set(moves.map((move) => move.from));
  const ends = new Set(moves.map((move) => move.to).filter((state) => !lefts.has(state)));
  const stops = [...ends].map((state) => `  ${state} --> [*]`);
  return page(mermaid('stateDiagram-v2', ...arrows, ...stops), 'A star marks transitions that only a person makes.');
}

/** Draws the row's states: a faulty row is withheld; a valid one is sent unless its batch is cancelled. */
function drawRow(): string {
  const beforeSending: readonly string[] = ['invalid', 'not_sent'];
  const sent = Object.keys(OUTCOMES).filter((outcome) => !beforeSending.includes(outcome));
  return mermaid(
    'stateDiagram-v2',
    '  [*] --> invalid: has faults',
    '  [*] --> valid: every check passed',
    '  valid --> not_sent: its batch was cancelled',
    '  valid --> sent: in one batch',
    ...sent.map((outcome) => `  sent --> ${outcome}`),
  );
}

function describeOutcomes(): string {
  return table(
    ['Outcome', 'Meaning', 'Certainly not charged'],
    Object.values(OUTCOMES).map((outcome) => [
      code(outcome.label),
      sentence(outcome.means),
      outcome.certainlyNotCharged ? 'yes' : 'no',
    ]),
  );
}
