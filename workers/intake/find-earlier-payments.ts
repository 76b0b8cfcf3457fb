import type { FaultCode } from '../../schemas/errors.ts';
import type { App } from '../../src/app.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import type { Folder } from '../../src/config/config.ts';
import { counted } from '../../src/kernel/counted.ts';
import { limitsOf } from '../../src/config/account-rules.ts';
import { formatCents } from '../../src/kernel/money.ts';
import type { Fault } from '../../src/rows/rows.ts';
import { dayInZone, startOfDay } from '../../src/calendar/zone-time.ts';
import { queryInOne } from '../../src/ledger/engine/query-together.ts';
import { flagChargedRows, type FlaggedRows } from '../../src/ledger/duplicates/flag-charged-rows.ts';
import {
  type Earlier,
  findLinesAsInvoices,
  findSameRows,
  findSameTotals,
  hasSwappedColumns,
  lockDecisions,
  readAcceptedCents,
  readUsualSize,
} from '../../src/ledger/duplicates/find-duplicate.ts';
import type { Ledger } from '../../src/ledger/engine/open-ledger.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import type { Transaction } from '../../src/ledger/engine/transaction.ts';
import type { RowStore } from './store-rows.ts';
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
type Subject = {
  file: Pick<FileRow, 'file_id' | 'account' | 'folder' | 'operation'>;
  folder: Folder;
  check: FileCheck;
  rowSet: string | null;
  /** The earliest of the clocks: one that was set forward must not begin a day. */
  now: Date;
};

/**
 * Compares a file whose rows are written with the other files of its account. No other file of the account is decided
 * until the transaction ends.
 */
export async function findEarlierPayments(
  app: App,
  tx: Transaction,
  subject: Subject & {
    file: FileRow;
    like: readonly FlaggedRows[];
    store: RowStore;
    volume: number;
  },
): Promise<History> {
  const [, found] = await queryInOne(tx, (asked) => [
    lockDecisions(asked, subject.file.account),
    compareFile(app, asked, subject),
  ]);
  return {
    ...found,
    faults: [...found.faults, ...(await checkSwapped(tx, subject))],
    charged: [...(await flagRows(tx, subject)), ...subject.like],
  };
}

/** Compares a file as a whole with the others, even one that has not arrived yet. */
export async function compareFile(app: App, tx: Transaction, subject: Subject): Promise<Omit<History, 'charged'>> {
  const { timeZone } = app.account(subject.file.account);
  const dayStart = startOfDay(dayInZone(subject.now, timeZone), timeZone)!;
  const [same, day, usual] = await queryInOne(tx, (asked) => [
    findSame(asked, subject, dayStart),
    checkDay(app, asked, subject, dayStart),
    checkUsual(asked, subject),
  ]);
  return { faults: [...same.faults, ...day, ...usual], duplicateOf: same.rowsOf?.file_id };
}

/** Checks for swapped columns, unless a header names them. */
async function checkSwapped(tx: Transaction, { file, check }: Subject & { file: FileRow }): Promise<Fault[]> {
  if (check.headerLine !== null || check.layout === null) return [];
  const linesOf = await findLinesAsInvoices(tx, file);
  const lines = `the invoices are the line numbers of file ${linesOf}, with their payments`;
  if (linesOf !== undefined) return [fault('COLUMNS_SWAPPED', lines)];
  if (!LAYOUTS_OF_CODES.has(check.layout) || !(await hasSwappedColumns(tx, file))) return [];
  return [
    fault('COLUMNS_SWAPPED', 'the invoices look like customer codes of the account, and the customer codes do not'),
  ];
}

const LAYOUTS_OF_CODES: ReadonlySet<string> = new Set(['card-code', 'ach-code']);

type Same = { faults: Fault[]; rowsOf: Earlier | undefined };

/** Finds a file with the same rows, or else with the same totals, which the same rows imply. */
async function findSame(tx: Transaction, { file, folder, check, rowSet }: Subject, since: Date): Promise<Same> {
  const isAskedForTotals = folder.sameTotals !== 'off' && check.valid.rows > 0;
  const [rowsOf, totalsOf] = await queryInOne(tx, (asked) => [
    rowSet === null ? undefined : findSameRows(asked, file, rowSet),
    isAskedForTotals ? findSameTotals(asked, file, { ...check.valid, since }) : undefined,
  ]);
  if (rowsOf) return { faults: [fault('SAME_ROWS', nameOf(rowsOf))], rowsOf };
  if (!totalsOf) return { faults: [], rowsOf };
  const figures = `${counted(check.valid.rows, 'row')} with a total of ${formatCents(check.valid.cents)}`;
  return { faults: [fault('SAME_TOTALS', `${figures}, as in ${nameOf(totalsOf)}`)], rowsOf };
}

async function flagRows(
  tx: Transaction,
  { file, folder, check, store, volume, now }: Subject & { file: FileRow; store: RowStore; volume: number },
): Promise<FlaggedRows[]> {
  const since = chargedSince(folder, now);
  if (!since) return [];
  return store.flagRows((firstSeq) => flagChargedRows(tx, file, { since, volume, firstSeq, rows: check.valid.rows }));
}

/** Returns since when to search for the same rows; undefined when the folder does not ask for it. */
export function chargedSince(
  { chargedBefore, duplicateDays }: Pick<Folder, 'chargedBefore' | 'duplicateDays'>,
  now: Date,
): Date | undefined {
  return chargedBefore === 'off' ? undefined : new Date(now.getTime() - duplicateDays * DAY_MS);
}

const DAY_MS = 86_400_000;

async function checkDay(app: App, tx: Transaction, { file, folder, check }: Subject, since: Date): Promise<Fault[]> {
  const { dayCents } = limitsOf(app.account(file.account), folder);
  if (dayCents === undefined) return [];
  const before = await readAcceptedCents(tx, file.account, since);
  const own = Math.abs(check.valid.cents);
  if (before + own <= dayCents) return [];
  const figures = `${formatCents(own)} and ${formatCents(before)} accepted before, at most ${formatCents(dayCents)}`;
  return [fault('LIMIT_DAY_TOTAL', figures)];
}

/** Files that a folder needs for comparison; the fifth is the first that can be unusual. */
const LEAST_FILES = 4;

async function checkUsual(tx: Transaction, { file, folder, check }: Subject): Promise<Fault[]> {
  const factor = folder.unusualFactor;
  if (factor === 0) return [];
  const usual = await readUsualSize(tx, file);
  if (usual.files < LEAST_FILES) return [];
  const faults: Fault[] = [];
  const times = `more than ${factor} times the usual`;
  const median = `(median of the last ${usual.files} files)`;
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
