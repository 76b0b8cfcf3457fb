import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import type { BookRow } from '../../src/sandbox/books/book-row.ts';
import { groupBy } from '../../src/kernel/group-by.ts';
import type { Host } from './hosts.ts';
import type { ScaleDrop } from './run-scale.ts';

type Evidence = {
  service: { books(): Promise<BookRow[]> };
  pool: pg.Pool;
  site: Host;
  drops: readonly ScaleDrop[];
};

/** Checks books, ledger, outputs, and that each account was served in file order. Returns faults in sentences. */
export async function checkScale({ service, pool, site, drops }: Evidence): Promise<string[]> {
  const books = await service.books();
  return [
    ...checkBooks(books, drops),
    ...(await checkOutcomes(pool, books)),
    ...(await checkOrder(pool, books)),
    ...(await checkResults(pool, site, drops)),
  ];
}

function checkBooks(books: readonly BookRow[], drops: readonly ScaleDrop[]): string[] {
  const booked = groupBy(books, (row) => row.invoice);
  const dropped = drops.flatMap((drop) => drop.invoices);
  const wrong = dropped.filter((invoice) => booked.get(invoice)?.length !== 1);
  return [
    ...wrong.slice(0, 10).map((invoice) => `${invoice} stands ${booked.get(invoice)?.length ?? 0} times in the books`),
    ...(books.length === dropped.length ? [] : [`${books.length} rows in the books, ${dropped.length} were dropped`]),
  ];
}

async function checkOutcomes(pool: pg.Pool, books: readonly BookRow[]): Promise<string[]> {
  const { rows } = await pool.query<{ invoice: string; outcome: string | null; cents: number }>(
    `SELECT r.invoice, o.outcome, r.amount_cents::float8 AS cents FROM payment_row r
     LEFT JOIN row_outcome o ON o.file_no = r.file_no AND o.line = r.line`,
  );
  const booked = new Map(books.map((row) => [row.invoice, row]));
  const wrong = rows.filter(({ invoice, outcome, cents }) => {
    const book = booked.get(invoice);
    return book?.outcome !== outcome || book?.amountCents !== cents;
  });
  return wrong
    .slice(0, 10)
    .map(({ invoice, outcome }) => `${invoice} is ${outcome} in the ledger and not in the books`);
}

type SentBatch = { invoice: string; account: string; batch: string; place: number; accepted: Date; prepared: Date };

/** Longest time in ms between the time of a move and its commit. */
const COMMIT_MS = 2_000;

/** Checks that no batch was sent while an earlier one waited. Among accepted files, the one claimed first is next. */
async function checkOrder(pool: pg.Pool, books: readonly BookRow[]): Promise<string[]> {
  const { rows } = await pool.query<SentBatch>(
    `SELECT r.invoice, f.account, f.name || ' batch ' || b.batch_no AS batch, f.file_no::float8 * 1000 + b.batch_no AS place,
       (SELECT max(at) FROM audit a WHERE a.file_id = f.file_id AND a.move = 'accept') AS accepted,
       (SELECT max(at) FROM audit a WHERE a.file_id = f.file_id AND a.batch_no = b.batch_no AND a.move = 'prepare') AS prepared
     FROM payment_row r JOIN file f USING (file_no) JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     WHERE r.line = b.first_line`,
  );
  const firstRows = new Map(rows.map((row) => [row.invoice, row]));
  const sent = books.flatMap(({ invoice }) => firstRows.get(invoice) ?? []);
  return [...groupBy(sent, (batch) => batch.account).values()].flatMap((batches) =>
    batches.flatMap((late, index) => {
      const jumped = batches
        .slice(0, index)
        .find(({ place, prepared }) => place > late.place && +prepared > +late.accepted + COMMIT_MS);
      return jumped ? [`${jumped.batch} was sent before ${late.batch}, which was waiting`] : [];
    }),
  );
}

async function checkResults(pool: pg.Pool, site: Host, drops: readonly ScaleDrop[]): Promise<string[]> {
  const { rows } = await pool.query<{ file: string; name: string }>(
    `SELECT f.name AS file, o.name FROM output o JOIN file f USING (file_id) WHERE o.kind = 'result'`,
  );
  const nameOf = new Map(rows.map(({ file, name }) => [file, name]));
  const present = new Set(await readdir(join(site.root, 'out')));
  const failures: string[] = [];
  for (const { name, invoices } of drops) {
    const result = nameOf.get(name);
    if (result === undefined || !present.has(result)) failures.push(`${name} has no result`);
    else if (!(await holdsInOrder(join(site.root, 'out', result), invoices)))
      failures.push(`the result of ${name} does not hold its rows in their order`);
  }
  return failures.slice(0, 10);
}

async function holdsInOrder(path: string, invoices: readonly string[]): Promise<boolean> {
  const [, ...written] = (await readFile(path, 'utf8')).trimEnd().split('\r\n');
  return (
    written.length === invoices.length &&
    invoices.every((invoice, index) => written[index]!.split(',').includes(invoice))
  );
}
