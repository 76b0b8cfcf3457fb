import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

/** Hears rings until none is left. */
async function hearAll(hear: () => Promise<void>) {
  const { log, lines } = logIntoLines();
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const worker = startWorker({ name: 'submit', site: 'main', hear, connection, options: QUEUE_OPTIONS, log, onError });
  await expect.poll(() => queue.getJobCountByTypes('waiting', 'active', 'delayed')).toBe(0);
  await worker.close();
  return { lines, errors };
}

async function failWith(error: unknown) {
  await queue.add('ring', {}, { jobId: 'job-one' });
  const { lines } = await hearAll(async () => {
    throw error;
  });
  const job = await queue.getJob('job-one');
  await queue.remove('job-one');
  return { job, lines };
}

describe('startWorker', () => {
  it.each([
    ['nothing', undefined],
    ['ids', { fileId: 'f1', batchNo: 1 }],
    ['a card number', { fileId: 'f1', batchNo: 1, cardNumber: CARD }],
    ['a text', CARD],
  ])('hears a job that carries %s as a ring, without reading it', async (_what, data) => {
    await queue.add('strange', data, { jobId: 'job-strange' });
    const heard: unknown[][] = [];
    const { lines, errors } = await hearAll(async (...given: unknown[]) => void heard.push(given));
    expect(heard).toEqual([[]]);
    expect(errors).toEqual([]);
    expect(lines).toEqual([]);
    expect(await queue.getJobState('job-strange')).toBe('unknown');
  });

  it('hears one ring at a time', async () => {
    for (let times = 0; times < 5; times += 1) await queue.add('strange', {});
    let listening = 0;
    let mostAtOnce = 0;
    let heard = 0;
    await hearAll(async () => {
      listening += 1;
      heard += 1;
      mostAtOnce = Math.max(mostAtOnce, listening);
      await queue.count();
      listening -= 1;
    });
    expect({ heard, mostAtOnce }).toEqual({ heard: 5, mostAtOnce: 1 });
  });

  it('stores the message of a PipelineError, and no stack', async () => {
    const error = new PipelineError('DISK_FULL', 'write "out"', undefined, { cause: new Error(CARD) });
    const { job, lines } = await failWith(error);
    expect(job).toMatchObject({ failedReason: error.message, stacktrace: [], attemptsMade: 1 });
    expect(lines).toMatchObject([{ level: 'error', job: 'job-one', code: 'DISK_FULL', reason: error.message }]);
  });

  it('stores a fixed sentence for any other error, and logs it without its numbers', async () => {
    const { job, lines } = await failWith(new Error(`duplicate key (number)=(${CARD})`));
    expect(job).toMatchObject({ failedReason: FOREIGN_FAILURE, stacktrace: [] });
    expect(JSON.stringify(job?.asJSON())).not.toContain(CARD);
    expect(lines).toMatchObject([
      { level: 'error', queue: 'submit', reason: 'duplicate key (number)=([digits])', msg: 'a ring failed' },
    ]);
    expect(JSON.stringify(lines)).not.toContain(CARD);
  });

  it('hides a card number in the id of a job that another program added', async () => {
    await queue.add('strange', {}, { jobId: `card-${CARD}` });
    const { lines } = await hearAll(() => Promise.reject(new Error('no luck')));
    await queue.remove(`card-${CARD}`);
    expect(lines).toMatchObject([{ job: 'card-************2220', msg: 'a ring failed' }]);
  });

  it('hears a job once that was stored with more attempts than ours', async () => {
    await queue.add('strange', {}, { jobId: 'job-eager', attempts: 5 });
    let runs = 0;
    await hearAll(async () => {
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
    const hear = async () => {};
    const setup = { name: 'submit', site: 'main', hear, connection: broken, options: QUEUE_OPTIONS } as const;
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
