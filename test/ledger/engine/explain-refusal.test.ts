import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { explainRefusal, withRefusalExplained } from '../../../src/ledger/engine/explain-refusal.ts';

function serverError(code: string): Error {
  return Object.assign(new Error('as user "pay" on host "db"'), { code });
}

describe('explainRefusal', () => {
  it.each([
    ['08P01', /pooler/],
    ['25006', /read-only/],
    ['42501', /lacks a right/],
    ['53300', /no connection left/],
    ['28P01', /password/],
  ])('has words of its own for %s', (code, reason) => {
    expect(explainRefusal(serverError(code))).toEqual({
      reason: expect.stringMatching(reason),
      next: expect.stringMatching(/\.$/),
    });
  });

  it('says nothing of errors that are about something else', () => {
    expect(explainRefusal(serverError('23505'))).toBeUndefined();
    expect(explainRefusal('text')).toBeUndefined();
  });
});

describe('withRefusalExplained', () => {
  it('names cause and remedy, without users and hosts, and leaves other errors as they are', () => {
    const error = withRefusalExplained(serverError('25006'));
    expect(error).toBeInstanceOf(PipelineError);
    expect(error).toMatchObject({
      code: 'LEDGER_UNREACHABLE',
      message: expect.stringMatching(/read-only.*DATABASE_URL/),
    });
    expect((error as Error).message).not.toContain('pay"');
    const other = new Error('x');
    expect(withRefusalExplained(other)).toBe(other);
  });
});
