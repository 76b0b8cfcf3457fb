import { expect, it } from 'vitest';
import { buffersOf } from '../../src/thread/buffers-of.ts';

it('buffersOf names the memory of what is bytes, and of nothing else', () => {
  const [one, other] = [new Uint8Array(3), new Uint8Array(4).subarray(1)];
  expect(buffersOf({ one, n: 7, other, none: undefined })).toEqual([one.buffer, other.buffer]);
  expect(buffersOf({ shared: new Uint8Array(new SharedArrayBuffer(1)) })).toEqual([]);
  for (const item of [undefined, null, 7, 'text']) expect(buffersOf(item)).toEqual([]);
});
