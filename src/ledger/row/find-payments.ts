import type { Outcome } from '../../../schemas/lifecycle.ts';
import type { Advice } from '../../../schemas/rejections.ts';
import type { Ledger } from '../engine/open-ledger.ts';
import type { FileRow } from '../engine/records.ts';
import { type FoundRow, foundSql, listSearchIndexes, type SearchIndex } from '../file/search.ts';
import { adviceCondition, NOT_PAID, type Put } from '../overview/may-go-again.ts';

/** Which payments to find; a field left out matches any. Texts match in any case. Money is integer cents. */
export type PaymentSearch = {
  readonly invoiceStart?: string | undefined;
  readonly invoiceEnd?: string | undefined;
  /** Both ends belong to it. */
  readonly cents?: { readonly from: number; readonly to: number } | undefined;
  readonly lastFour?: string | undefined;
  /** The beginning of the customer code. */
  readonly customer?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly code?: number | undefined;
  readonly advice?: Advice | undefined;
  readonly accounts?: readonly string[] | undefined;
  /** When the file was taken; `until` is exclusive. */
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
};

/** The payments that match, newest file first, and how far back they were looked for, if not in the whole ledger. */
export type FoundPayments = { readonly rows: FoundRow[]; readonly since?: Date | undefined };

/** Rows that a search looks at: in the order of an index, and of the newest files where no index helps. */
const LOOKED_AT = {
  byIndex: 5_000,
  notPaid: 2_000,
  newest: 50_000,
  newestWithOutcome: 15_000,
  newestFiles: 2_000,
} as const;

/** Matching rows that are taken from one place, the newest. */
const MOST_PLACES = 500;

/** Where rows are looked up first: the first source whose index is there and that fits the search. */
type Source = {
  readonly fits: (search: PaymentSearch, built: ReadonlySet<SearchIndex>) => boolean;
  /** SQL of rows of `payment_row`, in the order of the index. */
  readonly rows: (search: PaymentSearch, put: Put) => string;
};

const SOURCES: readonly Source[] = [
  {
    fits: ({ invoiceStart }) => invoiceStart !== undefined,
    rows: (search, put) => byIndex('lower(invoice)', startOf(search.invoiceStart!, put)),
  },
  {
    fits: ({ invoiceEnd }, built) => invoiceEnd !== undefined && built.has('endings'),
    rows: (search, put) => byIndex('reverse(lower(invoice))', endOf(search.invoiceEnd!, put)),
  },
  {
    fits: ({ cents }, built) => cents !== undefined && built.has('amounts'),
    rows: ({ cents, lastFour }, put) =>
      `SELECT * FROM payment_row WHERE ${betweenCents(cents!, put)}${lastFour === undefined ? '' : ` AND last_four = ${put(lastFour)}`}
       ORDER BY amount_cents, last_four LIMIT ${LOOKED_AT.byIndex}`,
  },
  {
    fits: ({ customer }, built) => customer !== undefined && built.has('customers'),
    rows: (search, put) => byIndex('lower(customer_code)', startOf(search.customer!, put), `AND customer_code <> ''`),
  },
];

/** Returns the payments that match, newest file first, up to `limit`. Every part of it reads a limited number of rows. */
export async function findPayments(ledger: Ledger, search: PaymentSearch, limit: number): Promise<FoundPayments> {
  const built = await listSearchIndexes(ledger);
  const places: Place[] = [];
  for (const source of SOURCES.filter(({ fits }) => fits(search, built))) {
    places.push(...(await lookUp(ledger, source, search)));
    if (places.length < MOST_PLACES && (await isReadWhole(ledger, source, search)))
      return { rows: await readFound(ledger, places, limit) };
  }
  // So many are alike that no index leads to the newest; or no index helps.
  const files = await newestFiles(ledger, search);
  const { source, since } = isNotPaid(search)
    ? await newestNotPaid(ledger, files, search)
    : { source: newestOf(files.rows, search), since: files.since };
  // These files fit already.
  const ofRows = { ...search, accounts: undefined, from: undefined, until: undefined };
  const newest = await lookUp(ledger, source, ofRows);
  const last = newest.length < MOST_PLACES ? undefined : newest.at(-1)!;
  return { rows: await readFound(ledger, [...places, ...newest], limit), since: last ? timeOf(files, last) : since };
}

type Place = { readonly file_no: number; readonly line: number };

async function lookUp({ pool }: Ledger, { rows }: Pick<Source, 'rows'>, search: PaymentSearch): Promise<Place[]> {
  const { values, put } = valuesOfQuery();
  const source = rows(search, put);
  const conditions = ['true', ...rowConditions(search, put), ...fileOfRow(search, put), ...outcomeOfRow(search, put)];
  const found = await pool.query<Place>(
    `SELECT r.file_no, r.line FROM (${source}) r WHERE ${conditions.join(' AND ')}
     ORDER BY r.file_no DESC, r.line LIMIT ${MOST_PLACES}`,
    values,
  );
  return found.rows;
}

/** Returns whether the index has no more rows for this search than are looked at. */
async function isReadWhole({ pool }: Ledger, { rows }: Source, search: PaymentSearch): Promise<boolean> {
  const { values, put } = valuesOfQuery();
  const counted = await pool.query<{ rows: number }>(`SELECT count(*) AS rows FROM (${rows(search, put)}) r`, values);
  return counted.rows[0]!.rows < LOOKED_AT.byIndex;
}

type NewestFile = Pick<FileRow, 'file_no' | 'claimed_at'>;
type NewestFiles = { readonly rows: readonly NewestFile[]; readonly since?: Date };

function timeOf({ rows }: NewestFiles, place: Place): Date {
  return rows.find((file) => file.file_no === place.file_no)!.claimed_at;
}

/** Returns the newest files that fit, as many as hold the rows that are looked at. */
async function newestFiles({ pool }: Ledger, search: PaymentSearch): Promise<NewestFiles> {
  const { values, put } = valuesOfQuery();
  const most = mostNewest(search);
  const { rows } = await pool.query<NewestFile & { reached: number; isLast: boolean; isAll: boolean }>(
    `SELECT file_no, claimed_at, reached::bigint, place = files AS "isLast", files < ${LOOKED_AT.newestFiles} AS "isAll" FROM (
       SELECT file_no, claimed_at, rows, count(*) OVER () AS files, row_number() OVER (ORDER BY file_no DESC) AS place,
              sum(rows) OVER (ORDER BY file_no DESC) AS reached
       FROM (SELECT file_no, claimed_at, coalesce(records, 0) AS rows FROM file f
             WHERE ${['true', ...fileConditions(search, put)].join(' AND ')}
             ORDER BY file_no DESC LIMIT ${LOOKED_AT.newestFiles}) newest
       WHERE ${['true', ...outcomeOfFile(search, put)].join(' AND ')}) f
     WHERE reached - rows < ${most} ORDER BY file_no DESC`,
    values,
  );
  const last = rows.at(-1);
  const isWhole = !last || (last.reached <= most && last.isLast && last.isAll);
  return isWhole ? { rows } : { rows, since: last.claimed_at };
}

/** Rows that were not paid have an index of their own, with the files in it. */
function isNotPaid({ outcome, code, advice }: PaymentSearch): boolean {
  return advice !== undefined || code !== undefined || NOT_PAID_OUTCOMES.has(outcome);
}

const NOT_PAID_OUTCOMES: ReadonlySet<Outcome | undefined> = new Set(['declined', 'format_error', 'not_charged']);

/** Finds the newest rows that were not paid, file by file: the planner might sort all that the ledger has. */
async function newestNotPaid(ledger: Ledger, files: NewestFiles, search: PaymentSearch) {
  const { values, put } = valuesOfQuery();
  const numbers = put(files.rows.map((file) => file.file_no));
  const conditions = ['o.file_no = f.file_no', NOT_PAID, ...outcomeConditions(search, put)].join(' AND ');
  const { rows } = await ledger.pool.query<Place>(
    `SELECT f.file_no, o.line FROM unnest(${numbers}::bigint[]) f (file_no)
       CROSS JOIN LATERAL (SELECT line FROM row_outcome o WHERE ${conditions}
                           UNION SELECT line FROM row_change o WHERE ${conditions} ORDER BY line OFFSET 0) o
     LIMIT ${LOOKED_AT.notPaid}`,
    values,
  );
  const last = rows.length < LOOKED_AT.notPaid ? undefined : rows.at(-1)!;
  return { source: rowsAt(rows), since: last ? timeOf(files, last) : files.since };
}

function rowsAt(places: readonly Place[]): Pick<Source, 'rows'> {
  return {
    rows: (_, put) =>
      `SELECT r.* FROM unnest(${put(places.map((place) => place.file_no))}::bigint[],
         ${put(places.map((place) => place.line))}::integer[]) place (file_no, line)
         CROSS JOIN LATERAL (SELECT * FROM payment_row x
                             WHERE x.file_no = place.file_no AND x.line = place.line OFFSET 0) r`,
  };
}

/** Each file is read by its lines up to the limit; the planner would read the whole table for a file of millions. */
function newestOf(files: readonly NewestFile[], search: PaymentSearch): Pick<Source, 'rows'> {
  const numbers = files.map((file) => file.file_no);
  const most = mostNewest(search);
  return {
    rows: (_, put) =>
      `SELECT r.* FROM unnest(${put(numbers)}::bigint[]) f (file_no)
         CROSS JOIN LATERAL (SELECT * FROM payment_row x WHERE x.file_no = f.file_no ORDER BY x.line LIMIT ${most}) r
       LIMIT ${most}`,
  };
}

/** The present outcome of a row takes longer to look up than the row. Of files with few rows not paid, all are read. */
function mostNewest(search: PaymentSearch): number {
  if (isNotPaid(search)) return Number.MAX_SAFE_INTEGER;
  return search.outcome === undefined ? LOOKED_AT.newest : LOOKED_AT.newestWithOutcome;
}

async function readFound(ledger: Ledger, places: readonly Place[], limit: number): Promise<FoundRow[]> {
  const found = `SELECT DISTINCT * FROM unnest($1::bigint[], $2::integer[]) place (file_no, line)
    ORDER BY file_no DESC, line LIMIT $3`;
  const values = [places.map((place) => place.file_no), places.map((place) => place.line), limit];
  return (await ledger.pool.query<FoundRow>(foundSql(found, '$3'), values)).rows;
}

function valuesOfQuery(): { values: unknown[]; put: Put } {
  const values: unknown[] = [];
  return { values, put: (value) => `$${values.push(value)}` };
}

function byIndex(key: string, pattern: string, more = ''): string {
  // Ordered like the index, so that the planner reads it from there, whatever it expects to find.
  return `SELECT * FROM payment_row WHERE ${key} LIKE ${pattern} ${more} ORDER BY ${key} USING ~<~ LIMIT ${LOOKED_AT.byIndex}`;
}

function rowConditions(search: PaymentSearch, put: Put): string[] {
  const { invoiceStart, invoiceEnd, cents, lastFour, customer } = search;
  return [
    ...(invoiceStart === undefined ? [] : [`lower(r.invoice) LIKE ${startOf(invoiceStart, put)}`]),
    ...(invoiceEnd === undefined ? [] : [`reverse(lower(r.invoice)) LIKE ${endOf(invoiceEnd, put)}`]),
    ...(cents === undefined ? [] : [betweenCents(cents, put)]),
    ...(lastFour === undefined ? [] : [`r.last_four = ${put(lastFour)}`]),
    ...(customer === undefined ? [] : [`lower(r.customer_code) LIKE ${startOf(customer, put)}`]),
  ];
}

function fileConditions({ accounts, from, until }: PaymentSearch, put: Put): string[] {
  return [
    ...(accounts === undefined ? [] : [`f.account = ANY (${put(accounts)}::text[])`]),
    ...(from === undefined ? [] : [`f.claimed_at >= ${put(from)}::timestamptz`]),
    ...(until === undefined ? [] : [`f.claimed_at < ${put(until)}::timestamptz`]),
  ];
}

function outcomeConditions({ outcome, code, advice }: PaymentSearch, put: Put): string[] {
  return [
    ...(outcome === undefined ? [] : [`o.outcome = ${put(outcome)}`]),
    ...(code === undefined ? [] : [`o.code = ${put(code)}`]),
    ...(advice === undefined ? [] : [adviceCondition(advice, put)]),
  ];
}

/** The planner knows nothing of the files of single rows, so each is looked up by its number. */
function fileOfRow(search: PaymentSearch, put: Put): string[] {
  const conditions = fileConditions(search, put);
  return conditions.length === 0
    ? []
    : [`(SELECT ${conditions.join(' AND ')} FROM file f WHERE f.file_no = r.file_no)`];
}

/** Of other outcomes, the sums of batches tell which files have them. */
function outcomeOfFile(search: PaymentSearch, put: Put): string[] {
  if (search.outcome === undefined || isNotPaid(search)) return [];
  const isOf = `o.file_no = newest.file_no AND o.outcome = ${put(search.outcome)} AND o.rows > 0`;
  return [`(SELECT true FROM outcome_movement o WHERE ${isOf} LIMIT 1)`];
}

function outcomeOfRow(search: PaymentSearch, put: Put): string[] {
  const conditions = outcomeConditions(search, put);
  if (conditions.length === 0) return [];
  return [
    `(SELECT ${conditions.join(' AND ')} FROM current_outcome o WHERE o.file_no = r.file_no AND o.line = r.line)`,
  ];
}

function betweenCents({ from, to }: NonNullable<PaymentSearch['cents']>, put: Put): string {
  return `amount_cents BETWEEN ${put(from)}::bigint AND ${put(to)}::bigint`;
}

/** SQL of the pattern of texts that begin like this one, in small letters. */
export function startOf(text: string, put: Put): string {
  return `lower(${put(`${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`)})`;
}

function endOf(text: string, put: Put): string {
  return startOf([...text].toReversed().join(''), put);
}
