import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { explainSystemError } from '../../src/files/list-folder.ts';

function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: rename '/drop/4222222222222220.csv'`), { code });
}

describe('explainSystemError', () => {
  it.each([
    ['ENOENT', 'FOLDER_MISSING'],
    ['ENOTDIR', 'FOLDER_MISSING'],
    ['ELOOP', 'FOLDER_MISSING'],
    ['ENAMETOOLONG', 'FOLDER_MISSING'],
    ['EXDEV', 'FOLDER_OTHER_DISK'],
    ['EACCES', 'FOLDER_NOT_WRITABLE'],
    ['EPERM', 'FOLDER_NOT_WRITABLE'],
    ['EROFS', 'FOLDER_NOT_WRITABLE'],
    ['ENOSPC', 'DISK_FULL'],
    ['EDQUOT', 'DISK_FULL'],
    ['EIO', 'INTERNAL'],
  ])('makes %s a %s that does not name the path', (code, expected) => {
    const explained = explainSystemError(systemError(code), 'claim a drop of folder "cards"');
    expect(explained).toMatchObject({ name: 'PipelineError', code: expected });
    expect(explained.message).toContain('Cannot claim a drop of folder "cards"');
    expect(explained.message).not.toContain('4222');
    expect(explained.cause).toBeUndefined();
  });

  it('says that a file stands in the place of a folder, instead of that nothing does', () => {
    const { message } = explainSystemError(systemError('ENOTDIR'), 'list the folder "cards"');
    expect(message).toContain('a file stands in its place');
    expect(message).toContain('Move the file away');
    expect(message).not.toContain('does not exist');
  });

  it.each([
    ['ELOOP', 'the links in its path lead in a circle'],
    ['ENAMETOOLONG', 'its path is longer than the system takes'],
  ])('says what %s is, instead of that nothing exists', (code, reason) => {
    expect(explainSystemError(systemError(code), 'list the folder "cards"').message).toContain(`"cards": ${reason}. `);
  });

  it.each([
    ['a PipelineError', new PipelineError('OUTPUT_EXISTS', 'write')],
    ['a fault of the program', new TypeError('x is not a function')],
    ["an error of Node's own", systemError('ERR_STREAM_DESTROYED')],
  ])('lets %s pass as it is', (_kind, error) => {
    expect(explainSystemError(error, 'act')).toBe(error);
  });

  it('makes an error of whatever else was thrown', () => {
    expect(explainSystemError('words', 'act')).toMatchObject({ message: 'words' });
  });
});
