import { startWorkers } from '../../../workers/main.ts';
import { openApp } from '../../app.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { readOverview } from '../../ledger/queries/overview.ts';
import { type CliCommand, logOf, settingsOf } from '../command.ts';
import { progressLine } from '../progress.ts';
import { troubleStatus } from '../trouble-status.ts';
import { waitUntilIdle } from '../wait-until-idle.ts';

export const run: CliCommand = {
  name: 'run',
  about: 'Take everything that lies in the folders now to its end, then stop (for cron)',
  options: [['--timeout <seconds>', 'give up after this long; the work goes on at the next run', '3600']],
  required: [['--once', 'the only way to run: once, to the end']],
  async run(call) {
    const timeoutMs = Number(call.options['timeout']) * 1_000;
    if (!(timeoutMs > 0)) throw new PipelineError('USAGE', 'run', '--timeout wants a number of seconds above 0');
    const settings = settingsOf(call);
    const app = await openApp(settings, { log: logOf(settings), env: process.env });
    const startedAt = app.clock.now();
    const progress = progressLine();
    try {
      const workers = await startWorkers(app);
      const isIdle = await waitUntilIdle(app, workers, timeoutMs, (text) => progress.show(text));
      await workers.stop();
      progress.end();
      if (!isIdle) throw new PipelineError('TIMED_OUT', 'bring everything to its end');
      return troubleStatus(await readOverview(app.ledger), await countRejectedSince(app, startedAt));
    } finally {
      await app.close();
    }
  },
};

async function countRejectedSince(app: Awaited<ReturnType<typeof openApp>>, since: Date): Promise<number> {
  const { rows } = await app.ledger.pool.query<{ files: number }>(
    `SELECT count(*) AS files FROM file WHERE state = 'rejected' AND state_at >= $1`,
    [since],
  );
  return rows[0]!.files;
}
