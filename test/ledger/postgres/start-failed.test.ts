import { describe, expect, it } from 'vitest';
import { startFailed } from '../../../src/ledger/postgres/start-failed.ts';

const TABLE_ADVICE = 'Read its log in the data folder, or set DATABASE_URL.';

describe('startFailed', () => {
  it.each([
    ['one sentence', 'it did not work.', `it did not work. ${TABLE_ADVICE}`],
    ['the last lines of many', 'a\nb\n\nc\nd\n  e\n', `b / c / d / e. ${TABLE_ADVICE}`],
    ['nothing', '', `it gave no reason. ${TABLE_ADVICE}`],
    ['something thrown', new Error('broken pipe'), `broken pipe. ${TABLE_ADVICE}`],
    [
      'a full disk in a log',
      'FATAL: could not write: No space left on device',
      'the disk is full (FATAL: could not write: No space left on device). Make room and start again.',
    ],
    [
      'a full disk that was thrown',
      Object.assign(new Error('write failed'), { code: 'ENOSPC' }),
      'the disk is full (write failed). Make room and start again.',
    ],
  ])('tells of %s', (_case, reason, rest) => {
    expect(startFailed('data', reason)).toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: `Cannot start the embedded PostgreSQL in "data": ${rest}`,
    });
  });

  it('keeps what was thrown as its cause, and takes other advice', () => {
    const cause = new Error('why');
    const error = startFailed('data', cause, 'Do this.');
    expect(error.cause).toBe(cause);
    expect(error.message).toBe('Cannot start the embedded PostgreSQL in "data": why. Do this.');
  });
});
