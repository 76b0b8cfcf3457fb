import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Payload } from '../../schemas/jobs.ts';
import { PipelineError } from '../../src/kernel/errors.ts';
import { type NamedQueue, openNamedQueue, type QueueConnection } from '../../src/queue/named-queue.ts';
import { connectPostgres } from '../../src/queue/postgres-connection.ts';
import { QUEUE_OPTIONS } from '../../src/queue/queue-options.ts';
import { FOREIGN_FAILURE } from '../../src/queue/safe-failure.ts';
import { closeWorker, startWorker } from '../../src/queue/start-worker.ts';
import { startTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { letTimeFly, logIntoLines, openGate } from './support/queue-world.ts';

const CARD = '4222222222222220';

let postgres: TestPostgres;
let connection: QueueConnection;
let queue: NamedQueue;

beforeAll(async () => {
  postgres = await startTestPostgres();
  connection = await connectPostgres(postgres.connection, () => {});
  queue = openNamedQueue('submit', connection, QUEUE_OPTIONS, () => {});
});

afterAll(async () => {
  await queue.close();
  await connection.close();
  await postgres.stop();
});

/** Works on the queue until nothing is left to run. */
async function workOff(handle: (payload: Payload<'submit'>) => Promise<void>) {
  const { log, lines } = logIntoLines();
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const worker = startWorker({
    name: 'submit',
    site: 'main',
    concurrency: 1,
    handle,
    connection,
    options: QUEUE_OPTIONS,
    log,
    onError,
  });
  await expect.poll(() => queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0);
  await worker.close();
  return { lines, errors };
}

async function failWith(error: unknown) {
  await queue.add('submit', { fileId: 'f1', batchNo: 1 }, { jobId: 'job-submit-f1-1' });
  const { lines } = await workOff(async () => {
    throw error;
  });
  const job = await queue.getJob('job-submit-f1-1');
  await queue.remove('job-submit-f1-1');
  return { job, lines };
}

describe('startWorker', () => {
  it.each([
    ['more than ids', { fileId: 'f1', batchNo: 1, cardNumber: CARD }],
    ['less than its ids', { fileId: 'f1' }],
    ['a text', CARD],
  ])('logs and drops a job that carries %s, without handling it', async (_what, data) => {
    await queue.add('submit', data, { jobId: 'job-strange' });
    const handled: unknown[] = [];
    const { lines, errors } = await workOff(async (payload) => void handled.push(payload));
    expect(handled).toEqual([]);
    expect(errors).toEqual([]);
    expect(lines).toMatchObject([
      { level: 'error', queue: 'submit', job: 'strange', msg: 'a malformed job was dropped' },
    ]);
    expect(JSON.stringify(lines)).not.toContain(CARD);
    expect(await queue.getJobState('job-strange')).toBe('unknown');
  });

  it('stores the message of a PipelineError, and no stack', async () => {
    const error = new PipelineError('DISK_FULL', 'write "out"', undefined, { cause: new Error(CARD) });
    const { job, lines } = await failWith(error);
    expect(job).toMatchObject({ failedReason: error.message, stacktrace: [], attemptsMade: 1 });
    expect(lines).toMatchObject([{ level: 'error', job: 'submit-f1-1', code: 'DISK_FULL', reason: error.message }]);
  });

  it('stores a fixed sentence for any other error, and logs it without its numbers', async () => {
    const { job, lines } = await failWith(new Error(`duplicate key (number)=(${CARD})`));
    expect(job).toMatchObject({ failedReason: FOREIGN_FAILURE, stacktrace: [] });
    expect(JSON.stringify(job?.asJSON())).not.toContain(CARD);
    expect(lines).toMatchObject([{ level: 'error', reason: 'duplicate key (number)=([digits])', msg: 'a job failed' }]);
    expect(JSON.stringify(lines)).not.toContain(CARD);
  });

  it('calls no failure what met an update of the tables, because the sweep adds it again', async () => {
    const changed = { code: '0A000', routine: 'RevalidateCachedQuery' };
    const { job, lines } = await failWith(Object.assign(new Error('cached plan must not change result type'), changed));
    expect(job).toMatchObject({ failedReason: FOREIGN_FAILURE });
    expect(lines).toEqual([
      expect.objectContaining({ level: 'info', msg: 'a job met an update of the tables and is repeated' }),
    ]);
    const { lines: others } = await failWith(Object.assign(new Error('no such feature'), { code: '0A000' }));
    expect(others).toMatchObject([{ level: 'error', msg: 'a job failed' }]);
  });

  it('runs a job once that was stored with more attempts than ours', async () => {
    await queue.add('submit', { fileId: 'f1', batchNo: 1 }, { jobId: 'job-eager', attempts: 5 });
    let runs = 0;
    await workOff(async () => {
      runs += 1;
      throw new Error('no luck');
    });
    expect(runs).toBe(1);
    expect(await queue.getJobState('job-eager')).toBe('failed');
  });

  it('waits a second before it fetches again after it could not', async () => {
    const fetches: number[] = [];
    const twice = openGate();
    let now = () => 0;
    const broken: QueueConnection = {
      ...connection,
      makeBackend: (...wanted) => {
        const backend = connection.makeBackend(...wanted);
        backend.moveToActive = async () => {
          fetches.push(now());
          if (fetches.length === 2) twice.open();
          throw new Error('function move_to_active does not exist');
        };
        return backend;
      },
    };
    const { log } = logIntoLines();
    const handle = async () => {};
    const ours = { name: 'submit', site: 'main', concurrency: 1 } as const;
    const setup = { ...ours, handle, connection: broken, options: QUEUE_OPTIONS };
    await letTimeFly(async (passedMs) => {
      now = passedMs;
      const worker = startWorker({ ...setup, log, onError: () => {} });
      await twice.passed;
      await worker.close();
    });
    expect(fetches[1]! - fetches[0]!).toBeGreaterThanOrEqual(1_000);
  });
});

const NEVER = new Promise<void>(() => {});

function setUp(closed: Promise<void>, jobs: Promise<void>[], waitMs?: number) {
  const { log, lines } = logIntoLines();
  const worker = { name: 'submit', closes: 0, close: () => ((worker.closes += 1), closed) };
  const closing = closeWorker({ worker, running: new Set(jobs), waitMs, log });
  return { worker, closing, lines };
}

describe('closeWorker', () => {
  it('tells BullMQ at once, so that no new job is taken, and ends when BullMQ has closed', async () => {
    const { worker, closing, lines } = setUp(Promise.resolve(), []);
    expect(worker.closes).toBe(1);
    await closing;
    expect(lines).toEqual([]);
  });

  it('leaves a job that runs longer than waitMs, and says so', async () => {
    const { closing, lines } = setUp(NEVER, [NEVER], 10);
    await closing;
    expect(lines).toMatchObject([{ queue: 'submit', running: 1, msg: 'a worker was left before it had closed' }]);
  });

  it('does not count waitMs against a worker without jobs', async () => {
    let end = () => {};
    const closed = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { closing, lines } = setUp(closed, [], 0);
    setImmediate(() => end());
    await closing;
    expect(lines).toEqual([]);
  });

  it('leaves BullMQ three seconds after the last job, because its server may be away', async () => {
    const { lines, afterMs } = await letTimeFly(async (passedMs) => {
      const { closing, lines: said } = setUp(NEVER, []);
      await closing;
      return { lines: said, afterMs: passedMs() };
    });
    expect(afterMs).toBe(3_000);
    expect(lines).toMatchObject([{ running: 0 }]);
  });
});
