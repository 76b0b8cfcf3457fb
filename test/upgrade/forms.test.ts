import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { PoolClient } from 'pg';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { admit } from '../../src/ledger/admission/admit.ts';
import { openSendJournal } from '../../src/ledger/admission/send-journal.ts';
import { fillSchema } from '../../src/ledger/backup/restore-backup.ts';
import { findSendable } from '../../src/ledger/batch/due-work.ts';
import { prepareBatch } from '../../src/ledger/batch/prepare-batch.ts';
import { buildSchema, inSchemaLock, listMigrations } from '../../src/ledger/engine/migrate.ts';
import { openLedger, openPool } from '../../src/ledger/engine/open-ledger.ts';
import type { Queryable } from '../../src/ledger/engine/transaction.ts';
import { verifyAudit } from '../../src/ledger/overview/verify-audit.ts';
import { runHere } from '../cli/support/run-here.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';

const FORMS = fileURLToPath(new URL('../ledger/forms/', import.meta.url));
const NAMES = ['0018', '0029', '0031', '0035', '0041', '0045', '0046', '0047', '0048'];
const ACCOUNTS = ['done', 'doubt', 'held', 'later', 'pause', 'refused', 'slow'];
const options = { clock: systemClock, log: silentLog() };

let root: string;
let postgres: TestPostgres;

/** Loads a form as its version left it, into an empty database. */
async function load(name: string): Promise<void> {
  postgres = await startTestPostgres({ schema: 'empty' });
  root = await mkdtemp(join(tmpdir(), 'paydrop-form-'));
  const form = join(FORMS, name);
  await mkdir(join(root, 'data', 'journal'), { recursive: true });
  await copyFile(join(form, 'sends.jsonl'), join(root, 'data', 'journal', 'sends.jsonl'));
  await copyFile(join(form, 'master.key'), join(root, 'data', 'master.key'));
  await chmod(join(root, 'data', 'master.key'), 0o600);
  await writeFile(join(root, 'form.backup'), gunzipSync(await readFile(join(form, 'ledger.backup.gz'))));
  await writeFile(join(root, 'paydrop.yaml'), settings(), { mode: 0o600 });
  vi.stubEnv('DATABASE_URL', postgres.url);
  vi.stubEnv('PAYDROP_LOG_LEVEL', 'silent');
  await inSchema((client) => fillSchema(client, join(root, 'form.backup')));
}

/** Nothing answers there: no call of a test could leave. */
function settings(): string {
  const account = { agentCode: 'NOBODY', server: 'NA', country: 'US', currency: 'USD', timeZone: 'America/New_York' };
  const all = { ...account, password: 'TEST88', baseUrl: 'http://127.0.0.1:9' };
  const folders = ACCOUNTS.map((name) => ({ path: `drop/${name}`, account: name, operation: 'card' }));
  return JSON.stringify({ accounts: Object.fromEntries(ACCOUNTS.map((name) => [name, all])), folders });
}

async function inSchema<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
  const pool = openPool({ connectionString: postgres.url }, { log: silentLog(), answerMs: 0 });
  try {
    const client = await pool.connect();
    return await inSchemaLock(client, () => work(client)).finally(() => client.release(true));
  } finally {
    await pool.end();
  }
}

afterEach(async () => {
  vi.unstubAllEnvs();
  await postgres.stop();
  await rm(root, { recursive: true, force: true });
});

/** What every form can tell of itself, in columns that each has. */
async function readStates(client: Queryable) {
  const of = async (statement: string) => (await client.query(statement)).rows;
  return {
    files: await of('SELECT file_id, name, account, state, valid_rows, valid_cents::text FROM file ORDER BY file_id'),
    batches: await of(
      `SELECT file_id, batch_no, account, state, attempt, rows, cents::text, batch_id, not_before, polls, next_poll_at
       FROM batch ORDER BY file_id, batch_no`,
    ),
    attempts: await of('SELECT file_id, batch_no, attempt, verdict FROM attempt ORDER BY file_id, batch_no, attempt'),
    rows: await of(
      'SELECT file_no, line, batch_no, invoice, amount_cents::text, outcome FROM payment_row LEFT JOIN row_outcome USING (file_no, line) ORDER BY file_no, line',
    ),
    forgotten: await of('SELECT file_id, batch_no, attempt, account FROM forgotten_send ORDER BY file_id'),
    stops: await of('SELECT account FROM account_stop ORDER BY account'),
    outputs: await of('SELECT file_id, kind, name, bytes::text FROM output ORDER BY file_id, kind'),
    links: await of(`SELECT seq::text, move, reason, encode(hash, 'hex') AS hash FROM audit ORDER BY seq`),
  };
}

type States = Awaited<ReturnType<typeof readStates>>;

/** Each account of a form stands for one thing that waits. */
function expectWhole({ files, batches, forgotten, stops }: States): void {
  expect(files.map(({ account, state }) => `${account} ${state}`).toSorted()).toEqual([
    'done completed',
    'doubt in_progress',
    'held held',
    'pause accepted',
    'refused in_progress',
    'slow in_progress',
  ]);
  const statesOf = (name: string) => batches.filter(({ account }) => account === name).map(({ state }) => state);
  expect(Object.fromEntries(ACCOUNTS.map((name) => [name, statesOf(name)]))).toEqual({
    done: ['reconciled', 'reconciled'],
    doubt: ['unknown', 'ready'],
    held: ['ready'],
    later: [],
    pause: ['ready', 'ready'],
    refused: ['refused', 'ready'],
    slow: ['submitted', 'submitted'],
  });
  expect(forgotten).toMatchObject([{ account: 'later' }]);
  expect(stops).toEqual([{ account: 'later' }, { account: 'pause' }]);
}

/** Opens the ledger as this version does, and shows that it is as it was and that nothing of it can leave. */
async function expectSame(before: States): Promise<void> {
  const ledger = await openLedger({ url: postgres.url }, options);
  const journal = await openSendJournal(join(root, 'data', 'journal', 'sends.jsonl'));
  try {
    expect(await readStates(ledger.pool)).toEqual(before);
    const trail = await verifyAudit(ledger);
    expect([trail.brokenAt, trail.links]).toEqual([undefined, before.links.length]);
    expect(await findSendable(ledger), 'before a host has entered').toEqual([]);
    const admission = await admit(ledger, journal, { name: 'vm' });
    expect(admission.recalled, 'the journal knows nothing that the ledger does not').toEqual([]);
    if (!('sender' in admission)) throw new Error(`it is not opened: ${JSON.stringify(admission.waits)}`);
    ledger.admitted.sender = admission.sender;
    for (const { file_id: fileId, batch_no: batchNo } of before.batches as { file_id: string; batch_no: number }[])
      expect(await prepareBatch(ledger, { fileId, batchNo }, 60_000), `${fileId}/${batchNo}`).toBeUndefined();
    const { batches, attempts, forgotten } = await readStates(ledger.pool);
    expect({ batches, attempts, forgotten }).toEqual({
      batches: before.batches,
      attempts: before.attempts,
      forgotten: before.forgotten,
    });
  } finally {
    await journal.close();
    await ledger.close();
  }
}

/** What a person sees of it; of the forms between the first and the last, one page is enough. */
const SHOWN: readonly (readonly [expected: RegExp, ...words: string[]])[] = [
  [/^doubt .*doubt\.csv +in doubt/m, 'status'],
  [/ECONNRESET/, 'why', 'doubt.csv/1'],
  [/D-2/, 'find', 'D-2'],
  [/done\.csv/, 'show', 'done.csv'],
  [/complete/, 'audit', 'verify'],
  [/later/, 'account', 'list'],
];

describe.each(NAMES)('a ledger up to migration %s', (name) => {
  it('is brought up to date with every state as it was, nothing sendable, and readable', async () => {
    await load(name);
    const before = await inSchema(readStates);
    expectWhole(before);
    await expectSame(before);
    const isAtEnd = name === NAMES[0] || name === NAMES.at(-1);
    for (const [expected, ...words] of isAtEnd ? SHOWN : SHOWN.slice(0, 1)) {
      const { out, err } = await runHere(['--dir', root, ...words]);
      expect([words, err]).toEqual([words, '']);
      expect(out).toMatch(expected);
    }
  });
});

describe('a ledger', () => {
  it('can stop at each migration since the first form', async () => {
    await load('0018');
    const before = await inSchema(readStates);
    const all = await listMigrations();
    for (let count = 19; count < all.length; count += 1)
      await inSchema((client) => buildSchema(client, all.slice(0, count)));
    await expectSame(before);
  });

  it('of a newer version is refused by every command, and stays as it is', async () => {
    await load('0048');
    await inSchema((client) => client.query(`INSERT INTO migration (name) VALUES ('9999-newer.sql')`));
    const before = await inSchema(readStates);
    for (const words of [
      ['status'],
      ['run', '--once'],
      ['approve', 'held.csv', '--reason', 'x'],
      ['backup', join(root, 'b')],
    ]) {
      const { status, out, err } = await runHere(['--dir', root, ...words]);
      expect([words, status > 0, out, err]).toEqual([
        words,
        true,
        '',
        expect.stringContaining('"9999-newer.sql" was applied'),
      ]);
    }
    expect(await inSchema(readStates)).toEqual(before);
  });
});

it('has a form of the newest migration, or of one that only this version has', async () => {
  const kept = (await readdir(FORMS)).filter((name) => /^\d+$/.test(name)).toSorted();
  expect(kept).toEqual(NAMES);
});
