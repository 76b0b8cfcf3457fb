import { chmod, copyFile, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVERY_ROLE } from '../../../schemas/jobs.ts';
import type { App } from '../../app.ts';
import { CONFIG_FILE, loadSettings, type Settings } from '../../config/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { CliCommand } from '../command.ts';
import { compareBooks } from './compare-books.ts';
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
import { createMasterKeyFile } from '../../crypto/master-key.ts';
import { packageRoot } from '../package-version.ts';
import { sayOut } from '../print/say.ts';

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
  sayOut(`Working in ${root}`);
  const sandbox = await startSandbox({ dataDir: `${root}/sandbox`, accounts: readAccounts(SANDBOX_ACCOUNTS) });
  try {
    sayOut(`The payment service of the sandbox listens on ${sandbox.url}`);
    await writeDemoConfig(root, sandbox.url);
    // Ignore the environment: the demo must never touch a database or queue in use.
    return await withApp(demoSettings(root), { log, env: {} }, async (app) => {
      await finishSamples(app, progress, stop);
      sayOut(`\n${await showResults(app)}`);
      const { text, status } = concludeDemo(await compareBooks(app, sandbox.books()));
      sayOut(`\n${text}\n\n${linesToTry(root)}`);
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
      sayOut(`The dashboard is open on ${url}. Ctrl-C ends it.`);
      sayOut(aboutFolders(app.settings.root));
      await aborted(stop);
    }),
  );
}

/** Returns how to go on from the samples while the demo runs. */
export function aboutFolders(root: string): string {
  return `Add a folder to ${join(root, CONFIG_FILE)} and run this; it is watched within seconds:\n  ${paydropLine(['--dir', root, 'init'])}`;
}

async function finishSamples(app: App, progress: ProgressLine, stop: AbortSignal): Promise<void> {
  const isIdle = await withWorkers(app, async (workers) => {
    sayOut('Database, queue and workers are up. Dropping the samples:');
    for (const drop of await dropSamples(app.settings.root)) sayOut(`  ${drop}`);
    return waitUntilIdle(app, workers, DEMO_TIMEOUT_MS, (text) => progress.show(text), stop);
  }).finally(() => progress.clear());
  if (!isIdle) {
    const reason = stop.aborted ? 'it was stopped' : undefined;
    throw new PipelineError('TIMED_OUT', 'finish the samples', reason, { next: 'Start the demo again.' });
  }
}

/** Returns the result of every file, then the output files of one as an example. */
export async function showResults(app: App): Promise<string> {
  const files = await readFileSummaries(app, new Date(0), app.settings.paths.out);
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

/** Creates a folder for one demo. Other users may pass through but not list it: the database may run as one of them. */
export async function makeScratchFolder(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-demo-'));
  await chmod(root, 0o711);
  return root;
}

/** Writes the sample configuration with this sandbox's address and waits short enough to watch. */
export async function writeDemoConfig(root: string, url: string): Promise<void> {
  const sample = await readFile(join(packageRoot(), 'samples', 'paydrop.yaml'), 'utf8');
  const config = sample
    .replaceAll('http://127.0.0.1:8899', url)
    .replaceAll(/^( +)(baseUrl: .*)$/gm, '$1$2\n$1poll: { firstMs: 500, factor: 1.2, longestMs: 1000 }')
    .replaceAll(/^( +)(operation: .*)$/gm, '$1$2\n$1complete: { by: quiet, quietMs: 600, probes: 3 }');
  await writeFile(join(root, 'paydrop.yaml'), `${config}\nrescanMs: 1000\nsweepMs: 2000\n`, { mode: 0o600 });
  const { paths, folders } = loadSettings(root, {});
  for (const dir of [paths.data, paths.out, paths.quarantine]) await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const folder of folders) await mkdir(folder.path, { recursive: true });
  createMasterKeyFile(paths.masterKey);
}

const VALID = [
  'card/card.csv',
  'card/card-code.csv',
  'card-canada/card-ca.csv',
  'ach-charge/ach.csv',
  'ach-charge/ach-code.csv',
  'ach-refund/ach.csv',
  'ach-refund/ach-code.csv',
] as const;

/**
 * Drops the samples: seven valid files, one with bad rows, one duplicate, one broken.
 * @returns a line of output for each
 */
export async function dropSamples(root: string): Promise<string[]> {
  const samples = join(packageRoot(), 'samples');
  for (const file of VALID) await copyFile(join(samples, file), join(root, 'drop', file));
  const card = await readFile(join(samples, 'card/card.csv'), 'utf8');
  await writeFile(join(root, 'drop/card/same-again.csv'), card);
  await writeFile(join(root, 'drop/card/some-bad-rows.csv'), spoilRows(card));
  await writeFile(join(root, 'drop/card/broken.csv'), card.replace('Grace', '"Grace').replaceAll('C-1', 'X-1'));
  return [
    ...VALID.map((file) => `drop/${file}`),
    'drop/card/some-bad-rows.csv  two rows have faults',
    'drop/card/same-again.csv     the same bytes as card.csv',
    'drop/card/broken.csv         a quote is never closed',
  ];
}

/** Spoils two rows of 24: an amount with a currency sign, a card number with a wrong digit. */
function spoilRows(card: string): string {
  return card
    .replaceAll('C-1', 'B-1')
    .split('\n')
    .map((line, index) => (index === 5 ? line.replace(/,(\d+\.\d\d),/, ',$$$1,') : line))
    .map((line, index) => (index === 9 ? line.replace('4222222222222220', '4222222222222221') : line))
    .join('\n');
}
