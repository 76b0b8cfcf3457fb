import { describe, expect, it } from 'vitest';
import { QUEUES, type QueueName } from '../../schemas/jobs.ts';
import { EVERY_ROLE, ROLES } from '../../schemas/roles.ts';

describe('ROLES', () => {
  it('has one for each queue, bound to a site where its jobs are', () => {
    for (const name of Object.keys(QUEUES) as QueueName[]) expect(ROLES[name].atSite).toBe(QUEUES[name].atSite);
  });

  it('are all done by a process that is told nothing', () => {
    expect([...EVERY_ROLE]).toEqual(Object.keys(ROLES));
  });
});
