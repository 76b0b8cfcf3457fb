import { EVERY_ROLE } from '../../../schemas/roles.ts';
import type { App } from '../../app.ts';
import { loadSettings, type Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { CliCommand } from '../command.ts';
import { compareBooks } from '../demo/compare-books.ts';
import { dropSamples } from '../demo/drop-samples.ts';
import { makeScratchFolder, writeDemoConfig } from '../demo/scratch-folder.ts';
import { concludeDemo, linesToTry, showResults } from '../demo/show-results.ts';
import { openCommandLog } from '../open-command-log.ts';
import { type ProgressLine, progressLine } from '../print/progress.ts';
import { readAccounts, SANDBOX_ACCOUNTS } from '../sandbox-accounts.ts';
import { aborted, withStopSignal } from '../process/stop-signal.ts';
import { waitUntilIdle } from '../process/wait-until-idle.ts';
import { withApp } from '../process/with-app.ts';
import { withDashboard } from '../process/with-dashboard.ts';
import { withWorkers } from '../process/with-workers.ts';

/** Longer than any machine needs; the demo takes about 15 s. */
const DEMO_TIMEOUT_MS = 120_000;

export const demo: CliCommand = {
  name: 'demo',
  about: 'Show the whole way with sample files in a scratch folder: database, service and workers included',
  options: [['--keep', 'leave it running with the dashboard open in the browser, until Ctrl-C']],
  examples: ['demo', 'demo --keep'],
  run: (call) => withStopSignal((stop) => showDemo(stop, call.options['keep'] === true)),
};

async function showDemo(stop: AbortSignal, keep: boolean): Promise<number> {
  const progress = progressLine();
  const log = openCommandLog('warn', progress);
  const root = await makeScratchFolder();
  console.log(`Working in ${root}`);
  const sandbox = await startSandbox({ dataDir: `${root}/sandbox`, accounts: readAccounts(SANDBOX_ACCOUNTS) });
  try {
    console.log(`The payment service of the sandbox listens on ${sandbox.url}`);
    await writeDemoConfig(root, sandbox.url);
    // Ignore the environment: the demo must never touch a database or queue in use.
    return await withApp(demoSettings(root), { log, env: {} }, async (app) => {
      await finishSamples(app, progress, stop);
      console.log(`\n${await showResults(app)}`);
      const { text, status } = concludeDemo(await compareBooks(app, sandbox.books()));
      console.log(`\n${text}\n\n${linesToTry(root)}`);
      if (keep) await keepOpen(app, stop);
      return status;
    });
  } finally {
    await sandbox.close();
  }
}

/** Uses any free port: a running paydrop may have the default one. */
function demoSettings(root: string): Settings {
  const settings = loadSettings(root, {});
  const dashboard = settings.dashboard && { ...settings.dashboard, listen: { host: '127.0.0.1', port: 0 } };
  return { ...settings, dashboard };
}

/** Runs workers and dashboard like "paydrop start", so that the user can drop files and watch. */
async function keepOpen(app: App, stop: AbortSignal): Promise<void> {
  await withWorkers(app, () =>
    withDashboard(app, EVERY_ROLE, async (url) => {
      console.log(`The dashboard is open on ${url}. Ctrl-C ends it.`);
      await aborted(stop);
    }),
  );
}

async function finishSamples(app: App, progress: ProgressLine, stop: AbortSignal): Promise<void> {
  const isIdle = await withWorkers(app, async (workers) => {
    console.log('Database, queue and workers are up. Dropping the samples:');
    for (const drop of await dropSamples(app.settings.root)) console.log(`  ${drop}`);
    return waitUntilIdle(app, workers, DEMO_TIMEOUT_MS, (text) => progress.show(text), stop);
  }).finally(() => progress.clear());
  if (!isIdle) {
    const reason = stop.aborted ? 'it was stopped' : undefined;
    throw new PipelineError('TIMED_OUT', 'bring the samples to their end', reason, { next: 'Start the demo again.' });
  }
}
