import { monitorEventLoopDelay } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { DELIVER } from '../../workers/deliver/deliver.ts';
import { INTAKE } from '../../workers/intake/intake.ts';
import { askForResult } from '../../workers/poll/poll.ts';
import { runOnce } from '../../workers/stage.ts';
import { sendBatches } from '../world/send-batches.ts';
import { printSample } from '../measure/report-sample.ts';
import { startStopWatch } from '../measure/processor-time.ts';
import { claimFile, confirmProfile, openBenchApp } from '../world/take-in-file.ts';

/**
 * `stations --root DIR --file FILE [--until intake] [--profile]`: takes one file through the production stages in one process and
 * times each. Also reports the event-loop delay and the processor time.
 */
const { values } = parseArgs({
  options: {
    root: { type: 'string', default: '' },
    file: { type: 'string', default: '' },
    until: { type: 'string' },
    profile: { type: 'boolean' },
  },
});
const app = await openBenchApp(values.root);
if (values.profile) await confirmProfile(app);
const figures: Record<string, number> = {};

const fileId = await timed('claim', () => claimFile(app, values.file));
await timed('intake', () => runOnce(app, INTAKE));
const batches = await listBatches();
if (values.until !== 'intake') {
  await timed('submit', () => sendBatches(app));
  await timed('poll', () => oneByOne(async (key) => void (await askForResult(app, key))));
  await timed('deliver', () => runOnce(app, DELIVER));
}
Object.assign(figures, await readState());
const seconds = Object.entries(figures).reduce((sum, [name, value]) => sum + (name.endsWith('Seconds') ? value : 0), 0);
printSample({ seconds, figures });
await app.close();

/** Samples the event loop every 10 ms; the delay is the lateness beyond that. */
async function timed<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const resolution = 10;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const stopWatch = startStopWatch(process.pid, values.root);
  const started = performance.now();
  const result = await work();
  figures[`${name}Seconds`] = (performance.now() - started) / 1_000;
  const { processorMs, databaseMs } = stopWatch();
  Object.assign(figures, { [`${name}ProcessorMs`]: processorMs, [`${name}DatabaseMs`]: databaseMs });
  delay.disable();
  const lateMs = (ns: number) => Math.max(0, ns / 1e6 - resolution);
  figures[`${name}DelayP99Ms`] = delay.count > 0 ? lateMs(delay.percentile(99)) : 0;
  figures[`${name}DelayMaxMs`] = delay.count > 0 ? lateMs(delay.max) : 0;
  return result;
}

async function listBatches(): Promise<number[]> {
  const sql = 'SELECT batch_no FROM batch WHERE file_id = $1 ORDER BY batch_no';
  const { rows } = await app.ledger.pool.query<{ batch_no: number }>(sql, [fileId]);
  return rows.map((row) => row.batch_no);
}

async function oneByOne(work: (key: { fileId: string; batchNo: number }) => Promise<void>): Promise<void> {
  for (const batchNo of batches) await work({ fileId, batchNo });
}

type FileState = { state: string; reason: string | null; records: number; valid_rows: number };

/** @throws Error when the file does not reach the expected state */
async function readState(): Promise<Record<string, number>> {
  const sql = 'SELECT state, reason, records, valid_rows FROM file WHERE file_id = $1';
  const { rows } = await app.ledger.pool.query<FileState>(sql, [fileId]);
  const wanted = values.until === 'intake' ? 'accepted' : 'completed';
  if (rows[0]?.state !== wanted) throw new Error(`the file is ${rows[0]?.state}: ${rows[0]?.reason}`);
  return { rows: rows[0].records, valid: rows[0].valid_rows };
}
