import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WEEKDAYS } from '../../../schemas/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openQueue, type Queue } from '../../../src/queue/open-queue.ts';
import { ShownQueue } from '../../../src/web/queues/queue-board.ts';
import { QUEUE_SERVERS, type QueueServer } from '../../queue/support/queue-world.ts';

const CARD = '4222222222222220';
const STATES = ['waiting', 'delayed', 'failed'] as never[];

/** What an outsider could use of BullMQ's own queue object. */
type Bare = {
  add(name: string, data: unknown, options: object): Promise<{ id: string; log(line: string): Promise<unknown> }>;
};

describe.each(QUEUE_SERVERS)('ShownQueue on $kind', ({ start }) => {
  let server: QueueServer;
  let queue: Queue;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    queue = await openQueue(server.backend, silentLog());
  });
  afterEach(async () => {
    await queue.close();
    await server.wipe();
  });

  const boardQueue = (name: string) => queue.boardQueues().find((one) => one.name === name)!;
  const bare = (name: string) => boardQueue(name).queue as Bare;
  const shown = (name: string) => new ShownQueue(boardQueue(name));

  it('shows the ids of a job, and that it can only be looked at', async () => {
    await queue.add('submit', 'submit-f1-2', { fileId: 'f1', batchNo: 2 });
    const board = shown('submit');
    expect([board.getName(), board.readOnlyMode, board.allowRetries]).toEqual(['submit', true, false]);
    const [job] = await board.getJobs(STATES);
    expect(job!.toJSON()).toMatchObject({ name: 'submit', data: { fileId: 'f1', batchNo: 2 }, returnvalue: null });
    expect((await board.getJobCounts())['waiting']).toBe(1);
  });

  it('shows nothing else, whatever somebody has put into the queue', async () => {
    const strange = { fileId: 'f1', batchNo: 1, card: CARD };
    const added = await bare('submit').add(`card ${CARD}`, strange, {
      jobId: `job-${CARD}`,
      delay: 60_000,
      secret: CARD,
    });
    await added.log(`a log with ${CARD}`);
    const board = shown('submit');
    const [listed] = await board.getJobs(STATES);
    const job = (await board.getJob(`job-${CARD}`))!;
    for (const one of [listed!, job]) {
      expect(one.toJSON()).toMatchObject({
        id: 'job-************2220',
        data: {},
        stacktrace: [],
        opts: { delay: 60_000 },
      });
      expect([one.name, (one as unknown as { data: object }).data]).toEqual(['card ************2220', {}]);
      expect(JSON.stringify(one)).not.toContain(CARD);
    }
    expect(await job.getState()).toBe('delayed');
    expect(await board.getJobLogs()).toEqual([]);
  });

  it('reads no more jobs at once than anybody looks at', async () => {
    for (let n = 1; n <= 101; n += 1)
      await bare('poll').add('poll', { fileId: 'f1', batchNo: n }, { jobId: `job-${n}` });
    expect(await shown('poll').getJobs(STATES, 0, 1_000_000)).toHaveLength(100);
    expect(await shown('poll').getJobs(STATES, 100, 1_000_000)).toHaveLength(1);
  });

  it('masks what a job failed for', async () => {
    await queue.add('deliver', 'deliver-f1', { fileId: 'f1' });
    const worker = queue.work('deliver', 1, () => Promise.reject(new Error(`cannot send ${CARD}`)));
    const board = shown('deliver');
    await expect
      .poll(async () => (await board.getJobs(STATES)).map((job) => job.toJSON().failedReason))
      .toEqual([expect.stringContaining('failed')]);
    const [job] = await board.getJobs(STATES);
    expect(job!.toJSON()).toMatchObject({ stacktrace: [], data: { fileId: 'f1' } });
    expect(JSON.stringify(job)).not.toContain(CARD);
    await worker.close();
  });

  it('says when a schedule is next, and finds no job that is not there', async () => {
    await queue.plan([{ schedule: 'nightly', at: '23:59', timeZone: 'UTC', days: [...WEEKDAYS] }]);
    const [scheduler] = await shown('schedule').getJobSchedulers();
    expect(scheduler).toMatchObject({ pattern: expect.any(String), next: expect.any(Number) });
    expect(scheduler).not.toHaveProperty('template');
    expect(await shown('schedule').getJob('nothing')).toBeUndefined();
  });
});
