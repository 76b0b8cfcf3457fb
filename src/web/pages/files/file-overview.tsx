import {
  BATCH_STATES,
  type BatchState,
  FINAL_BATCH_STATES,
  OUTCOMES,
  type Outcome,
  UNSENT_BATCH_STATES,
} from '../../../../schemas/lifecycle.ts';
import type { App } from '../../../app.ts';
import { byNumber } from '../../../kernel/counted.ts';
import type { FileFigures } from '../../../ledger/file/file-figures.ts';
import { type LinkedFile, type LinkKind, readLinkedFiles } from '../../../ledger/file/list-files.ts';
import type { FileRow } from '../../../ledger/engine/records.ts';
import { readControlTotals, type ToldTotal } from '../../../explain/read-control-totals.ts';
import { readShown, type ShownFile } from '../../../explain/read-blocks.ts';
import { NOTHING_TO_DO, whyFile } from '../../../explain/why/tell-why.ts';
import type { OutcomeTotals, Totals } from '../../../rows/rows.ts';
import { addressOf } from '../../parts/address.ts';
import { Section, Table } from '../../parts/blocks.tsx';
import { OutcomeBar } from '../../parts/charts.tsx';
import { Count, Moment, Money, OutcomeWord, StateBadge } from '../../parts/words.tsx';
import type { HeadFacts } from './file-head.tsx';
import type { TabVisit } from './read-address.ts';
import { NextSteps, Story } from './told-why.tsx';

/** Shows what became of the rows, what happened and what to do; short enough for one screen, however large the file. */
export async function showOverview(
  { app, viewer }: TabVisit,
  { file, figures, outputs, customs: { timeZone, currency } }: HeadFacts,
) {
  const [why, totals, linked] = await Promise.all([
    whyFile(app.ledger, app.settings, file),
    readControlTotals(app.ledger, file, { figures, outputs }),
    readLinked(app, file),
  ]);
  return (
    <>
      <div class="columns">
        <div>
          <Section title="Outcomes" live="outcomes">
            <OutcomePart fileId={file.file_id} figures={figures} currency={currency} />
          </Section>
          {!why.steps.includes(NOTHING_TO_DO) && <NextSteps steps={why.steps} viewer={viewer} />}
        </div>
        <Section title="What happened" live="story">
          <Story story={why.story} timeZone={timeZone} most={MOST_STORY} />
          <ControlTotals totals={totals} />
        </Section>
      </div>
      {linked.length > 0 && (
        <Section title="Linked files" live="linked">
          <LinkedFiles files={linked} timeZone={timeZone} />
        </Section>
      )}
    </>
  );
}

/** Most sentences of the story; what lies between its begin and its end is folded away. */
const MOST_STORY = 8;

/** Shows rows and money per outcome as a bar and a table, with links to the rows. */
export function OutcomePart({
  fileId,
  figures,
  currency,
}: {
  fileId: string;
  figures: FileFigures;
  currency: string | undefined;
}) {
  const totals = presentTotals(figures);
  const names = (Object.keys(OUTCOMES) as Outcome[]).filter((name) => totals[name]);
  const { waiting, underWay } = openTotals(figures);
  const rows = [
    ...names.map((name) => ({
      name,
      word: <OutcomeWord outcome={name} />,
      means: OUTCOMES[name].means,
      ...totals[name]!,
    })),
    { name: 'open', word: 'waits', means: 'not sent yet; nothing was charged', ...waiting },
    { name: 'open', word: 'in progress', means: 'the batch is not final; its money may have moved', ...underWay },
  ].filter((row) => row.rows > 0);
  return (
    <>
      {names.length > 0 && <OutcomeBar totals={totals} label="Outcomes of the file" currency={currency} />}
      <Table
        label="Outcomes"
        rows={rows}
        empty="No rows yet. The outcome of each row is listed here once the service has answered."
        columns={[
          { title: 'Outcome', place: 'name', cell: ({ word }) => word },
          { title: 'Meaning', cell: ({ means }) => means },
          {
            title: 'Rows',
            isFigure: true,
            cell: ({ name, rows: count }) => (
              <a href={addressOf(`/files/${fileId}`, { tab: 'payments', outcome: name })}>
                <Count of={count} />
              </a>
            ),
          },
          {
            title: 'Total',
            place: 'amount',
            isFigure: true,
            cell: ({ cents }) => <Money cents={cents} currency={currency} />,
          },
        ]}
      />
    </>
  );
}

/** Sums every row that reached its end: outcomes of sent rows, rows never to be sent, and withheld rows. */
export function presentTotals({ now, states: { cancelled }, withheld }: FileFigures): OutcomeTotals {
  return {
    ...now,
    ...(cancelled && { not_sent: { rows: cancelled.rows, cents: cancelled.cents } }),
    ...(withheld.rows > 0 && { invalid: withheld }),
  };
}

/**
 * Sums the rows of open batches; none of them may count as not sent. `waiting` certainly has not left yet; `underWay`
 * may have.
 */
export function openTotals({ states }: FileFigures): { waiting: Totals; underWay: Totals } {
  const add = (wanted: readonly BatchState[]): Totals => ({
    rows: wanted.reduce((sum, state) => sum + (states[state]?.rows ?? 0), 0),
    cents: wanted.reduce((sum, state) => sum + (states[state]?.cents ?? 0), 0),
  });
  const open = (Object.keys(BATCH_STATES) as BatchState[]).filter((state) => !isOneOf(FINAL_BATCH_STATES, state));
  return {
    waiting: add(UNSENT_BATCH_STATES),
    underWay: add(open.filter((state) => !isOneOf(UNSENT_BATCH_STATES, state))),
  };
}

function isOneOf(states: readonly BatchState[], state: BatchState): boolean {
  return states.includes(state);
}

type ShownLink = LinkedFile & { readonly shown: ShownFile | undefined };

/** Reads the files related to this one, and how each of them stands; all are of the same account. */
async function readLinked({ ledger, settings }: App, { file_id, account }: FileRow): Promise<ShownLink[]> {
  const linked = await readLinkedFiles(ledger, file_id);
  const taken = linked.flatMap(({ fileId, state }) => (fileId && state ? [{ file_id: fileId, account, state }] : []));
  const shown = new Map((await readShown(ledger, settings, taken)).map((file) => [file.file_id, file]));
  return linked.map((link) => ({ ...link, shown: shown.get(link.fileId ?? '') }));
}

/** Shows files related to this one. */
export function LinkedFiles({ files, timeZone }: { files: readonly ShownLink[]; timeZone: string }) {
  return (
    <Table
      label="Linked files"
      rows={files}
      empty="None."
      columns={[
        { title: 'How', cell: ({ kind }) => WORDS[kind] },
        {
          title: 'File',
          cell: ({ fileId, name }) => (fileId === null ? name : <a href={`/files/${fileId}`}>{name}</a>),
        },
        {
          title: 'State',
          cell: ({ shown }) => (shown ? <StateBadge of={shown} /> : 'has not been taken from its folder yet'),
        },
        { title: 'Rows', isFigure: true, cell: ({ rows }) => rows !== null && <Count of={rows} /> },
        { title: 'When', cell: ({ at }) => <Moment at={at} timeZone={timeZone} /> },
        { title: 'Run', cell: ({ runNo }) => runNo !== null && <a href={`/queue/selections/${runNo}`}>Run {runNo}</a> },
      ]}
    />
  );
}

const WORDS: Readonly<Record<LinkKind, string>> = {
  made_from: 'This file has rows of',
  resubmitted_as: 'Rows of this file were resubmitted as',
  duplicate_of: 'This file has the content of',
  repeated_by: 'The same content was dropped again as',
  corrects: 'This file corrects',
  corrected_by: 'It was corrected by',
};

/** Sums up the control totals of a file in a line, which opens the list: both figures of each, and the result. */
export function ControlTotals({ totals }: { totals: readonly ToldTotal[] }) {
  if (totals.length === 0)
    return <p class="empty">The file was refused and nothing in it was sent, so there are no totals to compare.</p>;
  return (
    <details class="more">
      <summary>{sumUp(totals)}</summary>
      <Table
        label="Control totals"
        rows={totals}
        empty=""
        columns={[
          { title: 'Check', cell: ({ id }) => id },
          { title: 'Compared', cell: ({ id }) => ABOUT[id] ?? '' },
          { title: 'Figures', cell: ({ says }) => <span class="wide">{says}</span> },
          { title: 'Result', cell: ({ state }) => <span class={`state ${TONES[state]}`}>{state}</span> },
        ]}
      />
    </details>
  );
}

function sumUp(totals: readonly ToldTotal[]): string {
  const count = (wanted: ToldTotal['state']) => totals.filter(({ state }) => state === wanted).length;
  const [differ, later] = [count('differ'), count('not yet')];
  const needed = totals.length - count('not needed');
  return [
    `${count('agree')} of ${needed} control totals agree`,
    ...(differ > 0 ? [`${differ} ${byNumber(differ, 'differs', 'differ')}`] : []),
    ...(later > 0 ? [`${later} follow later`] : []),
  ].join(', ');
}

const TONES = { agree: 'good', differ: 'bad', 'not yet': 'busy', 'not needed': 'quiet' } as const;

const ABOUT: Readonly<Record<string, string>> = {
  H0: "The sender's control file and the received file",
  H1: 'The bytes taken and the bytes read',
  H2: 'The lines of the file and its rows',
  H3: 'All rows, and the valid and withheld rows',
  H4: 'The valid rows and the batches cut from them',
  H5: 'The bytes of each batch and its rows, read by another reader',
  H6: 'The rows of the results and the rows sent',
  H7: 'The outcomes and the batches',
  H8: 'The output files on the disk and the ledger',
};
