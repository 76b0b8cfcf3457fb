import { describe, expect, it } from 'vitest';
import { fromStoredId, isJobId, toStoredId } from '../../src/queue/named-queue.ts';

describe('isJobId', () => {
  it.each(['submit-0123456789abcdef-1', 'poll-f1-1.2', 'failed', '7'])('takes %s', (id) => {
    expect(isJobId(id)).toBe(true);
  });

  it.each(['', 'submit:f1', 'sub mit', 'f1\n', 'é', 'x'.repeat(201)])('refuses %j', (id) => {
    expect(isJobId(id)).toBe(false);
  });
});

describe('toStoredId', () => {
  it.each(['failed', 'wait', 'meta', '7'])('keeps %s away from names of BullMQ and from whole numbers', (id) => {
    expect(toStoredId(id)).toBe(`job-${id}`);
  });
});

describe('fromStoredId', () => {
  it.each(['submit-f1-1', 'job-1', '7'])('gives back %s', (id) => {
    expect(fromStoredId(toStoredId(id))).toBe(id);
  });

  it('leaves an id alone that is not ours', () => {
    expect(fromStoredId('repeat-1')).toBe('repeat-1');
  });
});
