import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { groupBy } from '../../../src/kernel/group-by.ts';
import { findCanaries } from '../../support/canaries.ts';
import type { LedgerView, StoryHost, StoryWorld } from '../support/story-world.ts';
import type { Check } from './check-rows.ts';
import { openApp } from '../../../src/app.ts';
import { loadSettings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import type { Drop } from '../support/make-drops.ts';

/** Checks that the journal knows all that was sent, that the audit trail is whole, and that money adds up. */
export const checkLedger: Check = async (evidence) => [
  ...(await checkJournal(evidence)),
  ...(await checkChain(evidence)),
  ...(await checkMoney(evidence)),
];

const checkJournal: Check = async ({ journals, books, drops, ledger, accounts: { forgotten } }) => {
  const accountOf = new Map(drops.flatMap((drop) => drop.rows.map((row) => [row.invoice, drop.account] as const)));
  const sent = await ledger.query<{ invoice: string; batch: string }>(
    `SELECT r.invoice, f.file_id || '/' || r.batch_no AS batch FROM payment_row r JOIN file f USING (file_no)
     WHERE r.batch_no IS NOT NULL`,
  );
  // A payment that came again is in a file that was refused, too.
  const batchesOf = groupBy(sent, (row) => row.invoice);
  const texts = await Promise.all(journals.map((path) => readFile(path, 'utf8').catch(() => '')));
  const sends = texts.flatMap((text) => text.split('\n').flatMap(sendOfLine));
  const noted = new Set(sends.map((send) => send.batch));
  const missing = books
    .filter(({ invoice }) => !forgotten.has(accountOf.get(invoice) ?? ''))
    .map(({ invoice }) => (batchesOf.get(invoice) ?? []).map((row) => row.batch))
    .filter((batches) => !batches.some((batch) => noted.has(batch)))
    .map(([batch]) => batch);
  return [
    ...[...new Set(missing)].map((batch) => `batch ${batch} is in the books and not in the send journal`),
    // This includes what the ledger has forgotten: each batch in the books is a call of its own.
    ...[...forgotten].flatMap((account) => {
      const booked = new Set(books.filter((row) => accountOf.get(row.invoice) === account).map((row) => row.batchId));
      const calls = new Set(sends.filter((send) => send.account === account).map((send) => send.call));
      if (booked.size <= calls.size) return [];
      return [`${account} has ${booked.size} batches in the books and ${calls.size} calls in the send journals`];
    }),
  ];
};

type Send = { account: string; batch: string; call: string };

/** Returns the send of a line. A line that a crash cut short was never acted upon. */
function sendOfLine(line: string): Send[] {
  try {
    const { account, fileId, batchNo, call } = JSON.parse(line) as Record<string, string>;
    return call === undefined ? [] : [{ account: account!, batch: `${fileId}/${batchNo}`, call }];
  } catch {
    return [];
  }
}

const checkChain: Check = async ({ ledger }) => {
  const rows = await ledger.query<{ chain: string }>(
    `WITH links AS (
       SELECT chain, link_no, previous, hash, lag(hash) OVER (PARTITION BY chain ORDER BY link_no) AS before,
              audit_link_hash(previous, chain, link_no, seq, at, actor, file_id, batch_no, move, from_state, to_state, reason,
                              evidence) AS again
       FROM audit)
     SELECT chain FROM links FULL JOIN audit_chain c USING (chain) GROUP BY chain, c.link_no
     HAVING count(*) FILTER (WHERE links.hash <> again OR previous <> before) > 0
       OR count(*) IS DISTINCT FROM c.link_no OR max(links.link_no) IS DISTINCT FROM c.link_no`,
  );
  return rows.map(({ chain }) => `the audit chain "${chain}" is broken`);
};

const checkMoney: Check = async ({ drops, ledger, accounts: { forgotten } }) => {
  const sums = await ledger.query<{ name: string; rows: number; cents: number }>(
    `SELECT f.name, sum(b.rows)::int AS rows, sum(b.cents)::float8 AS cents FROM batch b JOIN file f USING (file_id)
     WHERE f.state NOT IN ('held', 'rejected') GROUP BY f.file_id`,
  );
  const byName = new Map(sums.map((sum) => [sum.name, sum]));
  const accepted = drops.filter((drop) => drop.verdict === 'accept' && !forgotten.has(drop.account));
  return accepted.flatMap(({ name, rows }) => {
    const valid = rows.filter((row) => row.isValid);
    const cents = valid.reduce((sum, row) => sum + row.cents, 0);
    const found = byName.get(name);
    if (found?.rows === valid.length && found.cents === cents) return [];
    return [`${name} has ${valid.length} rows and ${cents} cents, its batches ${found?.rows} and ${found?.cents}`];
  });
};

/**
 * Checks that no number from the files is readable in anything left behind: data folders, raw database files, outputs,
 * logs, books, a dump of every table, and Redis.
 * @param redis every value in Redis, when it holds the queue
 */
export async function checkNumbers(
  { hosts, kept, ledger }: Pick<StoryWorld, 'hosts' | 'kept' | 'ledger'>,
  numbers: readonly string[],
  redis: readonly Buffer[],
): Promise<string[]> {
  const [{ root: first }] = hosts as readonly [StoryHost];
  await dumpTables(ledger, join(first, 'logs', 'dump.sql'));
  await writeAll(join(first, 'logs', 'redis.dump'), redis);
  const names = ['data', 'out', 'logs', 'quarantine', 'incoming'];
  const places = hosts.flatMap(({ root }) => names.map((name) => join(root, name)));
  const found = await findCanaries(await existing([...places, ...kept]), numbers);
  return found.map((place) => `a number of a payer is readable: ${place}`);
}

async function dumpTables(ledger: LedgerView, path: string): Promise<void> {
  const tables = await ledger.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname LIKE 'paydrop%'`,
  );
  const texts: Buffer[] = [];
  for (const { name } of tables) {
    const rows = await ledger.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    texts.push(Buffer.from(`-- ${name}\n${rows.map(({ row }) => row).join('\n')}\n`));
  }
  await writeAll(path, texts);
}

async function writeAll(path: string, parts: readonly Buffer[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const part of parts) await file.appendFile(part);
  } finally {
    await file.close();
  }
}

async function existing(places: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    places.map((place) =>
      open(place, 'r').then(
        async (folder) => {
          await folder.close();
          return [place];
        },
        () => [],
      ),
    ),
  );
  return found.flat();
}

type Output = { name: string; kind: string; sha256: string; bytes: number; drop: string; state: string };

/** Checks that due files exist, whole and as noted in the ledger, and that results have all rows in input order. */
export const checkOutputs: Check = async ({ roots, drops, ledger, accounts: { forgotten } }) => {
  const outputs = await ledger.query<Output>(
    `SELECT o.name, o.kind, o.sha256, o.bytes::float8 AS bytes, f.name AS drop, f.state
     FROM output o JOIN file f USING (file_id)`,
  );
  const texts = new Map((await Promise.all(roots.map((root) => readAll(join(root, 'out'))))).flat());
  const kept = new Set((await ledger.query<{ name: string }>('SELECT name FROM file')).map(({ name }) => name));
  const known = drops.filter((drop) => kept.has(drop.name) || !forgotten.has(drop.account));
  const noted = new Set(outputs.map((output) => output.name));
  // With an older ledger in place, the outputs it forgot are still there.
  const strange = forgotten.size > 0 ? [] : [...texts.keys()].filter((name) => !noted.has(name));
  return [
    ...outputs.flatMap((output) => checkBytes(output, texts.get(output.name))),
    ...strange.map((name) => `output ${name} is not in the ledger`),
    ...known.flatMap((drop) =>
      checkDue(
        drop,
        outputs.filter((output) => output.drop === drop.name),
        forgotten.has(drop.account),
      ),
    ),
    ...known.flatMap((drop) => {
      const result = outputs.find((output) => output.drop === drop.name && output.kind === 'result');
      return result ? checkOrder(drop, String(texts.get(result.name))) : [];
    }),
  ];
};

/** Reads all outputs but the unfinished ones, which begin with a dot. */
async function readAll(out: string): Promise<(readonly [string, Buffer])[]> {
  const names = (await readdir(out)).filter((name) => !name.startsWith('.'));
  return Promise.all(names.map(async (name) => [name, await readFile(join(out, name))] as const));
}

function checkBytes({ name, sha256, bytes }: Output, text: Buffer | undefined): string[] {
  if (text === undefined) return [`output ${name} is in the ledger and not on the disk`];
  const isSame = text.length === bytes && createHash('sha256').update(text).digest('hex') === sha256;
  return isSame ? [] : [`output ${name} is not as it was written`];
}

function checkDue({ name, verdict }: Drop, outputs: readonly Output[], isForgotten: boolean): string[] {
  const kinds = new Set(outputs.map((output) => output.kind));
  const isRefused = kinds.has('nak') || kinds.has('held');
  const notice = verdict !== 'accept' || isForgotten ? isRefused || kinds.has('ack') : kinds.has('ack');
  const isDone = outputs.some(({ state }) => state === 'completed');
  const missing = isDone ? ['result', 'summary-json', 'summary-txt'].filter((kind) => !kinds.has(kind)) : [];
  return [
    ...(notice ? [] : [`${name} has no notice`]),
    ...missing.map((kind) => `${name} is completed without ${kind}`),
  ];
}

function checkOrder({ name, rows }: Drop, text: string): string[] {
  const [, ...lines] = text.trimEnd().split('\r\n');
  if (lines.length !== rows.length) return [`the result of ${name} has ${lines.length} rows of ${rows.length}`];
  const wrong = rows.filter((row, index) => {
    const cells = lines[index]!.split(',');
    return cells[0] !== String(row.line) || !cells.includes(row.invoice);
  });
  return wrong.map((row) => `line ${row.line} of ${name} is not in its place in the result`);
}

/** Checks that every output, rebuilt from the ledger and the sealed original, has the same bytes. */
export async function checkRebuilt(hosts: readonly StoryHost[]): Promise<string[]> {
  const wrong = await Promise.all(hosts.map(checkHost));
  return wrong.flat();
}

/** Checks one host, because the originals of a site lie on its host. */
async function checkHost({ root, env }: StoryHost): Promise<string[]> {
  const settings = loadSettings(root, env);
  const app = await openApp(settings, { log: silentLog(), env });
  try {
    const wrong: string[] = [];
    const { rows: files } = await app.ledger.pool.query<FileRow>(
      'SELECT * FROM file LEFT JOIN file_secret USING (file_id) WHERE site = $1 ORDER BY file_no',
      [settings.site],
    );
    for (const file of files) {
      const checks = await rebuildOutputs(app, file).catch((error: unknown) => {
        wrong.push(
          `outputs of ${file.name} of ${file.site}, claimed ${file.claimed_at.toISOString()}: ${String(error)}`,
        );
        return [];
      });
      for (const { name, onDisk, rebuilt } of checks) {
        if (onDisk !== 'same' || rebuilt !== 'same')
          wrong.push(`output ${name}: on the disk ${onDisk}, again ${rebuilt}`);
      }
    }
    return wrong;
  } finally {
    await app.close();
  }
}
