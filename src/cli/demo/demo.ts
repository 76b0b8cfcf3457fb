import { EVERY_ROLE } from '../../../schemas/jobs.ts';
import type { App } from '../../app.ts';
import { loadSettings, type Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { CliCommand } from '../command.ts';
import { compareBooks } from './compare-books.ts';
import { dropSamples, makeScratchFolder, writeDemoConfig } from './scratch-folder.ts';
import { openCommandLog } from '../open-command-log.ts';
import { type ProgressLine, progressLine } from '../print/progress.ts';
import { readAccounts, SANDBOX_ACCOUNTS } from '../commands/sandbox.ts';
import { aborted, withStopSignal } from '../process/stop-signal.ts';
import { waitUntilIdle, withWorkers } from '../process/with-workers.ts';
import { withApp } from '../process/with-app.ts';
import { withDashboard } from '../process/with-dashboard.ts';
import { EXIT } from '../../../schemas/errors.ts';
import { byNumber, counted } from '../../kernel/counted.ts';
import { fileSummaryTable, readFileSummaries } from '../process/run.ts';
import { paydropLine } from '../print/paydrop-line.ts';

/** Longer than any machine needs; the demo takes about 15 s. */
const DEMO_TIMEOUT_MS = 120_000;

export const demo: CliCommand = {
  name: 'demo',
  about: 'Process sample files in a scratch folder, with its own database, service and workers',
  options: [['--keep', 'keep it running with its dashboard, until Ctrl-C']],
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
    throw new PipelineError('TIMED_OUT', 'finish the samples', reason, { next: 'Start the demo again.' });
  }
}

/** Returns the result of every file, then the output files of one as an example. */
export async function showResults(app: App): Promise<string> {
  const files = await readFileSummaries(app.ledger, new Date(0), app.settings.paths.out);
  const example = files.find((file) => file.state === 'completed');
  const count = files.reduce((sum, file) => sum + file.outputs.length, 0);
  return [
    fileSummaryTable(files),
    `${counted(count, 'output file')} ${byNumber(count, 'is', 'are')} in ${app.settings.paths.out}. Those of ${example?.name}:`,
    example?.outputs.map((path) => `  ${path}`).join('\n'),
  ].join('\n\n');
}

/**
 * Returns the verdict in words and as exit status.
 * @param differences as `compareBooks` names them
 */
export function concludeDemo(differences: readonly string[]): { text: string; status: number } {
  if (differences.length === 0) return { text: AGREE, status: EXIT.ok };
  return { text: ['The three do NOT match:', ...differences].join('\n'), status: EXIT.exception };
}

const AGREE = 'The books of the service, the ledger and the output files match, row by row and to the cent.';

/** Returns lines to paste, for a user who wants to see more. */
export function linesToTry(root: string): string {
  const commands = [['status'], ['show', 'card.csv'], ['find', '--invoice', 'C-1002']];
  const lines = commands.map((words) => `  ${paydropLine(['--dir', root, ...words])}`);
  return ['Look around:', ...lines, '', `Remove the folder ${root} when you are done.`].join('\n');
}
