import { join } from 'node:path';
import { saidCode } from '../../../schemas/errors.ts';
import { DUTIES, type Duty } from '../../../schemas/jobs.ts';
import { type BatchState, FINAL_BATCH_STATES, FINAL_FILE_STATES, type Outcome } from '../../../schemas/lifecycle.ts';
import { saidOutcome, type Shown, shownOfBatch } from '../../../schemas/shown.ts';
import { type Step, stepText } from '../../../schemas/steps.ts';
import { saidAnswer } from '../../../schemas/rejections.ts';
import { foldersHere, type Settings } from '../../config/config.ts';
import { listFolder } from '../../files/list-folder.ts';
import { listQuarantine } from '../../files/claims/quarantine-drop.ts';
import { maskName } from '../../kernel/mask.ts';
import { formatCents } from '../../kernel/money.ts';
import { formatInZone } from '../../calendar/zone-time.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import { readBatches, readBatchRow, readFileRow, readOutputs } from '../../ledger/file/read-file.ts';
import { readFailing } from '../../ledger/alarm/note-failure.ts';
import { readHolds } from '../../ledger/account/read-holds.ts';
import { sayMerchantOf } from '../../ledger/merchant/read-merchants.ts';
import { readBatchFacts, readFileFacts, readWaiting } from '../../ledger/file/read-why.ts';
import { findArchivedInvoice, readArchiveOf, sayArchive } from '../../ledger/retention/archived-rows.ts';
import { readResubmissions } from '../../ledger/row/resubmissions.ts';
import type { FoundRow } from '../../ledger/file/search.ts';
import type { BatchRow, FileRow, PlainFileRow } from '../../ledger/engine/records.ts';
import { findUnattended, type Unattended } from '../../../workers/upkeep/alarms/unattended.ts';
import { isDeliverable } from '../../ledger/batch/due-work.ts';
import { describeHolds } from '../describe-holds.ts';
import { type Block, readBlocks, readShownFile, showBatch } from '../read-blocks.ts';
import {
  describeFailing,
  describeUnattended,
  isStaleSettings,
  isUnread,
  type Obstacle,
  readObstacles,
} from '../../../workers/upkeep/alarms/obstacles.ts';
import { ended, type Sentence } from './sentence.ts';
import { listUndecided, readUnknownRows } from '../../ledger/doubt/unknown-rows.ts';
import { nextForBatch, nextForUndecided, tellBatch, tellBatchState, tellUndecided } from './tell-batch.ts';
import { tellDoubles } from './tell-doubles.ts';
import { nextForFile, nextForLate, tellFile, tellFileState, tellShown } from './tell-file.ts';

/** The whole story of a subject: what happened, how it stands, and what to do next. Times are in `timeZone`. */
export type Why = {
  about: string;
  /** Who is charged; left out for a drop that was not taken. */
  merchant?: string;
  timeZone: string;
  /** How the subject stands; left out for a drop that was not taken. */
  shown?: Shown;
  blockedBy?: readonly Block[];
  story: Sentence[];
  now: string[];
  next: string[];
  /** `next` as data. */
  steps: Step[];
};

declare module '../../feature.ts' {
  interface Feature {
    /** What a person can do with a file, besides what the core says. */
    stepsFor?(file: PlainFileRow): readonly Step[];
  }
}

export async function whyFile(ledger: Ledger, settings: Settings, file: FileRow): Promise<Why> {
  const timeZone = zoneOf(settings, file.account);
  const [shownFile, facts, outputs, resubmissions] = await Promise.all([
    readShownFile(ledger, settings, file),
    readFileFacts(ledger, file),
    readOutputs(ledger, file.file_id),
    readResubmissions(ledger, file.file_id),
  ]);
  const { shown, blockedBy, late } = shownFile;
  const made: Sentence[] = facts.madeFrom ? [{ at: null, text: `It was made of rows of file ${facts.madeFrom}.` }] : [];
  const isBlocked = blockedBy.length > 0;
  const batches = await Promise.all(facts.open.map((batch) => stepsOf(ledger, file, batch, timeZone, isBlocked)));
  const [stuck, archive, doubles, undecided, merchant] = await Promise.all([
    stuckWith(ledger, settings, file, facts.open),
    readArchiveOf(ledger, file),
    tellDoubles(ledger, { fileId: file.file_id }, await readBatches(ledger, file.file_id), timeZone),
    listUndecided(ledger.pool, file.file_no),
    sayMerchantOf(ledger, file.account),
  ]);
  return {
    about: `${file.name} (file ${file.file_id})`,
    merchant,
    timeZone,
    story: [...made, ...tellFile(file, facts)],
    shown,
    blockedBy,
    now: [...doubles.now, ...tellFileState(shownFile, facts, outputs), ...(archive ? [sayArchive(archive)] : [])],
    ...nextOf([
      ...doubles.steps,
      ...stuck,
      ...(late === undefined ? [] : [nextForLate(file.file_id)]),
      ...settings.features.flatMap(({ stepsFor }) => stepsFor?.(file) ?? []),
      ...(stuck.length > 0 && file.state === 'claimed' ? [] : nextForFile(file, facts, resubmissions)),
      ...batches.flat(),
      ...undecided.map(({ rows, fileId, batchNo }) => nextForUndecided(rows, { fileId, batchNo })),
      ...(facts.open.length > 0 ? await heldBy(ledger, file.account, timeZone) : []),
    ]),
  };
}

export async function whyBatch(ledger: Ledger, settings: Settings, file: FileRow, batch: BatchRow): Promise<Why> {
  const timeZone = zoneOf(settings, file.account);
  const facts = await readBatchFacts(ledger, file, batch);
  const ofFile = await readShownFile(ledger, settings, file);
  const unknown = await readUnknownRows(ledger.pool, file.file_no, batch.batch_no);
  const undecided = unknown.filter(({ isClosed }) => !isClosed);
  const ofBatch = showBatch(batch, file, await readBlocks(ledger, settings), undecided.length > 0);
  const holds = isOpen(batch) ? await heldBy(ledger, file.account, timeZone) : [];
  const stuck = await stuckWith(ledger, settings, file, [batch], batch);
  const doubles = await tellDoubles(ledger, { fileId: file.file_id, batchNo: batch.batch_no }, [batch], timeZone);
  const steps = nextForBatch(
    batch,
    { ...facts, undecided: undecided.length },
    timeZone,
    holds.length + stuck.length + doubles.steps.length > 0,
  );
  return {
    about: `batch ${batch.batch_no} of ${file.name} (${file.file_id}/${batch.batch_no})`,
    merchant: await sayMerchantOf(ledger, batch.account),
    timeZone,
    story: tellBatch(file, batch, facts),
    ...ofBatch,
    now: [...doubles.now, ...tellShown(ofFile), tellBatchState({ ...batch, ...ofBatch }), ...tellUndecided(undecided)],
    ...nextOf([...doubles.steps, ...stuck, ...steps, ...holds]),
  };
}

/** Explains up to `MOST_ROWS` rows with this invoice, each with the story of its batch, or of its file without one. */
export async function whyInvoice(ledger: Ledger, settings: Settings, rows: readonly FoundRow[]): Promise<Why[]> {
  return Promise.all(
    rows.slice(0, MOST_ROWS).map(async (row) => {
      const file = await readFileRow(ledger, row.fileId);
      const key = { fileId: row.fileId, batchNo: row.batchNo ?? 0 };
      const batch = row.batchState === null ? undefined : await readBatchRow(ledger, key);
      const why = batch ? await whyBatch(ledger, settings, file, batch) : await whyFile(ledger, settings, file);
      return {
        ...why,
        about: `invoice ${row.invoice}, line ${row.line} of ${why.about}`,
        now: [rowNow(row), ...why.now],
      };
    }),
  );
}

/** Explains archived files that hold this invoice; none when there are none. */
export async function whyArchived(ledger: Ledger, settings: Settings, invoice: string): Promise<Why[]> {
  const files = await findArchivedInvoice(ledger, invoice, MOST_ROWS);
  return Promise.all(
    files.map(async ({ file_id: fileId }) => {
      const why = await whyFile(ledger, settings, await readFileRow(ledger, fileId));
      return { ...why, about: `invoice ${invoice}, archived with ${why.about}` };
    }),
  );
}

/** With more rows than this, the sender uses one invoice number for everything. */
const MOST_ROWS = 5;

function rowNow(row: FoundRow): string {
  const amount = row.amountCents === null ? 'no readable amount' : formatCents(row.amountCents);
  const payer = row.customerCode || (row.lastFour ? `…${row.lastFour}` : 'no payer');
  const outcome = row.outcome ?? (row.batchNo === null ? 'invalid' : null);
  const became = outcome === null ? 'without an outcome' : saidOutcome(outcome as Outcome);
  const reason = row.message === null ? row.faults.map(saidCode).join('; ') : saidAnswer(row.message, row.code);
  return `The row: ${amount}, ${payer}, ${became}${reason ? `: ${reason}` : ''}.`;
}

/** Explains a drop that cannot be taken and so is not in the ledger; undefined when there is none of that name. */
export async function whyUntaken(ledger: Ledger, settings: Settings, name: string): Promise<Why | undefined> {
  return (
    (await whyWaiting(ledger, settings, name)) ??
    (await whyUnread(ledger, settings, name)) ??
    (await whyQuarantined(settings, name)) ??
    (await whyUnlisted(ledger, settings, name))
  );
}

/** Explains a drop that lies in a folder whose profile reads nothing, or that the running processes do not know yet. */
async function whyUnread(ledger: Ledger, settings: Settings, name: string): Promise<Why | undefined> {
  for (const { id, path, account, profile } of foldersHere(settings)) {
    if (!(await listFolder(path).catch(() => [])).some((entry) => entry.name === name)) continue;
    const obstacles = await readObstacles(ledger, settings);
    const isCause = (one: Obstacle) => isStaleSettings(one) || (profile !== undefined && isUnread(one, profile));
    const found = obstacles.filter(isCause);
    if (found.length === 0) return undefined;
    return {
      about: `${maskName(name)}, a drop`,
      timeZone: zoneOf(settings, account),
      story: [{ at: null, text: `It lies in folder ${id}.` }],
      now: [
        ...found.map(({ what, why }) => `${what}: ${ended(why)}`),
        'It has not been taken yet, and nothing of it was sent.',
      ],
      ...nextOf(found.map(({ step }) => step)),
    };
  }
  return undefined;
}

/** Explains a drop that lies in a folder that no process lists. */
async function whyUnlisted(ledger: Ledger, settings: Settings, name: string): Promise<Why | undefined> {
  const missing = await findUnattended(ledger, settings);
  for (const { id, path, account, site, schedule } of missing.length === 0 ? [] : foldersHere(settings)) {
    const { role } = DUTIES[schedule === undefined ? 'list' : 'schedule'];
    const unattended = missing.find((one) => one.role === role && one.site === site);
    if (!unattended || !(await listFolder(path).catch(() => [])).some((entry) => entry.name === name)) continue;
    return {
      about: `${maskName(name)}, a drop`,
      timeZone: zoneOf(settings, account),
      story: [{ at: null, text: `It lies in folder ${id}.` }],
      now: ['It has not been taken yet, and nothing of it was sent.'],
      ...nextOf([stepOfUnattended(ledger, unattended)]),
    };
  }
  return undefined;
}

async function whyWaiting(ledger: Ledger, settings: Settings, name: string): Promise<Why | undefined> {
  const found = (await readFailing(ledger)).find(
    ({ work, subject }) => work === 'watch' && subject.endsWith(`, "${maskName(name)}"`),
  );
  if (!found) return undefined;
  const { what, why, step } = describeFailing(found);
  return {
    about: `${maskName(name)}, a drop`,
    timeZone: zoneOf(settings, found.account ?? ''),
    story: [{ at: found.since, text: `${what}: ${ended(why)}` }],
    now: ['It has not been taken yet, and nothing of it was sent.'],
    ...nextOf([step]),
  };
}

/** Explains the newest quarantined drop of that name. */
async function whyQuarantined(settings: Settings, name: string): Promise<Why | undefined> {
  const { quarantine: root } = settings.paths;
  const found = (await listQuarantine(root))
    .flatMap(({ id, reason }) => (reason?.name === maskName(name) ? [{ id, ...reason }] : []))
    .toSorted((one, other) => (one.at < other.at ? -1 : 1))
    .at(-1);
  if (!found) return undefined;
  const { id, at, from, reason, remedy } = found;
  const account = settings.folders.find((folder) => folder.id === from)?.account;
  return {
    about: `${found.name}, a drop`,
    timeZone: zoneOf(settings, account ?? ''),
    story: [{ at: new Date(at), text: `It was moved from ${from} to quarantine: ${ended(reason)}` }],
    now: [`It was not read, and nothing of it was sent. It is in "${join(root, id)}".`],
    ...nextOf([[`${remedy} Remove that folder when this is done.`]]),
  };
}

async function stepsOf(
  ledger: Ledger,
  file: FileRow,
  batch: BatchRow,
  timeZone: string,
  isBlocked: boolean,
): Promise<Step[]> {
  const steps = nextForBatch(batch, { ...(await readWaiting(ledger, file, batch)), undecided: 0 }, timeZone, true);
  const shown = shownOfBatch(batch.state, file.state, isBlocked, { isPaid: batch.paid_since !== null });
  return [[tellBatchState({ ...batch, shown })], ...steps];
}

async function heldBy(ledger: Ledger, account: string, timeZone: string): Promise<Step[]> {
  const holds = describeHolds({ ...(await readHolds(ledger, account)), account }, timeZone);
  return holds.map((hold) => [`Account ${account} sends nothing. `, ...hold]);
}

/**
 * Lists what no process does for a file, and what keeps failing for it, and for its account while part of the file is
 * open.
 * @param open the batches that are asked about
 */
async function stuckWith(
  ledger: Ledger,
  settings: Settings,
  file: FileRow,
  open: readonly BatchRow[],
  batch?: BatchRow,
): Promise<Step[]> {
  const [missing, failing] = await Promise.all([
    readMissing(ledger, settings, file, open),
    readFailing(ledger, file.file_id),
  ]);
  const failures = failing
    .filter(({ fileId, batchNo }) =>
      fileId === null
        ? !FINAL.has(batch?.state ?? file.state)
        : batch === undefined || batchNo === null || batchNo === batch.batch_no,
    )
    .map(describeFailing)
    .map(({ what, why, step }): Step => [`${what}: it ${ended(why)} `, ...step]);
  return [...missing, ...failures];
}

/** Lists the roles that a file waits for and no living process has. */
async function readMissing(
  ledger: Ledger,
  settings: Settings,
  file: FileRow,
  open: readonly BatchRow[],
): Promise<Step[]> {
  const missing = await findUnattended(ledger, settings);
  if (missing.length === 0) return [];
  const lacksOutput = await isDeliverable(ledger, file.file_id);
  const wanted = new Set<Duty>([
    ...(file.state === 'claimed' ? (['intake'] as const) : []),
    ...open.flatMap(({ state }) => DUTY_IN[state] ?? []),
    ...(lacksOutput ? (['deliver'] as const) : []),
  ]);
  return missing
    .map((one) => ({ ...one, due: one.due.filter(({ duty }) => wanted.has(duty)) }))
    .filter(({ site, due }) => due.length > 0 && (site === null || site === file.site))
    .map((one) => stepOfUnattended(ledger, one));
}

/** What a batch in a state waits for, where that is a process. */
const DUTY_IN: Readonly<Partial<Record<BatchState, Duty>>> = {
  ready: 'submit',
  submitted: 'poll',
  result_in: 'poll',
  exception: 'poll',
};

function stepOfUnattended(ledger: Ledger, unattended: Unattended): Step {
  const { what, why, step } = describeUnattended(unattended, ledger.clock.now());
  return [`${what}: ${ended(why)} `, ...step];
}

const FINAL: ReadonlySet<string> = new Set([...FINAL_BATCH_STATES, ...FINAL_FILE_STATES]);

function isOpen({ state }: BatchRow): boolean {
  return state !== 'reconciled' && state !== 'cancelled';
}

/** The one step of a subject that needs none. */
export const NOTHING_TO_DO: Step = ['There is nothing to do.'];

function nextOf(found: readonly Step[]): Pick<Why, 'next' | 'steps'> {
  const steps = found.length > 0 ? [...found] : [NOTHING_TO_DO];
  return { next: steps.map(stepText), steps };
}

function zoneOf(settings: Settings, account: string): string {
  return settings.accounts.get(account)?.timeZone ?? 'UTC';
}

/** Formats the story as lines of text. */
export function describeWhy({ about, merchant, timeZone, story, now, next }: Why): string {
  const line = ({ at, text }: Sentence) => `  ${at ? `${formatInZone(at, timeZone)}  ` : ''}${text}`;
  return [
    [`Why: ${about}`, ...(merchant === undefined ? [] : [`Merchant: ${merchant}`])].join('\n'),
    ['What happened', ...story.map(line)].join('\n'),
    ['How it stands', ...now.map((text) => `  ${text}`)].join('\n'),
    ['What to do next', ...next.map((text) => `  ${text}`)].join('\n'),
  ].join('\n\n');
}
