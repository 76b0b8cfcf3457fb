import { FOLDER_OPERATIONS, type FolderOperation } from '../../../schemas/operations.ts';
import { isWide } from '../hosts/installation.ts';
import { readForgotten } from '../hosts/sends.ts';
import type { World } from '../world.ts';

type SeenRow = {
  name: string;
  line: number;
  account: string;
  operation: FolderOperation;
  invoice: string;
  cents: number | null;
  code: string;
  lastFour: string;
  /** Its present outcome; without one, the state of its batch. */
  outcome: string;
  batchId: string | null;
  position: number;
};

/**
 * Compares the ledger with the books of the service, which are the oracle. What they charged is approved in the ledger,
 * or in doubt and listed. What the ledger calls certainly not charged, they did not charge.
 */
export async function checkBooks(world: World): Promise<string[]> {
  const rows = await readRows(world);
  const forgotten = isWide(world) ? await readForgotten(world) : new Map<string, number>();
  return [...compareRows(world, rows), ...compareSums(world, rows, forgotten), ...(await findRepeats(world))];
}

async function readRows(world: World): Promise<SeenRow[]> {
  const { rows } = await world.office.pool.query<SeenRow>(
    `SELECT f.name, r.line, f.account, f.operation, r.invoice, r.amount_cents AS cents, r.customer_code AS code,
            r.last_four AS "lastFour", b.batch_id AS "batchId",
            coalesce(o.outcome, b.state, 'invalid') AS outcome,
            (row_number() OVER (PARTITION BY f.file_id, r.batch_no ORDER BY r.line))::int AS position
     FROM payment_row r JOIN file f USING (file_no)
     LEFT JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
     LEFT JOIN current_outcome o ON o.file_no = r.file_no AND o.line = r.line ORDER BY f.file_no, r.line`,
  );
  return rows;
}

/** Compares rows that have an outcome and a batch id: the outcome is that of the very same row in the books. */
function compareRows(world: World, rows: readonly SeenRow[]): string[] {
  const books = new Map(world.sandbox.books().map((row) => [`${row.account} ${row.batchId} ${row.position}`, row]));
  return rows.flatMap((row) => {
    if (row.batchId === null || !SERVICE_OUTCOMES.has(row.outcome)) return [];
    const { agentCode } = world.settings.accounts.get(row.account)!;
    const booked = books.get(`${agentCode} ${row.batchId} ${row.position}`);
    const isSame = booked?.invoice === row.invoice && booked.amountCents === row.cents;
    if (isSame && booked.outcome === row.outcome) return [];
    const said = booked ? `${booked.invoice} ${booked.amountCents} ${booked.outcome}` : 'nothing';
    return [`line ${row.line} of ${row.name} (${row.invoice} ${row.cents}) is ${row.outcome}, the books say ${said}`];
  });
}

const SERVICE_OUTCOMES = new Set(['approved', 'accepted_pending', 'declined', 'duplicate', 'format_error']);

/** Compares, for each key that both sides know, how often it was charged and how often it may have been. */
function compareSums(world: World, rows: readonly SeenRow[], forgotten: ReadonlyMap<string, number>): string[] {
  const charged = new Map<string, number>();
  for (const row of world.sandbox.books()) {
    if (!row.charged) continue;
    const key = [row.account, row.operation.toLowerCase(), row.invoice, row.amountCents, row.customerCode].join(' ');
    charged.set(key, (charged.get(key) ?? 0) + 1);
    world.totals.count('money', 'rows charged');
  }
  const known = new Map<string, { certain: number; possible: number }>();
  for (const row of rows) {
    const { agentCode } = world.settings.accounts.get(row.account)!;
    const operation = FOLDER_OPERATIONS[row.operation].operation.toLowerCase();
    const key = [agentCode, operation, row.invoice, row.cents, row.code].join(' ');
    const sum = known.get(key) ?? { certain: 0, possible: 0 };
    if (CHARGED.has(row.outcome)) sum.certain += 1;
    if (CHARGED.has(row.outcome) || IN_DOUBT.has(row.outcome)) sum.possible += 1;
    known.set(key, sum);
  }
  const keys = new Set([...charged.keys(), ...known.keys()]);
  return [...keys].flatMap((key) => {
    const times = charged.get(key) ?? 0;
    const { certain, possible } = known.get(key) ?? { certain: 0, possible: 0 };
    if (times > possible && world.installation.hasVouched) return [];
    if (times > possible + (forgotten.get(key) ?? 0)) {
      world.totals.count('money', 'rows charged that nobody knows of', times - possible);
      return [`charged ${times} times, of which the ledger knows ${possible}: ${key}`];
    }
    return times < certain ? [`approved ${certain} times, charged ${times} times: ${key}`] : [];
  });
}

const CHARGED = new Set(['approved', 'accepted_pending']);
/** Outcomes of rows and states of batches that tell a person that money may have moved. */
const IN_DOUBT = new Set(['unknown', 'exception']);

/**
 * Finds payments charged in several files, all but one of which need an approval by a person who saw why they were
 * held. Payments are compared by payer, amount and invoice, ignoring case, punctuation and leading zeros.
 */
async function findRepeats(world: World): Promise<string[]> {
  const { rows } = await world.office.pool.query<{ invoice: string; files: string[] }>(
    `SELECT invoice, array_agg(name) AS files
     FROM (SELECT DISTINCT f.file_id, f.name, f.account, way.sign, r.amount_cents, r.customer_code, r.last_four,
                  ltrim(regexp_replace(lower(r.invoice), '[^a-z0-9]', '', 'g'), '0') AS invoice,
                  EXISTS (SELECT 1 FROM audit a WHERE a.file_id = f.file_id AND a.move = 'approve') AS approved
           FROM payment_row r JOIN file f USING (file_no)
           JOIN (VALUES ('card', 1), ('ach-charge', 1), ('ach-refund', -1)) AS way (operation, sign) USING (operation)
           JOIN current_outcome o ON o.file_no = r.file_no AND o.line = r.line
           WHERE o.outcome IN ('approved', 'accepted_pending')) charged
     WHERE NOT approved
     GROUP BY account, sign, amount_cents, customer_code, last_four, invoice HAVING count(*) > 1`,
  );
  return rows.map(
    ({ invoice, files }) => `invoice ${invoice} was charged in ${files.join(' and ')}, and nobody approved it`,
  );
}
