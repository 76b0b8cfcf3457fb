import { EXIT } from '../../../schemas/errors.ts';
import { startWorkers } from '../../../workers/main.ts';
import { openApp } from '../../app.ts';
import { loadSettings } from '../../kernel/config.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { openLog } from '../../kernel/log.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { CliCommand } from '../command.ts';
import { compareBooks } from '../demo/compare-books.ts';
import { dropSamples } from '../demo/drop-samples.ts';
import { makeScratchFolder, writeDemoConfig } from '../demo/scratch-folder.ts';
import { showResults } from '../demo/show-results.ts';
import { progressLine } from '../progress.ts';
import { waitUntilIdle } from '../wait-until-idle.ts';

/** Longer than any machine needs; the demo takes about 15 s. */
const DEMO_TIMEOUT_MS = 120_000;

export const demo: CliCommand = {
  name: 'demo',
  about: 'Show the whole way with sample files in a scratch folder: database, service and workers included',
  async run() {
    const root = await makeScratchFolder();
    console.log(`Working in ${root}`);
    const sandbox = await startSandbox({ dataDir: `${root}/sandbox`, accounts: DEMO_ACCOUNTS });
    console.log(`The payment service of the sandbox listens on ${sandbox.url}`);
    await writeDemoConfig(root, sandbox.url);
    const settings = loadSettings(root, {});
    const log = openLog({ level: process.env['PAYDROP_LOG_LEVEL'] ?? 'warn' });
    const app = await openApp(settings, { log, env: {} });
    const progress = progressLine();
    try {
      const workers = await startWorkers(app);
      console.log('Database, queue and workers are up. Dropping the samples:');
      for (const drop of await dropSamples(root)) console.log(`  ${drop}`);
      const isIdle = await waitUntilIdle(app, workers, DEMO_TIMEOUT_MS, (text) => progress.show(text));
      await workers.stop();
      progress.end();
      if (!isIdle) throw new PipelineError('TIMED_OUT', 'bring the samples to their end');
      console.log(`\n${await showResults(app)}\n`);
      const differences = await compareBooks(app, sandbox.books());
      console.log(differences.length === 0 ? AGREE : ['The three do NOT agree:', ...differences].join('\n'));
      console.log(`\nLook around: npx paydrop --dir ${root} status | show card.csv | find --invoice C-1002`);
      return differences.length === 0 ? EXIT.ok : EXIT.exception;
    } finally {
      await app.close();
      await sandbox.close();
    }
  },
};

const DEMO_ACCOUNTS = [
  { agentCode: 'TEST88', password: 'TEST88' },
  { agentCode: 'TESTCA', password: 'TESTCA' },
];

const AGREE = 'The books of the service, the ledger and the output files agree, row by row and to the cent.';
