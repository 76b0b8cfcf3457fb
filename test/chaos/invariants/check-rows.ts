import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import { groupBy } from '../../../src/kernel/group-by.ts';
import { type Drop, type DroppedRow, payeeOf } from '../support/make-drops.ts';
import type { Changed, LedgerView } from '../support/story-world.ts';

type Kept = {
  name: string;
  fileId: string;
  fileState: string;
  reason: string | null;
  line: number | null;
  invoice: string | null;
  cents: number | null;
  batchState: string | null;
  outcome: string | null;
  /** Its very bytes were sent before an older ledger was put in place, so they cannot be sent again. */
  isBarred: boolean | null;
  /** It came again as a row of another file, which is checked by itself. */
  isMoved: boolean | null;
};

/**
 * Checks that every row of every dropped file has exactly one final outcome or one listed open state. The books must
 * agree: the same outcome, the same money, and nothing twice.
 */
export const checkRows: Check = async ({ drops, books, ledger, accounts }) => {
  const { forgotten, compared, exposed, left } = accounts;
  const kept = groupBy(await ledger.query<Kept>(EVERY_ROW), (row) => row.name);
  const booked = groupBy(books, (row) => row.invoice);
  // An older ledger may not know the latest files at all; those it knows must keep every promise.
  const known = drops.filter(
    (drop) => !exposed.has(drop.account) && (kept.has(drop.name) || !forgotten.has(drop.account)),
  );
  const unprotected = new Set(drops.filter((drop) => exposed.has(drop.account)).flatMap(invoicesOf));
  return [
    ...findDoubles(withoutTries(booked, drops, accounts.reprocessed))
      .filter(({ invoice }) => !unprotected.has(invoice))
      .map(sayDouble),
    ...findStrangers(booked, drops),
    ...findWrongPayees(books, drops),
    ...findUncounted(known, kept),
    ...known.flatMap((drop) => {
      const rows = rowsOfDrop(drop, drops, kept);
      if (isHeldAsSent(rows, forgotten.has(drop.account))) return [];
      return checkDrop(drop, rows, booked, { isCompared: compared.has(drop.account), isLeft: left.has(drop.account) });
    }),
  ];
};

type KeptByName = ReadonlyMap<string, readonly Kept[]>;

/** Returns the rows of the file that a drop has become. Of drops with the same name, the first is the first file. */
function rowsOfDrop(drop: Drop, drops: readonly Drop[], kept: KeptByName): readonly Kept[] {
  const place = drops.filter(({ name }) => name === drop.name).indexOf(drop);
  return [...groupBy(kept.get(drop.name) ?? [], (row) => row.fileId).values()][place] ?? [];
}

/** Returns the names under which more files were taken than dropped. */
function findUncounted(drops: readonly Drop[], kept: KeptByName): string[] {
  return [...groupBy(drops, ({ name }) => name)].flatMap(([name, dropped]) => {
    const files = new Set(kept.get(name)?.map((row) => row.fileId)).size;
    return files > dropped.length ? [`${name} is in the ledger ${files} times`] : [];
  });
}

/** Returns the payments that were charged to another merchant than the one for whom they were taken or moved. */
export function findWrongPayees(books: readonly BookRow[], drops: readonly Drop[]): string[] {
  const payees = new Map(
    drops
      .filter(({ verdict }) => verdict === 'accept' || verdict === 'altered')
      .flatMap((drop) => drop.rows.map((row) => [row.invoice, payeeOf(drop)] as const)),
  );
  return books
    .filter(({ invoice, account }) => payees.has(invoice) && payees.get(invoice) !== account)
    .map(({ invoice, account }) => `${invoice} was charged to ${account} and is for ${payees.get(invoice)}`);
}

const EVERY_ROW = `
  SELECT f.name, f.file_id AS "fileId", f.state AS "fileState", f.reason, r.line, r.invoice,
         r.amount_cents::float8 AS cents, b.state AS "batchState", o.outcome,
         EXISTS (SELECT 1 FROM forgotten_send g WHERE g.account = b.account AND g.sha256 = b.body_sha256) AS "isBarred",
         EXISTS (SELECT 1 FROM resubmitted_row s WHERE s.file_no = r.file_no AND s.line = r.line) AS "isMoved"
  FROM file f LEFT JOIN payment_row r USING (file_no)
  LEFT JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
  LEFT JOIN row_outcome o ON o.file_no = f.file_no AND o.line = r.line
  ORDER BY f.file_no, r.line`;

/** Returns whether a file that came again, also with an older ledger, is held because it was sent before. */
function isHeldAsSent([first]: readonly Kept[], isForgotten: boolean): boolean {
  return isForgotten && first?.fileState === 'held' && first.reason?.includes('sent before') === true;
}

type Booked = ReadonlyMap<string, readonly BookRow[]>;

type Double = { invoice: string; times: number };

function findDoubles(booked: Booked): Double[] {
  const doubles = [...booked].filter(([, rows]) => rows.length > 1);
  return doubles.map(([invoice, rows]) => ({ invoice, times: rows.length }));
}

/** Leaves out declined payments that a person has sent again once; a third try, or one that is not declined, stays. */
function withoutTries(booked: Booked, drops: readonly Drop[], reprocessed: ReadonlySet<string>): Booked {
  const again = new Set(drops.filter(({ account }) => reprocessed.has(account)).flatMap(invoicesOf));
  const isTriedAgain = (rows: readonly BookRow[]) =>
    rows.length === 2 && rows.every((row) => row.outcome === 'declined');
  return new Map([...booked].filter(([invoice, rows]) => !(again.has(invoice) && isTriedAgain(rows))));
}

function sayDouble({ invoice, times }: Double): string {
  return `${invoice} stands ${times} times in the books`;
}

/** Counts rows charged twice in accounts that nothing could protect. */
export function countExposed({ drops, books, accounts }: Pick<Evidence, 'drops' | 'books' | 'accounts'>): number {
  const unprotected = new Set(drops.filter((drop) => accounts.exposed.has(drop.account)).flatMap(invoicesOf));
  return findDoubles(groupBy(books, (row) => row.invoice)).filter(({ invoice }) => unprotected.has(invoice)).length;
}

function invoicesOf(drop: Drop): string[] {
  return drop.rows.map((row) => row.invoice);
}

function findStrangers(booked: Booked, drops: readonly Drop[]): string[] {
  const dropped = new Set(drops.flatMap((drop) => drop.rows.map((row) => row.invoice)));
  return [...booked.keys()].filter((invoice) => !dropped.has(invoice)).map((name) => `${name} was never dropped`);
}

/** Whether a person has canceled batches of a drop, and why. */
type Handled = { isCompared: boolean; isLeft: boolean };

function checkDrop(drop: Drop, kept: readonly Kept[], booked: Booked, handled: Handled): string[] {
  const [first] = kept;
  if (first === undefined) return [`${drop.name} is not in the ledger`];
  if (drop.verdict === 'refuse') return checkRefused(drop, first, booked, handled);
  const isRefused = first.fileState === 'held' || first.fileState === 'rejected';
  if (drop.verdict === 'again') return isRefused ? [] : [`${drop.name} came again and is ${first.fileState}`];
  if (drop.verdict === 'altered' && isRefused) return [];
  const isCanceled = handled.isCompared || handled.isLeft;
  const states = ['accepted', 'in_progress', 'completed', ...(isCanceled ? ['cancelled', 'partly_cancelled'] : [])];
  if (!states.includes(first.fileState)) return [`${drop.name} is ${first.fileState}: ${first.reason}`];
  if (kept.length !== drop.rows.length) return [`${drop.name} has ${kept.length} rows of ${drop.rows.length}`];
  const isDone = kept.every((row) => [null, 'reconciled', 'cancelled'].includes(row.batchState));
  const stuck =
    isDone === ['completed', 'cancelled', 'partly_cancelled'].includes(first.fileState)
      ? []
      : [`${drop.name} is ${first.fileState}, done: ${isDone}`];
  return [
    ...stuck,
    ...drop.rows.flatMap((row, index) => checkRow(row, kept[index]!, booked.get(row.invoice) ?? [], handled)),
  ];
}

function checkRefused(drop: Drop, { fileState }: Kept, booked: Booked, { isLeft }: Handled): string[] {
  const charged = drop.rows.filter((row) => booked.has(row.invoice));
  const isRefused = fileState === 'rejected' || fileState === 'held' || (isLeft && fileState === 'cancelled');
  return [
    ...(isRefused ? [] : [`${drop.name} should have been refused and is ${fileState}`]),
    ...charged.map((row) => `${row.invoice} of a refused file is in the books`),
  ];
}

function checkRow(row: DroppedRow, kept: Kept, booked: readonly BookRow[], { isLeft }: Handled): string[] {
  const say = (what: string) => [`${row.invoice}: ${what}`];
  if (kept.line !== row.line || kept.invoice !== row.invoice)
    return say(`line ${row.line} is line ${kept.line}, invoice ${kept.invoice} in the ledger`);
  if (!row.isValid) return kept.batchState === null && booked.length === 0 ? [] : say('it was withheld and was sent');
  if (kept.cents !== row.cents) return say(`${row.cents} cents are ${kept.cents} in the ledger`);
  const [book] = booked;
  if (book && book.amountCents !== row.cents) return say(`${row.cents} cents are ${book.amountCents} in the books`);
  switch (kept.batchState) {
    case 'reconciled':
      return kept.outcome === book?.outcome ? [] : say(`the ledger says ${kept.outcome}, the books ${book?.outcome}`);
    case 'ready':
      return book === undefined || kept.isBarred ? [] : say('it will be sent and is in the books');
    case 'unknown':
      return kept.outcome === null ? [] : say(`it is in doubt and has the outcome ${kept.outcome}`);
    // An operator cancels a batch only because it stands in the books, or because of whom its account means now.
    case 'cancelled':
      if (isLeft) return book === undefined || kept.isMoved ? [] : say('it was canceled as unsent and is in the books');
      return book ? [] : say('it was cancelled and is not in the books');
    case null:
    default:
      return say(`its batch is ${kept.batchState}, which is neither final nor listed as open`);
  }
}

/** Everything that the promises are checked with: what was dropped, what the service did, and where to look. */
export type Evidence = {
  /** The folder of each host. */
  readonly roots: readonly string[];
  /** Every send journal that existed. */
  readonly journals: readonly string[];
  readonly drops: readonly Drop[];
  readonly books: readonly BookRow[];
  readonly ledger: LedgerView;
  readonly accounts: Changed;
};

/** Returns what is wrong, in one sentence each; none when the promise holds. */
export type Check = (evidence: Evidence) => Promise<string[]>;
