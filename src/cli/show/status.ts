import { counted } from '../../kernel/counted.ts';
import { approverOf } from '../../explain/double-charges.ts';
import { whoDid } from '../../explain/why/sentence.ts';
import type { DoubleCharge } from '../../ledger/duplicates/read-double-charges.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { type Outcome, OUTCOMES } from '../../../schemas/lifecycle.ts';
import { saidState, saidWord } from '../../../schemas/shown.ts';
import { foldersHere, type Settings } from '../../config/config.ts';
import { type FolderSurvey, maskSurvey, surveyFolder } from '../../files/survey-folder.ts';
import { formatCents } from '../../kernel/money.ts';
import type { OpenFile, Overview } from '../../ledger/overview/overview.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { type OpenLate, readOpenLate } from '../../ledger/file/late-arrivals.ts';
import { COMPARE, findPutBack, type PutBack, sayPutBack } from '../../ledger/admission/folder-mark.ts';
import { readTies, type Tie } from '../../ledger/proposal/refuse-acquainted.ts';
import { readWithheldFiles, type WithheldFile } from '../../ledger/file/file-figures.ts';
import { sayAmount } from '../../reconcile/say-withheld.ts';
import { type CliCommand, JSON_OPTION, print, readLedger } from '../command.ts';
import { momentsIn, zoneOf } from '../print/moments.ts';
import { paintFor } from '../print/paint.ts';
import { describeReading, watchText } from '../print/progress.ts';
import { HOW_TO_END, proposalTable, tableOf } from '../print/table.ts';
import { isStaleSettings, isUnread, type Obstacle, readObstacles } from '../../../workers/upkeep/alarms/obstacles.ts';
import { readShownOverview, type ShownFile } from '../../explain/read-blocks.ts';
import { isLate, type LateRuns, readLateRuns } from '../../explain/read-schedules.ts';

export const status: CliCommand = {
  name: 'status',
  about: 'Show what is in progress, what is stuck and what to do',
  options: [
    JSON_OPTION,
    ['--verbose', 'also list the files in drop folders that are never taken, because of their names'],
    ['--watch', 'show it again every two seconds, until Ctrl-C'],
    ['--check', 'exit status gives the worst finding: 3 held or late, 4 outcome unknown, 5 exception or no progress'],
  ],
  examples: ['status', 'status --watch', 'status --check > /dev/null || echo "paydrop needs attention"'],
  async run(call) {
    return readLedger(call, async (ledger, settings) => {
      const isVerbose = call.options['verbose'] === true;
      const read = () => readView(ledger, settings, isVerbose);
      if (call.options['watch']) return watchText(call, async () => statusText(await read()));
      const view = await read();
      const { overview, late, withheld, obstacles, cameLate, folders, putBack } = view;
      const shown = { ...overview, ...late, withheld, obstacles, cameLate, folders, putBack: putBack ?? null };
      print(call, shown, () => statusText(view));
      if (!call.options['check']) return EXIT.ok;
      const isHeld = isLate(late) || cameLate.length > 0;
      return Math.max(troubleStatus(overview), obstacleStatus(obstacles), isHeld ? EXIT.held : EXIT.ok);
    });
  },
};

type StatusView = {
  overview: ShownOverview;
  late: LateRuns;
  withheld: readonly WithheldFile[];
  obstacles: readonly Obstacle[];
  putBack: PutBack | undefined;
  ties: readonly Tie[];
  folders: readonly SurveyedFolder[];
  isVerbose: boolean;
  cameLate: readonly OpenLate[];
  when: When;
};

type ShownOverview = Awaited<ReturnType<typeof readShownOverview>>;

/** Writes a moment; all of a table in one zone. */
type When = ReturnType<typeof momentsIn>;

async function readView(ledger: Ledger, settings: Settings, isVerbose: boolean): Promise<StatusView> {
  return {
    overview: await readShownOverview(ledger, settings),
    withheld: await readWithheldFiles(ledger),
    late: await readLateRuns(ledger, settings),
    obstacles: await readObstacles(ledger, settings),
    putBack: await findPutBack(settings.paths.journal, ledger.clock),
    ties: await readTies(ledger, settings.newcomerDays),
    cameLate: await readOpenLate(ledger),
    folders: await surveyFolders(settings, ledger.clock.now()),
    isVerbose,
    when: momentsIn(zoneOf(settings), ledger.clock.now()),
  };
}

type Columns<Item> = Readonly<Record<string, (item: Item) => string>>;

const FILES: Columns<Overview['files'][number]> = {
  State: (row) => saidState(row.state),
  Files: (row) => String(row.files),
  Rows: (row) => String(row.rows),
  'Valid total': (row) => formatCents(row.cents),
};

const TODAY: Columns<Overview['today'][number]> = {
  Account: (row) => row.account,
  Outcome: (row) => OUTCOMES[row.outcome as Outcome].label,
  Rows: (row) => String(row.rows),
  Total: (row) => formatCents(row.cents),
  'It means': (row) => OUTCOMES[row.outcome as Outcome].means,
};

function statusText({
  overview,
  late,
  withheld,
  obstacles,
  putBack,
  ties,
  cameLate,
  folders,
  isVerbose,
  when,
}: StatusView): string {
  const { files, today } = overview;
  const sections = [
    ...twiceLines(overview, when),
    ...doubtLines(overview, when),
    ...paidLines(overview, when),
    ...undecidedLines(overview, when),
    ...(obstacles.length === 0 ? [] : [`Not making progress\n${describeObstacles(obstacles, when)}`]),
    ...cameLateLines(cameLate, when),
    ...(putBack ? [`${PUT_BACK}\n${sayPutBack(putBack)}. ${COMPARE}`] : []),
    ...lateLines(overview, when),
    ...lateRunLines(late, when),
    ...stoppedLines(overview, when),
    ...proposalLines(overview, ties, when),
    ...openLines(overview, when),
    ...withheldLines(withheld, when),
    ...folderLines(folders, isVerbose, when),
    `Files\n${files.length === 0 ? 'none yet' : tableOf(files, FILES, NUMBERS)}`,
    `Last 24 hours\n${today.length === 0 ? 'no outcomes yet' : tableOf(today, TODAY, NUMBERS)}`,
  ];
  const paint = paintFor(process.stdout);
  return sections
    .map((section) =>
      section.replace(/^.*/, (title) => paint('bold', ALARMING.has(title) ? paint('red', title) : title)),
    )
    .join('\n\n');
}

const PUT_BACK = 'Data folder put back';

const ALARMING = new Set([
  'Needs attention',
  'Undecided rows',
  'Came after the file was taken',
  'Perhaps paid twice',
  'Perhaps paid already',
  'Not making progress',
  'Stopped accounts',
  PUT_BACK,
]);

const NUMBERS = ['Files', 'Rows', 'Total', 'Valid total'];

/** Returns a section with a table of the items, or none when there are none. */
function listed<Item>(
  title: string,
  items: readonly Item[],
  columns: Columns<Item>,
  hint: string,
  right = NUMBERS,
): string[] {
  if (items.length === 0) return [];
  return [[`${title}\n${tableOf(items, columns, right)}`, ...(hint === '' ? [] : [hint])].join('\n\n')];
}

/** Lists payments perhaps made twice: money is already wrong. */
function twiceLines({ twice }: Overview, when: When): string[] {
  const columns: Columns<DoubleCharge> = {
    Account: ({ account }) => account,
    Batch: ({ row }) => `${row.fileId}/${row.batchNo}`,
    Line: ({ row }) => String(row.line),
    Invoice: ({ row, other }) => row.invoice ?? other.invoice ?? '',
    Total: ({ row, other }) => formatCents(row.cents ?? other.cents ?? 0),
    Also: ({ other }) => `${other.fileId}/${other.batchNo} line ${other.line}`,
    Found: ({ foundAt }) => when(foundAt),
    'Approved by': (pair) => whoDidOr(approverOf(pair)),
  };
  return listed('Perhaps paid twice', twice, columns, TWICE_HINT);
}

const TWICE_HINT =
  'Two rows that may be one payment were both charged, or may have been. "paydrop why BATCH" shows both. Refund one, then "paydrop acknowledge BATCH --reason …".';

function whoDidOr(actor: string | null): string {
  return actor === null ? 'nobody' : whoDid(actor);
}

/** Lists batches that wait because of what became known after their files were checked. */
function paidLines({ paid }: Overview, when: When): string[] {
  const columns: Columns<Overview['paid'][number]> = {
    Account: (batch) => batch.account,
    Batch: (batch) => `${batch.fileId}/${batch.batchNo}`,
    File: (batch) => batch.name,
    Rows: (batch) => String(batch.rows),
    Total: (batch) => formatCents(batch.cents),
    Since: (batch) => when(batch.since),
    'Perhaps paid': (batch) => counted(batch.matches, 'row'),
    Also: ({ first }) => (first ? `${first.other.fileId}/${first.other.batchNo} line ${first.other.line}` : ''),
  };
  return listed('Perhaps paid already', paid, columns, PAID_HINT);
}

const PAID_HINT =
  'A payment in it may have been charged meanwhile. It is not sent. "paydrop why BATCH" shows both; then "paydrop cancel BATCH --reason …" or "paydrop release BATCH --reason …".';

/** Lists batches that need a person, first of all sections: nothing is as urgent. */
function doubtLines({ doubt }: Overview, when: When): string[] {
  const columns: Columns<Overview['doubt'][number]> = {
    Account: (batch) => batch.account,
    Batch: (batch) => `${batch.fileId}/${batch.batchNo}`,
    File: (batch) => batch.name,
    State: (batch) => saidState(batch.state),
    Rows: (batch) => String(batch.rows),
    Total: (batch) => formatCents(batch.cents),
    Since: (batch) => when(batch.since),
    Why: (batch) => batch.reason ?? '',
  };
  return listed(
    'Needs attention',
    doubt,
    columns,
    [...new Set(doubt.map(({ state }) => NEXT[state] ?? ''))].join('\n'),
  );
}

/** Lists finished batches with rows that may or may not have been charged. Their accounts continue. */
function undecidedLines({ undecided }: Overview, when: When): string[] {
  const columns: Columns<Overview['undecided'][number]> = {
    Account: (batch) => batch.account,
    Batch: (batch) => `${batch.fileId}/${batch.batchNo}`,
    File: (batch) => batch.name,
    Rows: (batch) => String(batch.rows),
    Total: (batch) => formatCents(batch.cents),
    Since: (batch) => when(batch.since),
  };
  const hint =
    'It is not known whether the service charged these rows. Never send them again before it is. See "paydrop resolve BATCH".';
  return listed('Undecided rows', undecided, columns, hint);
}

/** Returns each cause once, with all its remedies. */
export function describeObstacles(
  obstacles: readonly Omit<Obstacle, 'key' | 'account' | 'fileId' | 'batchNo' | 'step'>[],
  when: When,
): string {
  const told = new Map<string, string>();
  for (const { what, name, why, next, since } of obstacles) {
    const cause = `${what}${name ? ` (${name})` : ''}${since ? ` since ${when(since)}` : ''}: ${why}`;
    told.set(cause, `${told.get(cause) ?? cause}\n  ${next}`);
  }
  return [...told.values()].join('\n');
}

const NEXT: Record<string, string> = {
  unknown:
    'In doubt: the service may have taken the batch. It is not sent again; its account is stopped. Never drop its file again. See "paydrop unknown list".',
  refused:
    'Refused: the service refused the batch; nothing was charged; its account is stopped. Fix the cause, then "paydrop retry BATCH --reason …" or "paydrop withdraw BATCH --reason …".',
  exception: 'Result mismatch: the result does not match what was sent. See "paydrop exceptions BATCH".',
};

/** Lists files of which something came after they were taken. */
function cameLateLines(cameLate: readonly OpenLate[], when: When): string[] {
  const columns: Columns<OpenLate> = {
    Account: (file) => file.account,
    File: (file) => file.fileId,
    Name: (file) => file.name,
    Rows: (file) => String(file.rows),
    Total: (file) => formatCents(file.cents),
    Since: (file) => when(file.since),
    What: (file) => file.says,
  };
  const hint =
    'None of it is sent, and the unsent batches of these files wait. Ask the sender, then "paydrop acknowledge FILE --reason …", or "paydrop cancel FILE --reason …".';
  return listed('Came after the file was taken', cameLate, columns, hint);
}

/** Lists batches that the service has. Polling goes on, and only the service knows their result. */
function lateLines({ late }: Overview, when: When): string[] {
  const columns: Columns<Overview['late'][number]> = {
    Account: (batch) => batch.account,
    Batch: (batch) => `${batch.fileId}/${batch.batchNo}`,
    File: (batch) => batch.name,
    'Batch Id': (batch) => batch.batchId,
    Rows: (batch) => String(batch.rows),
    Total: (batch) => formatCents(batch.cents),
    State: (batch) => (batch.staleSince ? `overdue since ${when(batch.staleSince)}` : ''),
    'The service says': (batch) => batch.says ?? '',
  };
  return listed(
    'Waiting for a result',
    late,
    columns,
    'paydrop keeps asking for them. Ask the service about the batch ids.',
  );
}

function stoppedLines({ stopped }: Overview, when: When): string[] {
  const columns: Columns<Overview['stopped'][number]> = {
    Account: (row) => row.account,
    Since: (row) => when(row.since),
    Why: (row) => row.reason,
  };
  return listed('Stopped accounts', stopped, columns, '"paydrop account list" shows what to do for each.');
}

function proposalLines({ proposals }: Overview, ties: readonly Tie[], when: When): string[] {
  if (proposals.length === 0) return [];
  const makers = new Set(proposals.map((proposal) => proposal.made_by));
  const pairs = ties
    .filter(({ maker, person }) => makers.has(maker) || makers.has(person))
    .map(
      ({ maker, person, at }) =>
        `\n${person} was made a user or changed by ${maker} on ${when(at)}: neither can confirm the other's proposals.`,
    );
  return [`Waiting for a second person\n${proposalTable(proposals, when)}\n\n${HOW_TO_END}${pairs.join('')}`];
}

function openLines({ open }: ShownOverview, when: When): string[] {
  const columns: Columns<OpenFile & ShownFile> = {
    File: (file) => file.file_id,
    Name: (file) => file.name,
    Account: (file) => file.account,
    State: (file) => saidWord(file.shown),
    Batches: (file) => (file.batches ? `${file.done}/${file.batches}` : ''),
    Since: (file) => when(file.state_at),
    Why: (file) => file.reason ?? describeReading(file) ?? file.blockedBy.map(({ says }) => says).join('; '),
  };
  const held = open.filter((file) => file.state === 'held');
  return listed('In progress', open, columns, held.length > 0 ? heldHint(held) : '');
}

function withheldLines(withheld: readonly WithheldFile[], when: When): string[] {
  const columns: Columns<WithheldFile> = {
    Account: (file) => file.account,
    File: (file) => file.fileId,
    Name: (file) => file.name,
    Claimed: (file) => when(file.claimedAt),
    Rows: (file) => String(file.rows),
    Total: sayAmount,
  };
  const hint = 'They have faults and were not sent. Correct them in the .rejects.csv of the file and drop that file.';
  return listed('Withheld and not paid, last 7 days', withheld, columns, hint, ['Rows']);
}

/** A drop folder of this site and what lies in it; names are masked. */
type SurveyedFolder = { readonly folder: string; readonly account: string } & FolderSurvey;

/** Surveys the folders of this site. One that cannot be listed is left out; "doctor" says why. */
async function surveyFolders(settings: Settings, now: Date): Promise<SurveyedFolder[]> {
  const surveyed = await Promise.all(
    foldersHere(settings).map(async (folder) => {
      const survey = await surveyFolder(folder, now).catch(() => undefined);
      return survey && { folder: folder.id, account: folder.account, ...maskSurvey(survey) };
    }),
  );
  return surveyed.filter((one) => one !== undefined);
}

function folderLines(folders: readonly SurveyedFolder[], isVerbose: boolean, when: When): string[] {
  const waiting: Columns<SurveyedFolder> = {
    Folder: (one) => one.folder,
    Account: (one) => one.account,
    Files: (one) => String(one.waiting),
  };
  const left: Columns<LeftInFolder> = {
    Folder: (one) => one.folder,
    Name: (one) => one.name,
    What: (one) => one.what,
    Since: (one) => (one.since ? when(one.since) : ''),
  };
  const files = folders.filter((one) => one.waiting > 0);
  return [
    ...listed('Waiting in drop folders', files, waiting, ''),
    ...listed('Left over in drop folders', folders.flatMap(leftOvers), left, LEFT_HINT),
    ...(isVerbose ? listed('Never taken', folders.flatMap(ignoredIn), left, '') : []),
  ];
}

type LeftInFolder = { folder: string; name: string; what: string; since?: Date };

function leftOvers({ folder, leftOver, outdated }: SurveyedFolder): LeftInFolder[] {
  return [
    ...leftOver.map(({ name, kind, since }) => ({ folder, name, what: `${kind} without its payment file`, since })),
    ...outdated.map((name) => ({ folder, name, what: 'changed after its marker, so it waits' })),
  ];
}

function ignoredIn({ folder, ignored }: SurveyedFolder): LeftInFolder[] {
  return ignored.map((name) => ({ folder, name, what: 'its name is that of an unfinished or system file' }));
}

const LEFT_HINT =
  'Ask the sender. Remove a marker or control file that belongs to no file; let the sender write the marker of a whole file again.';

/** Says how to decide held files. A file without a valid row cannot be approved. */
function heldHint(held: readonly OpenFile[]): string {
  const approve = held.some((file) => file.valid_rows) ? '"paydrop approve FILE --reason …" or ' : '';
  return `Needs approval: check the .held.csv in the out folder, then ${approve}"paydrop decline FILE --reason …".`;
}

/** Returns sections of `paydrop status`. */
export function lateRunLines({ lateRuns, missingFiles }: LateRuns, when: When): string[] {
  const runs: Columns<LateRuns['lateRuns'][number]> = {
    Schedule: (run) => run.schedule,
    Day: (run) => run.day,
    State: (run) => run.state,
    Due: (run) => when(run.dueAt),
    Why: (run) => run.says,
  };
  const files: Columns<LateRuns['missingFiles'][number]> = {
    Folder: (file) => file.folder,
    Account: (file) => file.account,
    Day: (file) => file.day,
    By: (file) => file.by,
  };
  return [
    ...listed('Late schedules', lateRuns, runs, RUN_HINT),
    ...listed('Expected files that have not arrived', missingFiles, files, FILE_HINT),
  ];
}

const RUN_HINT =
  '"paydrop schedule run NAME" makes today\'s run. The next run takes the files in the folders in any case. "paydrop schedule acknowledge NAME DAY --reason …" takes a run off this list.';
const FILE_HINT =
  'Ask the sender. "paydrop schedule acknowledge expect:FOLDER DAY --reason …" takes a file off this list.';

/**
 * Returns the exit status for the worst open problem.
 * @param rejected number of rejected files, where that counts
 */
export function troubleStatus(overview: Overview, rejected = 0): number {
  const states = new Set(overview.doubt.map((batch) => batch.state));
  if (states.has('exception') || states.has('refused') || overview.stopped.length > 0 || overview.twice.length > 0)
    return EXIT.exception;
  if (states.has('unknown') || overview.undecided.length > 0) return EXIT.unknownOpen;
  // Use the counts, because the list of open files is truncated.
  if (overview.paid.length > 0 || overview.files.some((row) => row.state === 'held')) return EXIT.held;
  return rejected > 0 ? EXIT.invalid : EXIT.ok;
}

/**
 * Returns the exit status for work that does not go on by itself. A profile that waits for a person and a configuration
 * that waits for a restart are the lesser evil.
 */
export function obstacleStatus(obstacles: readonly Obstacle[]): number {
  if (obstacles.some((one) => !isUnread(one) && !isStaleSettings(one))) return EXIT.exception;
  return obstacles.length > 0 ? EXIT.held : EXIT.ok;
}
