import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { packFailure, unpackFailure } from '../../src/thread/thread-messages.ts';

const carry = (error: unknown) => unpackFailure(structuredClone(packFailure(error)));

describe('packFailure and unpackFailure', () => {
  it('carry an error of ours with its code and its words, and nothing that it was caused by', () => {
    const error = new PipelineError('SEAL_BROKEN', 'open "body:1"', 'why', { cause: new Error('4222222222222220') });
    const carried = carry(error);
    expect(carried).toBeInstanceOf(PipelineError);
    expect(carried).toMatchObject({ code: 'SEAL_BROKEN', message: error.message, stack: error.stack });
    expect(carried.cause).toBeUndefined();
  });

  it('carry another error as it reads, and what is no error as a text', () => {
    expect(carry(new TypeError('it broke')).message).toBe('it broke');
    expect(carry('it broke').message).toBe('it broke');
    expect(carry(new TypeError('it broke'))).not.toBeInstanceOf(PipelineError);
  });
});
