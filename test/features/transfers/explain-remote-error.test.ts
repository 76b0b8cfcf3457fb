import { describe, expect, it } from 'vitest';
import { explainRemoteError } from '../../../src/features/transfers/open-remote.ts';

describe('explainRemoteError', () => {
  it.each([
    [{ level: 'client-authentication', message: 'x' }, 'REMOTE_LOGIN'],
    [{ message: 'connect: All configured authentication methods failed' }, 'REMOTE_LOGIN'],
    [{ level: 'client-timeout', message: 'x' }, 'REMOTE_UNREACHABLE'],
    [{ message: 'no answer within 10 ms' }, 'REMOTE_UNREACHABLE'],
    [{ code: 'ECONNREFUSED', message: 'x' }, 'REMOTE_UNREACHABLE'],
    [{ code: 'ENOTFOUND', message: 'x' }, 'REMOTE_UNREACHABLE'],
    [{ message: 'No SFTP connection available' }, 'REMOTE_UNREACHABLE'],
    [{ code: 2, message: 'x' }, 'REMOTE_FAILED'],
    [{ code: 'EACCES', message: 'x' }, 'REMOTE_FAILED'],
    [undefined, 'REMOTE_FAILED'],
    ['text', 'REMOTE_FAILED'],
  ])('makes %j %s', (error, code) => {
    expect(explainRemoteError(error, 'list the folder')).toMatchObject({ code });
  });

  it.each([
    ['ERR_GENERIC_CLIENT', 'fastGet->sftp: Permission denied Remote: /in/a.csv Local: /tmp/a', 'permission denied'],
    ['ERR_GENERIC_CLIENT', 'fastPut->sftp: Failure Local: /tmp/a Remote: /in/a.csv', 'the server says "failure"'],
    ['ERR_BAD_PATH', 'fastGet->fastGet: No such file  /in/a.csv', 'there is no such file'],
    ['ERR_BAD_PATH', 'put: Bad path', 'there is no such file'],
  ])('says what the server refused of a whole file: %s, %s', (code, message, says) => {
    const error = explainRemoteError(Object.assign(new Error(message), { code }), 'fetch a file');
    expect(error).toMatchObject({ code: 'REMOTE_FAILED', message: expect.stringContaining(says) });
  });

  it('repeats nothing that a server or a path says', () => {
    const error = Object.assign(new Error('_get: No such file /in/4512345678901234.csv'), { code: 4 });
    const { message, cause } = explainRemoteError(error, 'fetch a file');
    expect(message).toContain('Cannot fetch a file: the server says "failure"');
    expect(`${message}${String(cause)}`).not.toContain('4512345678901234');
  });
});
