import { describe, expect, it } from 'vitest';
import type { Payload } from '../../schemas/jobs.ts';
import type { NamedQueue } from '../../src/queue/named-queue.ts';
import { logIntoLines } from './support/log-lines.ts';
import { addJob } from '../../src/queue/open-queue.ts';

/** Stands in for BullMQ's queue when adding; `open-queue.soak.test.ts` shows the same on real servers. */
function fakeQueue() {
  const calls: unknown[][] = [];
  const queue = { add: async (...job: unknown[]) => void calls.push(['add', ...job]) };
  return { calls, queue: queue as unknown as NamedQueue };
}

async function add(changes: { id?: string; payload?: unknown; delayMs?: number } = {}) {
  const { calls, queue } = fakeQueue();
  const { log, lines } = logIntoLines();
  const payload = (changes.payload ?? { fileId: 'f1', batchNo: 1 }) as Payload<'submit'>;
  const { id = 'submit-f1-1', delayMs = 0 } = changes;
  await addJob({ queue, name: 'submit', id, payload, delayMs, log });
  return { calls, lines };
}

const added = (delay: number) => ['add', 'submit', { fileId: 'f1', batchNo: 1 }, { jobId: 'job-submit-f1-1', delay }];

describe('addJob', () => {
  it('adds a job with one question', async () => {
    expect((await add({ delayMs: 500 })).calls).toEqual([added(500)]);
  });

  it('takes a moment that has passed for now', async () => {
    expect((await add({ delayMs: -7 })).calls).toEqual([added(0)]);
  });

  it.each<[string, { id?: string; payload?: unknown }, string[]]>([
    ['more than ids', { payload: { fileId: 'f1', batchNo: 1, cardNumber: '4222222222222220' } }, ['unrecognized_keys']],
    ['no batch', { payload: { fileId: 'f1' } }, ['batchNo invalid_type']],
    ['an id that BullMQ would refuse', { id: 'submit:4222222222222220' }, ['id']],
  ])('logs and drops a job with %s, asking nobody', async (_what, changes, faults) => {
    const { calls, lines } = await add(changes);
    expect(calls).toEqual([]);
    expect(lines).toMatchObject([{ level: 50, queue: 'submit', faults, msg: 'a malformed job was not added' }]);
    expect(JSON.stringify(lines)).not.toContain('4222222222222220');
  });
});
