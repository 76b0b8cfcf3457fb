import { describe, expect, it } from 'vitest';
import { QUEUES } from '../../schemas/jobs.ts';

describe('QUEUES', () => {
  it('are the stages that a job can ask to look', () => {
    expect(Object.keys(QUEUES)).toEqual(['intake', 'submit', 'poll', 'deliver', 'schedule']);
  });

  it.each([
    ['intake', { fileId: 'a' }],
    ['deliver', { fileId: 'a' }],
    ['intake', { fileId: 'a', more: ['b', 'c'] }],
    ['submit', { fileId: 'a', batchNo: 1 }],
    ['poll', { fileId: 'a', batchNo: 1 }],
    ['schedule', { schedule: 'nightly' }],
  ] as const)('%s takes ids', (name, payload) => {
    expect(QUEUES[name].payload.parse(payload)).toEqual(payload);
  });

  it.each([
    ['intake', { fileId: 'a', amount: '25.00' }],
    ['intake', { fileId: 'a', more: Array.from({ length: 10 }, () => 'b') }],
    ['submit', { fileId: 'a', batchNo: 1, body: 'SU5W' }],
    ['submit', { fileId: 'a' }],
    ['submit', { fileId: 'a', batchNo: 0 }],
    ['poll', { fileId: 'a', batchNo: 1.5 }],
    ['deliver', { fileId: 7 }],
    ['schedule', { schedule: 'nightly', day: '2026-06-15' }],
  ] as const)('%s refuses %j, so that no data of a payment can ride along', (name, payload) => {
    expect(QUEUES[name].payload.safeParse(payload).success).toBe(false);
  });
});
