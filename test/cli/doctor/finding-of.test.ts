import { describe, expect, it } from 'vitest';
import { bad, findingOf } from '../../../src/cli/doctor/check.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';

describe('findingOf', () => {
  it('takes apart what cannot be done and what to do next', () => {
    const error = new PipelineError('QUEUE_UNREACHABLE', 'ask Redis', 'no answer within 5 ms');
    expect(findingOf(error, bad)).toEqual({
      level: 'bad',
      found: 'cannot ask Redis: no answer within 5 ms',
      mend: 'Check Redis or PostgreSQL; nothing is lost, the ledger rebuilds the queue.',
    });
  });

  it('says of any other error its code and nothing else', () => {
    const error = Object.assign(new Error('row 4111111111111111'), { code: 'EIO' });
    expect(findingOf(error, bad)).toMatchObject({ level: 'bad', found: 'the look itself failed (EIO)' });
    expect(findingOf('odd', bad).found).toBe('the look itself failed (unforeseen error)');
  });
});
