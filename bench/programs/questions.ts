import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { pauseAccount, resumeAccount } from '../../src/ledger/account/pause-account.ts';
import { findInvoice } from '../../src/ledger/file/search.ts';
import { readOverview } from '../../src/ledger/overview/overview.ts';
import type { ChangedParts } from '../../src/web/live/changed-parts.ts';
import { openDashboard } from '../../src/web/open-dashboard.tsx';
import { DELIVER } from '../../workers/deliver/deliver.ts';
import { askForResult } from '../../workers/poll/poll.ts';
import { runOnce } from '../../workers/stage.ts';
import { sendBatches } from '../world/send-batches.ts';
import { printSample } from '../measure/report-sample.ts';
import { median } from '../measure/statistics.ts';
import { enterDashboard } from '../world/enter-dashboard.ts';
import { fillBusyDay, fillLedger, forceStatements } from '../world/fill-ledger.ts';
import { openBenchApp, takeInFile } from '../world/take-in-file.ts';

/**
 * `questions --root DIR --file FILE --rows N`: fills the ledger with N finished rows and times typical queries. It uses
 * the same functions, pages and commands as users.
 */
const { values } = parseArgs({
  options: {
    root: { type: 'string', default: '' },
    file: { type: 'string', default: '' },
    rows: { type: 'string', default: '' },
  },
});
const run = promisify(execFile);
const PAYDROP = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const TIMES = 20;
const VIEWERS = 50;
const WATCHED_MS = 10_000;
/** A page asks for its changes at most so often. */
const LIVE_EACH_MS = 2_000;

const app = await openBenchApp(values.root);
const fileId = await takeInFile(app, values.file);
await sendBatches(app);
await askForResult(app, { fileId, batchNo: 1 });
await runOnce(app, DELIVER);
const filled = performance.now();
const invoiceOf = await fillLedger(app, { fileId, rows: Number(values.rows) });
const fillSeconds = (performance.now() - filled) / 1_000;

const dashboard = await openDashboard(app, { ...app.settings.dashboard!, listen: { host: '127.0.0.1', port: 0 } });
const getPage = await enterDashboard(app, dashboard.url);
const paydrop = (...words: string[]) => run(process.execPath, [PAYDROP, '--dir', values.root, ...words, '--json']);
const figures: Record<string, number> = {
  ...(await ask('find', async (n) => expectOne(await findInvoice(app.ledger, invoiceOf(n / TIMES))))),
  ...(await ask('status', () => readOverview(app.ledger))),
  ...(await ask('front', () => getPage('/'))),
  ...(await ask('search', (n) => getPage(`/search?q=${invoiceOf(n / TIMES)}`))),
  ...(await ask('findCommand', (n) => paydrop('find', '--invoice', invoiceOf(n / TIMES)), 5)),
  ...(await ask('statusCommand', () => paydrop('status'), 5)),
  fillSeconds,
};
await fillBusyDay(app, { fileId });
Object.assign(figures, await ask('busyFront', () => getPage('/')), await askPages(), await watch(), await weigh());
printSample({ seconds: (figures['frontMs'] ?? 0) / 1_000, figures });
await dashboard.close();
await app.close();

/** Times every page of a busy day, those of its largest file among them, and returns the slowest. */
async function askPages(): Promise<Record<string, number>> {
  // The files of the busy day have batches, the others rows.
  const { rows: files } = await app.ledger.pool.query<{ id: string }>(
    `SELECT DISTINCT ON (file_no < 1000000) file_id AS id FROM file ORDER BY file_no < 1000000, valid_rows DESC, file_no`,
  );
  const tabsOf = ({ id }: { id: string }) =>
    ['overview', 'payments', 'batches', 'problems', 'outputs', 'history'].map((tab) => `files/${id}?tab=${tab}`);
  const id = files[1]!.id;
  const lists = ['needs', 'blocked', 'again', 'waiting', 'failed', 'finished'].map((list) => `queue?list=${list}`);
  const words = [
    'COPY2-00',
    '25.00',
    'last:0042 >20',
    'declined',
    'code:14',
    'today',
    'main',
    'copy-3',
    '1-100',
    'nothing',
  ];
  const searches = words.map((text) => `search?q=${encodeURIComponent(text)}`);
  const others = [
    'files',
    'files?name=copy',
    'files?sort=amount&dir=asc',
    'payments',
    'payments?account=main',
    'payments?issue=declined',
    `payments/${id}/50`,
    'queue?list=again&advice=all&account=main',
    'approvals',
    'accounts',
    'accounts/main',
    'schedules',
    'report',
    'report?account=main',
    'audit',
    `audit?file=${id}`,
    'people',
    'profiles',
    'me',
  ];
  let slowest = 0;
  for (const path of [...others, ...lists, ...searches, ...files.flatMap(tabsOf)].map((name) => `/${name}`)) {
    const { pageMs } = await ask('page', () => getPage(path), 5);
    if (pageMs! > Math.min(slowest, 100)) process.stderr.write(`${path}: ${Math.round(pageMs!)} ms\n`);
    slowest = Math.max(slowest, pageMs!);
  }
  return { slowestPageMs: slowest };
}

/** Keeps the work queue open 50 times for ten seconds, while something changes each second. */
async function watch(): Promise<Record<string, number>> {
  const because = { actor: 'operator:bench', reason: 'measuring' };
  const until = performance.now() + WATCHED_MS;
  const before = process.cpuUsage();
  const took: number[] = [];
  let bytes = 0;
  const view = async () => {
    const known = new Map<string, string>();
    while (performance.now() < until) {
      const started = performance.now();
      const parts = [...known].map(([name, hash]) => `${name}=${hash}`).join(',');
      const answer = await getPage('/queue', { 'x-live': '1', 'x-parts': parts });
      took.push(performance.now() - started);
      // The first answer is the whole page.
      if (known.size > 0) bytes += answer.bytes;
      for (const { name, hash } of (JSON.parse(answer.text) as ChangedParts).parts) known.set(name, hash);
      await sleep(LIVE_EACH_MS * (1 + Math.random() / 4));
    }
  };
  const change = async () => {
    for (let n = 0; performance.now() < until; n += 1) {
      await (n % 2 === 0 ? pauseAccount : resumeAccount)(app.ledger, 'main', because);
      await sleep(1_000);
    }
  };
  await Promise.all([change(), ...Array.from({ length: VIEWERS }, view)]);
  const { user, system } = process.cpuUsage(before);
  return {
    viewedMs: median(took),
    viewedSlowestMs: Math.max(...took),
    viewedBytes: (bytes * 1_000) / WATCHED_MS / VIEWERS,
    viewedProcessor: (user + system) / 1_000 / WATCHED_MS,
  };
}

/** What the ledger weighs, and how long it takes to vacuum it and to back it up. */
async function weigh(): Promise<Record<string, number>> {
  const { rows } = await app.ledger.pool.query<{ bytes: number }>(
    'SELECT pg_database_size(current_database())::float8 AS bytes',
  );
  const backup = join(values.root, 'ledger.backup');
  const vacuumed = performance.now();
  await forceStatements(app, ['VACUUM']);
  const begun = performance.now();
  await paydrop('backup', backup);
  return {
    ledgerGb: rows[0]!.bytes / 1e9,
    vacuumSeconds: (begun - vacuumed) / 1_000,
    backupSeconds: (performance.now() - begun) / 1_000,
    backupGb: (await stat(backup)).size / 1e9,
  };
}

/** Times the query, each time with another number; the first time the cache may be empty. */
async function ask(
  name: string,
  question: (n: number) => Promise<unknown>,
  times = TIMES,
): Promise<Record<string, number>> {
  const took: number[] = [];
  for (let n = 0; n < times; n += 1) {
    const started = performance.now();
    await question(n);
    took.push(performance.now() - started);
  }
  return { [`${name}FirstMs`]: took[0]!, [`${name}Ms`]: median(took), [`${name}SlowestMs`]: Math.max(...took) };
}

function expectOne(found: readonly unknown[]): void {
  if (found.length !== 1) throw new Error(`an invoice that stands once was found ${found.length} times`);
}
