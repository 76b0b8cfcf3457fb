import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { outliveReaders } from '../../../src/cli/process/outlive-readers.ts';

it('outliveReaders takes it calmly that a reader went away, and nothing else', () => {
  const stream = new PassThrough();
  outliveReaders([stream]);
  expect(() => stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).not.toThrow();
  expect(() => stream.emit('error', Object.assign(new Error('write EIO'), { code: 'EIO' }))).toThrow('EIO');
});
