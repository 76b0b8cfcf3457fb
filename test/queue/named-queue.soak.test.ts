import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countJobs, listIds, type NamedQueue, openNamedQueue, type QueueConnection } from '../../src/queue/named-queue.ts';
import { connectPostgres } from '../../src/queue/postgres-connection.ts';
import { QUEUE_OPTIONS } from '../../src/queue/queue-options.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';

let postgres: TestPostgres;
let connection: QueueConnection;
let queue: NamedQueue;
const errors: unknown[] = [];

beforeAll(async () => {
  postgres = await startTestPostgres();
  connection = await connectPostgres(postgres.connection, (error) => errors.push(error));
  queue = openNamedQueue('submit', connection, QUEUE_OPTIONS, (error) => errors.push(error));
});

afterAll(async () => {
  await queue.close();
  await connection.close();
  await postgres.stop();
});

describe('openNamedQueue', () => {
  it('gives every job our options', async () => {
    const job = await queue.add('submit', { fileId: 'f1', batchNo: 1 }, { jobId: 'job-one' });
    expect(job.opts).toMatchObject(QUEUE_OPTIONS.job);
    await queue.remove('job-one');
  });

  it('hears an error event, which would end the process otherwise', () => {
    queue.emit('error', new Error('connection lost'));
    expect(errors).toEqual([new Error('connection lost')]);
  });
});

describe('listIds and countJobs', () => {
  it('cope with 10,000 jobs', async () => {
    const jobs = Array.from({ length: 10_000 }, (_, index) => ({
      name: 'submit',
      data: { fileId: 'f1', batchNo: index + 1 },
      opts: { jobId: `job-submit-f1-${index + 1}`, delay: index % 2 === 0 ? 0 : 60_000 },
    }));
    await queue.addBulk(jobs);
    const ids = await listIds(queue, 'live');
    expect(ids.size).toBe(10_000);
    expect(ids.has('submit-f1-1') && ids.has('submit-f1-10000')).toBe(true);
    expect(await countJobs(queue)).toEqual({ waiting: 5_000, delayed: 5_000, active: 0, prioritized: 0, failed: 0 });
  });
});
