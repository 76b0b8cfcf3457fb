import { describe, expect, it } from 'vitest';
import { QUEUES } from '../../schemas/jobs.ts';
import { listFaults } from '../../src/queue/named-queue.ts';

describe('listFaults', () => {
  it.each([
    [{ fileId: 'f1', batchNo: 0 }, ['batchNo too_small']],
    [{ fileId: 7, batchNo: 'one' }, ['fileId invalid_type', 'batchNo invalid_type']],
    [{ fileId: 'f1', batchNo: 1, cardNumber: '4222222222222220' }, ['unrecognized_keys']],
    ['4222222222222220', ['invalid_type']],
  ])('names place and kind of what is wrong, never the value (case %#)', (payload, faults) => {
    const { error } = QUEUES.submit.payload.safeParse(payload);
    expect(error && listFaults(error)).toEqual(faults);
  });
});
