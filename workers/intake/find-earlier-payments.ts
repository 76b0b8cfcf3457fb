import type { FaultCode } from '../../schemas/errors.ts';
import type { App } from '../../src/app.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import type { Folder } from '../../src/config/config.ts';
import { counted } from '../../src/kernel/counted.ts';
import { limitsOf } from '../../src/config/account-rules.ts';
import { formatCents } from '../../src/kernel/money.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { dayInZone, startOfDay } from '../../src/calendar/zone-time.ts';
import type { FlaggedRows } from '../../src/ledger/duplicates/flag-charged-rows.ts';
import {
  type Earlier,
  findSameRows,
  findSameTotals,
  LAST_FILES,
  readAcceptedCents,
  readLastSizes,
  type Size,
} from '../../src/ledger/duplicates/find-duplicate.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import type { ChosenVolume } from '../../src/ledger/duplicates/fingerprint-volumes.ts';

/** What the other files of the account say about this one. */
export type History = {
  /** Faults of the file as a whole. */
  readonly faults: readonly Fault[];
  /** Rows that may have been charged before or are like others of the file; their faults are already in the ledger. */
  readonly charged: readonly FlaggedRows[];
  readonly duplicateOf: string | undefined;
};

/** What is compared. A file that is not in the ledger has an empty id. `rowSet` is the mark of the valid rows. */
export type Subject = {
  readonly file: Pick<FileRow, 'file_id' | 'account' | 'folder' | 'operation'>;
  readonly folder: Folder;
  readonly check: FileCheck;
  readonly rowSet: string | null;
  /** The earliest of the clocks: one that was set forward must not begin a day. */
  readonly now: Date;
};

/** A file that was accepted in the same transaction, which the ledger does not show yet. */
export type AcceptedBefore = { readonly file: FileRow; readonly size: Size };

/** What the ledger knows about the other files of a merchant, to judge one by. */
export type Others = {
  rowsOf: Earlier | undefined;
  totalsOf: Earlier | undefined;
  /** Cents accepted on the day; 0 where nobody asks. */
  dayCents: number;
  /** Sizes of the last files of the folder, the latest first; none where nobody asks. */
  sizes: readonly Size[];
};

/** Questions what the other files of their merchants say of files, one or many, even of one that has not arrived yet. */
export function questionsAboutOthers(app: App, subjects: readonly Subject[]) {
  const days = subjects.map(({ file, now }) => {
    const { timeZone } = app.account(file.account);
    return startOfDay(dayInZone(now, timeZone), timeZone)!;
  });
  const isAskedForTotals = ({ folder, check }: Subject) => folder.sameTotals !== 'off' && check.valid.rows > 0;
  return [
    findSameRows(subjects),
    findSameTotals(
      subjects.map((one, place) => {
        const totals = isAskedForTotals(one) ? { ...one.check.valid, since: days[place]! } : undefined;
        return { file: one.file, totals };
      }),
    ),
    readAcceptedCents(
      subjects.map(({ file, folder }, place) => {
        const isLimited = limitsOf(app.account(file.account), folder).dayCents !== undefined;
        return { file, since: isLimited ? days[place] : undefined };
      }),
    ),
    readLastSizes(
      subjects.map(({ file, folder }) => ({ file, folder: folder.unusualFactor === 0 ? undefined : file.folder })),
    ),
  ] as const;
}

/** Puts the answers together, for each file. */
export function othersOf(
  subjects: readonly Subject[],
  [rowsOf, totalsOf, dayCents, sizes]: readonly [
    (Earlier | undefined)[],
    (Earlier | undefined)[],
    number[],
    (readonly Size[])[],
  ],
): Others[] {
  return subjects.map((_, place) => ({
    rowsOf: rowsOf[place],
    totalsOf: rowsOf[place] ? undefined : totalsOf[place],
    dayCents: dayCents[place]!,
    sizes: sizes[place]!,
  }));
}

/**
 * Judges a file by the others, as a whole.
 * @param before files of its merchant that the same transaction has accepted before it
 */
export function judgeByOthers(
  app: App,
  subject: Subject,
  others: Others,
  before: readonly AcceptedBefore[] = [],
): Omit<History, 'charged'> {
  return {
    faults: [
      ...findSame(subject, others),
      ...checkDay(app, subject, others, before),
      ...checkUsual(subject, others, before),
    ],
    duplicateOf: others.rowsOf?.file_id,
  };
}

/** A file of which its rows may have the columns swapped: no header names them. */
export function mayBeSwapped({ check }: Pick<Subject, 'check'>): boolean {
  return check.headerLine === null && check.layout !== null;
}

/** Whether a layout has customer codes, which may have changed places with the invoices. */
export function hasCodes({ check }: Pick<Subject, 'check'>): boolean {
  return check.layout !== null && LAYOUTS_OF_CODES.has(check.layout);
}

const LAYOUTS_OF_CODES: ReadonlySet<string> = new Set(['card-code', 'ach-code']);

/** Says that the columns of a file are swapped: the file of whose lines its invoices are, or that its codes look like invoices. */
export function swappedFaults(linesOf: string | undefined, isSwapped: boolean): Fault[] {
  const lines = `the invoices are the line numbers of file ${linesOf}, with their payments`;
  if (linesOf !== undefined) return [fault('COLUMNS_SWAPPED', lines)];
  if (!isSwapped) return [];
  return [
    fault('COLUMNS_SWAPPED', 'the invoices look like customer codes of the account, and the customer codes do not'),
  ];
}

/** Says which file has the same rows, or else the same totals, which the same rows imply. */
function findSame({ check }: Subject, { rowsOf, totalsOf }: Others): Fault[] {
  if (rowsOf) return [fault('SAME_ROWS', nameOf(rowsOf))];
  if (!totalsOf) return [];
  const figures = `${counted(check.valid.rows, 'row')} with a total of ${formatCents(check.valid.cents)}`;
  return [fault('SAME_TOTALS', `${figures}, as in ${nameOf(totalsOf)}`)];
}

/** Returns since when to search for the same rows; undefined when the folder does not ask for it. */
export function chargedSince(
  { chargedBefore, duplicateDays }: Pick<Folder, 'chargedBefore' | 'duplicateDays'>,
  now: Date,
): Date | undefined {
  return chargedBefore === 'off' ? undefined : new Date(now.getTime() - duplicateDays * DAY_MS);
}

const DAY_MS = 86_400_000;

function checkDay(
  app: App,
  { file, folder, check }: Subject,
  others: Others,
  accepted: readonly AcceptedBefore[],
): Fault[] {
  const { dayCents } = limitsOf(app.account(file.account), folder);
  if (dayCents === undefined) return [];
  const ofAccount = accepted.filter((one) => one.file.account === file.account);
  const before = ofAccount.reduce((sum, { size }) => sum + Math.abs(size.cents), others.dayCents);
  const own = Math.abs(check.valid.cents);
  if (before + own <= dayCents) return [];
  const figures = `${formatCents(own)} and ${formatCents(before)} accepted before, at most ${formatCents(dayCents)}`;
  return [fault('LIMIT_DAY_TOTAL', figures)];
}

/** Files that a folder needs for comparison; the fifth is the first that can be unusual. */
const LEAST_FILES = 4;

/** One huge file changes the median little. */
function checkUsual({ file, folder, check }: Subject, others: Others, accepted: readonly AcceptedBefore[]): Fault[] {
  const factor = folder.unusualFactor;
  if (factor === 0) return [];
  const ofFolder = accepted.filter((one) => one.file.folder === file.folder);
  const sizes = [...ofFolder.map(({ size }) => size).reverse(), ...others.sizes].slice(0, LAST_FILES);
  if (sizes.length < LEAST_FILES) return [];
  const usual = {
    rows: medianOf(sizes.map((size) => size.rows)),
    cents: medianOf(sizes.map((size) => Math.abs(size.cents))),
  };
  const faults: Fault[] = [];
  const times = `more than ${factor} times the usual`;
  const median = `(median of the last ${sizes.length} files)`;
  const { rows, cents } = check.valid;
  if (rows > factor * usual.rows) {
    faults.push(fault('UNUSUAL_ROWS', `${counted(rows, 'row')}, ${times} ${usual.rows} ${median}`));
  }
  if (Math.abs(cents) > factor * usual.cents) {
    const usualTotal = formatCents(Math.round(usual.cents));
    faults.push(fault('UNUSUAL_TOTAL', `${formatCents(Math.abs(cents))}, ${times} ${usualTotal} ${median}`));
  }
  return faults;
}

function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
}

function nameOf(earlier: Earlier): string {
  return `"${earlier.name}" (file ${earlier.file_id})`;
}

function fault(code: FaultCode, detail: string): Fault {
  return { code, line: 0, detail };
}

/** After a longer pause or jump, in ms, a clock may have been set meanwhile. */
const PAUSE_MS = 86_400_000;

/**
 * Returns what counts as now and since when the file counts as known, for the search for earlier payments. These are
 * the earliest and latest clock, so that no wrong clock makes a payment too old to be found. If the clock of host or
 * database is over `PAUSE_MS` from the last file, the service's clock is queried too. If the service gives no time,
 * that of the last file stands in.
 * @param hostNow by the clock of this host
 * @param askTime queries the service's clock
 */
export async function weighClocks(
  hostNow: Date,
  { databaseNow, lastFrom }: Pick<ChosenVolume, 'databaseNow' | 'lastFrom'>,
  askTime: () => Promise<Date | undefined>,
): Promise<{ now: Date; agedFrom: Date }> {
  const own = [hostNow, databaseNow];
  const follow = own.every((at) => lastFrom !== null && Math.abs(at.getTime() - lastFrom.getTime()) <= PAUSE_MS);
  const witness = follow ? null : ((await askTime()) ?? lastFrom);
  const times = [...own, ...(witness ? [witness] : [])].map((at) => at.getTime());
  return { now: new Date(Math.min(...times)), agedFrom: new Date(Math.max(...times)) };
}

/** How long an answer serves all accounts of its service, in ms. */
const ANSWER_MS = 60_000;

/** What each service answered, or will, by server and address. */
const answers = new WeakMap<Ledger, Map<string, { askedAt: number; answer: Promise<Date | undefined> }>>();

/**
 * Returns the time by the service's clock, as of an answer of the last minute. In the morning every account has its
 * first file, and a service that answers late, or never, must not hold up each of them.
 * @returns undefined when the service did not say
 */
export async function askServiceTime(
  app: Pick<App, 'ledger' | 'clock' | 'account' | 'askTime'>,
  name: string,
): Promise<Date | undefined> {
  const { server, baseUrl } = app.account(name);
  const service = `${server} ${baseUrl}`;
  const known = answers.get(app.ledger) ?? new Map();
  answers.set(app.ledger, known);
  const now = app.clock.now().getTime();
  const isFresh = ({ askedAt }: { askedAt: number }) => askedAt <= now && now < askedAt + ANSWER_MS;
  let asked = known.get(service);
  if (!asked || !isFresh(asked)) {
    asked = { askedAt: now, answer: app.askTime(name) };
    known.set(service, asked);
  }
  const answer = await asked.answer;
  return answer && new Date(answer.getTime() + now - asked.askedAt);
}
