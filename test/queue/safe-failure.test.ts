import { DelayedError, UnrecoverableError } from 'bullmq';
import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { describeFailure, FOREIGN_FAILURE, safeFailure } from '../../src/queue/safe-failure.ts';

const CARD = '4222222222222220';

describe('safeFailure', () => {
  it('keeps the message of a PipelineError, without its cause', () => {
    const error = new PipelineError('DISK_FULL', 'write "out"', undefined, { cause: new Error(CARD) });
    const failure = safeFailure(error);
    expect(failure.message).toBe(error.message);
    expect(failure.cause).toBeUndefined();
  });

  it.each([
    ['an error', new Error(`Unexpected token in ${CARD}`)],
    ['a text', CARD],
    ['nothing', undefined],
    ["BullMQ's own wish to run later", new DelayedError(CARD)],
  ])('puts a fixed sentence in the place of %s', (_what, error) => {
    expect(safeFailure(error).message).toBe(FOREIGN_FAILURE);
  });

  it('is final for BullMQ and has no stack to store', () => {
    const failure = safeFailure(new Error('x'));
    expect(failure).toBeInstanceOf(UnrecoverableError);
    expect(failure.stack).toBe('');
  });
});

describe('describeFailure', () => {
  it('gives code and message of a PipelineError', () => {
    const error = new PipelineError('DISK_FULL', 'write "out"');
    expect(describeFailure(error)).toEqual({ code: 'DISK_FULL', reason: error.message });
  });

  it('hides numbers in a foreign message and says where in the code it was thrown', () => {
    const error = new SyntaxError(`Unexpected token, "INV-7,${CARD},4222 2222 2222 2220" is not valid JSON`);
    const { code, reason, at } = describeFailure(error);
    expect(code).toBeUndefined();
    expect(reason).toBe('Unexpected token, "INV-7,[digits],[digits] [digits] [digits] [digits]" is not valid JSON');
    expect(at).toContain('safe-failure.test.');
  });

  it('gives the code of a system error and cuts a long message', () => {
    const error = Object.assign(new Error('x'.repeat(1_000)), { code: 'ENOENT' });
    expect(describeFailure(error)).toMatchObject({ code: 'ENOENT', reason: 'x'.repeat(300) });
  });

  it('copes with what is no error', () => {
    expect(describeFailure(CARD)).toEqual({ code: undefined, reason: '[digits]', at: undefined });
  });
});
