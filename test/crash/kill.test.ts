import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { type Installation, makeInstallation, sandboxAccounts } from '../support/installation.ts';
import { achRow, cardRow, codeRow, lines, upTo } from '../support/payment-rows.ts';
import { seededRandom } from '../support/random.ts';

/**
 * The whole process is killed again and again while it works, and started again. Each life has an account of its own, so
 * that a batch left in doubt (and its stopped account) does not keep the next life from having work.
 */
const KILLS = 24;
const SEED = 20_260_615;
const ROWS_A_FILE = 30;
const ACCOUNTS = upTo(KILLS).map((n) => `life-${n}`);

let sandbox: Sandbox;
let installation: Installation;

beforeAll(async () => {
  sandbox = await startSandbox({ batchDelayMs: 150, accounts: sandboxAccounts(ACCOUNTS) });
  installation = await makeInstallation({
    accounts: ACCOUNTS,
    serviceUrl: sandbox.url,
    settings: { batch: { maxRows: 10 } },
  });
  // The database is made before: it takes longer than most lives last.
  const first = await installation.run('status');
  expect(first.status, first.stderr).toBe(0);
});
afterAll(async () => {
  await installation?.remove();
  await sandbox?.close();
});

describe(`${KILLS} kills of the whole process at different moments`, () => {
  it('leave every row in exactly one outcome and no invoice twice in the books', async () => {
    const random = seededRandom(SEED);
    let inTheMiddle = 0;
    let databaseKills = 0;
    // The database stays up beside each life, as an orphan, unless it is killed as well.
    for (const account of ACCOUNTS) {
      await dropFiles(account);
      const paydrop = installation.spawn('start');
      await waitForLog(ACCOUNTS.indexOf(account) + 2);
      await waitForMoment(account, random);
      await paydrop.kill();
      if (isInTheMiddle(account)) inTheMiddle += 1;
      if (ACCOUNTS.indexOf(account) % 6 === 5 && killDatabase()) databaseKills += 1;
    }
    // Lives that ended before or after all work prove little, so a fair part must have been cut in it.
    expect(inTheMiddle).toBeGreaterThan(KILLS / 4);
    expect(databaseKills).toBeGreaterThan(0);
    const last = await installation.run('run', '--once', '--timeout', '60');
    expect([0, 4], last.stderr).toContain(last.status);
    await expectEveryRowOnce();
  }, 480_000);
});

async function dropFiles(account: string): Promise<void> {
  const numbers = upTo(ROWS_A_FILE);
  const invoice = (kind: string, n: number) => `${account}-${kind}-${n}`;
  await installation.drop(
    `${account}/card`,
    `${account}-card.csv`,
    lines(numbers.map((n) => cardRow(n, { invoice: invoice('C', n) }))),
  );
  await installation.drop(
    `${account}/ach-charge`,
    `${account}-ach.csv`,
    lines(numbers.map((n) => achRow(n, { invoice: invoice('A', n) }))),
  );
  await installation.drop(
    `${account}/ach-refund`,
    `${account}-back.csv`,
    lines(numbers.map((n) => codeRow(n, { invoice: invoice('R', n), amount: '-3.00' }))),
  );
}

/**
 * Every third life is cut at a random moment from its start; the others when the service has taken a random part of its
 * rows, and a little later, because on a slow machine most random moments would lie before anything happens.
 */
async function waitForMoment(account: string, random: () => number): Promise<void> {
  if (ACCOUNTS.indexOf(account) % 3 === 0) {
    await sleep(random() * 1_500);
    return;
  }
  const part = Math.floor(random() * 3 * ROWS_A_FILE);
  for (let waited = 0; waited < 15_000 && takenOf(account) <= part; waited += 2) await sleep(2);
  await sleep(random() * 40);
}

function takenOf(account: string): number {
  return sandbox.books().filter((row) => row.invoice.startsWith(`${account}-`)).length;
}

/** Some of its rows are with the service, some are not. */
function isInTheMiddle(account: string): boolean {
  return takenOf(account) > 0 && takenOf(account) < 3 * ROWS_A_FILE;
}

/** A random moment counts from when the process does something: its first log line. */
async function waitForLog(life: number): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 50) {
    const log = await readFile(join(installation.root, 'logs', `${life}.err`), 'utf8').catch(() => '');
    if (log !== '') return;
    await sleep(50);
  }
}

/** @returns whether there was one: a life that was cut short may not have started it again yet */
function killDatabase(): boolean {
  try {
    const [pid] = readFileSync(join(installation.root, 'data/postgres/data/postmaster.pid'), 'utf8').split('\n');
    return process.kill(Number(pid), 'SIGKILL');
  } catch {
    return false;
  }
}

async function expectEveryRowOnce(): Promise<void> {
  const inBooks = new Map<string, number>();
  for (const row of sandbox.books()) inBooks.set(row.invoice, (inBooks.get(row.invoice) ?? 0) + 1);
  expect([...inBooks].filter(([, times]) => times > 1)).toEqual([]);

  const outcomes = await outcomesByInvoice();
  const open = await openByInvoice();
  const wrong: string[] = [];
  for (const account of ACCOUNTS) {
    for (const kind of ['C', 'A', 'R']) {
      for (const n of upTo(ROWS_A_FILE)) {
        const invoice = `${account}-${kind}-${n}`;
        const places = [...(outcomes.get(invoice) ?? []), ...(open.get(invoice) ?? [])];
        const isCharged = inBooks.has(invoice);
        const [place] = places;
        const fits = place === 'unknown' || (place === 'ready' ? !isCharged : isCharged);
        if (places.length !== 1 || !fits)
          wrong.push(`${invoice}: ${places.join(' and ') || 'nowhere'}, in books ${isCharged}`);
      }
    }
  }
  expect(wrong).toEqual([]);
}

/** From the result files: what accounting reads. */
async function outcomesByInvoice(): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const out = join(installation.root, 'out');
  for (const name of (await readdir(out)).filter((file) => file.endsWith('.result.csv'))) {
    const [, ...rows] = (await readFile(join(out, name), 'utf8')).trimEnd().split('\r\n');
    for (const row of rows) {
      const [invoice = ''] = /life-\d+-[CAR]-\d+/.exec(row) ?? [];
      const [outcome = ''] = /APPROVED|ACCEPTED_PENDING/.exec(row) ?? [];
      found.set(invoice, [...(found.get(invoice) ?? []), outcome]);
    }
  }
  return found;
}

/** From the ledger: rows whose batch waits for a person, or waits behind such a batch of its account. */
async function openByInvoice(): Promise<Map<string, string[]>> {
  const place = { dataDir: join(installation.root, 'data') };
  const ledger = await openLedger(place, { clock: systemClock, log: silentLog() });
  try {
    const { rows } = await ledger.pool.query<{ invoice: string; state: string }>(
      `SELECT r.invoice, b.state FROM payment_row r JOIN file f USING (file_no)
       JOIN batch b ON b.file_id = f.file_id AND b.batch_no = r.batch_no
       WHERE NOT EXISTS (SELECT 1 FROM output o WHERE o.file_id = f.file_id AND o.kind = 'result')`,
    );
    const found = new Map<string, string[]>();
    for (const { invoice, state } of rows) found.set(invoice, [...(found.get(invoice) ?? []), state]);
    return found;
  } finally {
    await ledger.close();
  }
}
