import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { findInvoice } from '../../src/ledger/file/search.ts';
import { readOverview } from '../../src/ledger/overview/overview.ts';
import { openDashboard } from '../../src/web/open-dashboard.tsx';
import { deliverFile } from '../../workers/deliver/deliver.ts';
import { pollBatch } from '../../workers/poll/poll.ts';
import { submitBatch } from '../../workers/submit/submit.ts';
import { printSample } from '../measure/report-sample.ts';
import { median } from '../measure/statistics.ts';
import { enterDashboard } from '../world/enter-dashboard.ts';
import { fillBusyDay, fillLedger } from '../world/fill-ledger.ts';
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
const PAYDROP = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const TIMES = 20;

const app = await openBenchApp(values.root);
const fileId = await takeInFile(app, values.file);
await submitBatch(app, { fileId, batchNo: 1 });
await pollBatch(app, { fileId, batchNo: 1 });
await deliverFile(app, { fileId });
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
Object.assign(figures, await ask('busyFront', () => getPage('/')));
printSample({ seconds: (figures['frontMs'] ?? 0) / 1_000, figures });
await dashboard.close();
await app.close();

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
