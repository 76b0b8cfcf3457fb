import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode } from '../../schemas/errors.ts';
import { describeFault, PipelineError, reasonOf, systemCode } from '../../src/kernel/errors.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

describe('PipelineError', () => {
  it.each(CODES)('%s reads: Cannot <action>: <reason>. <what to do next>', (code) => {
    const error = new PipelineError(code, 'take "monday.csv"');
    const { means, remedy } = ERRORS[code];
    expect(error.message).toBe(`Cannot take "monday.csv": ${means}. ${remedy}`);
    expect(error.message).toMatch(/^Cannot take "monday\.csv": [a-z][^.]*[^.\s]\. .*[^.]\.$/s);
    expect(error).toMatchObject({ code, name: 'PipelineError' });
    expect(error).toBeInstanceOf(Error);
  });

  it('takes the reason and the advice of the one who throws', () => {
    const error = new PipelineError('DISK_FULL', 'write "a"', 'no space left', { next: 'Make room.' });
    expect(error.message).toBe('Cannot write "a": no space left. Make room.');
  });

  it.each(['no space left.', 'no space left. ', 'no space left...\n'])(
    'ends the reason %j with one full stop',
    (reason) => {
      expect(new PipelineError('DISK_FULL', 'write', reason).message).toContain('Cannot write: no space left. Make');
    },
  );

  it.each([undefined, '', ' . '])('falls back on the words of the table for the reason %j', (reason) => {
    expect(new PipelineError('DISK_FULL', 'write', reason).message).toContain(`: ${ERRORS.DISK_FULL.means}. `);
  });

  it('keeps its cause out of the message', () => {
    const cause = new Error('card 4222222222222220');
    const error = new PipelineError('INTERNAL', 'send', undefined, { cause });
    expect(error.cause).toBe(cause);
    expect(error.message).not.toContain('4222');
  });
});

describe('reasonOf', () => {
  it.each([
    [new Error('torn'), 'torn'],
    [new PipelineError('EMPTY', 'read', 'torn', { next: 'Go.' }), 'Cannot read: torn. Go.'],
    ['torn', 'torn'],
    [7, '7'],
    [null, 'null'],
    [undefined, 'undefined'],
  ])('of %s is %j', (error, reason) => {
    expect(reasonOf(error)).toBe(reason);
  });
});

describe('systemCode', () => {
  it.each([
    [Object.assign(new Error('gone'), { code: 'ENOENT' }), 'ENOENT'],
    [new PipelineError('EMPTY', 'read'), 'EMPTY'],
    [Object.assign(new Error('odd'), { code: 7 }), undefined],
    [new Error('plain'), undefined],
    [{ code: 'ENOENT' }, undefined],
    [null, undefined],
  ])('of case %# is %j', (error, code) => {
    expect(systemCode(error)).toBe(code);
  });
});

describe('describeFault', () => {
  it('adds what is particular, if anything is', () => {
    const { means } = ERRORS.DUPLICATE_FILE;
    expect(describeFault({ code: 'DUPLICATE_FILE', detail: 'it came on Monday' })).toBe(`${means}: it came on Monday`);
    expect(describeFault({ code: 'DUPLICATE_FILE' })).toBe(means);
  });
});
