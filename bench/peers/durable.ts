import { watch } from 'node:fs';
import { open, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DelayedError, type Job, Queue, Worker } from 'bullmq';
import pg from 'pg';
import { connect } from './afternoon/call-service.ts';
import { deliver } from './durable/deliver.ts';
import { type BatchKey, receiveResult, sendBatch } from './durable/send.ts';
import { TABLES } from './durable/tables.ts';
import { takeIn } from './durable/take-in.ts';

/**
 * `durable --service URL --redis SOCKET --taken DIR --out DIR DROP…`: what a competent engineer writes in a week so that
 * nothing is lost or sent twice in a crash: rows and batches in PostgreSQL (found through PGHOST and so on), a queue in
 * Redis. Takes files from the drop folders until it is stopped.
 */
const { values, positionals: drops } = parseArgs({
  allowPositionals: true,
  options: {
    service: { type: 'string', default: '' },
    redis: { type: 'string', default: '' },
    batch: { type: 'string', default: '500' },
    taken: { type: 'string', default: '' },
    out: { type: 'string', default: '' },
  },
});
const ASK_AGAIN_MS = 100;
const POLLS = 4;

const out = { path: values.out, folder: await open(values.out) };
const pool = new pg.Pool({ max: 10 });
await pool.query(TABLES);
const service = await connect(values.service);
const connection = { path: values.redis, maxRetriesPerRequest: null };
const jobs = { connection, defaultJobOptions: { removeOnComplete: true } };
const submits = new Queue<BatchKey>('submit', jobs);
const polls = new Queue<BatchKey>('poll', jobs);
const workers = [
  new Worker<BatchKey>('submit', submit, { connection, concurrency: 1, maxStalledCount: 0 }),
  new Worker<BatchKey>('poll', poll, { connection, concurrency: POLLS }),
];
for (const worker of workers) {
  worker.on('failed', (_, error) => process.stderr.write(`a job failed: ${error.message}\n`));
  worker.on('error', (error) => process.stderr.write(`${error.message}\n`));
}
await Promise.all([submits, polls, ...workers].map((each) => each.waitUntilReady()));
process.once('SIGTERM', () => process.exit());
await recover();
await takeDrops();

async function submit({ data }: Job<BatchKey>): Promise<void> {
  if (await sendBatch(pool, service, data)) await polls.add('poll', data);
}

async function poll(job: Job<BatchKey>, token?: string): Promise<void> {
  const { file } = job.data;
  const received = await receiveResult(pool, service, job.data);
  if (received.is === 'last') await deliver(pool, out, { file, name: received.name });
  if (received.is !== 'waiting') return;
  await job.moveToDelayed(Date.now() + ASK_AGAIN_MS, token);
  throw new DelayedError();
}

/** Continues what a crash interrupted, except calls: whether those were made, only a person can find out. */
async function recover(): Promise<void> {
  const known = await pool.query<{ name: string }>('SELECT name FROM file');
  const names = new Set(known.rows.map(({ name }) => name));
  for (const name of await readdir(values.taken)) if (!names.has(name)) await take(name);
  const unsent = await pool.query<BatchKey & { state: string }>(
    `SELECT file, no, state FROM batch WHERE state IN ('ready', 'submitted') ORDER BY file, no`,
  );
  for (const { state, ...key } of unsent.rows) await (state === 'ready' ? submits : polls).add('again', key);
  const whole = await pool.query<{ file: string; name: string }>(
    'SELECT id AS file, name FROM file WHERE open_batches = 0 AND delivered_at IS NULL',
  );
  for (const row of whole.rows) await deliver(pool, out, row);
}

async function takeDrops(): Promise<never> {
  let wake = () => {};
  for (const drop of drops) watch(drop, () => wake());
  process.stderr.write('the durable peer is running\n');
  for (;;) {
    // Before the look, so that no file can come between look and wait.
    const change = new Promise<void>((resolve) => (wake = resolve));
    for (const drop of drops) {
      for (const name of (await readdir(drop)).sort()) {
        await rename(join(drop, name), join(values.taken, name));
        await take(name);
      }
    }
    await change;
  }
}

async function take(name: string): Promise<void> {
  const path = join(values.taken, name);
  const { file, batches } = await takeIn(pool, { path, name, maxRows: Number(values.batch) });
  const keys = Array.from({ length: batches }, (_, index) => ({ file, no: index + 1 }));
  await submits.addBulk(keys.map((data) => ({ name: 'submit', data })));
  if (batches === 0) await deliver(pool, out, { file, name });
}
