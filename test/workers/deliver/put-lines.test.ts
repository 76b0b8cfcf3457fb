import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { putLine } from '../../../workers/deliver/put-lines.ts';

describe('putLine', () => {
  it('does not wait while there is room', async () => {
    const out = slowStream(1_000);
    await putLine(out.stream, 'a\r\n');
    expect(out.taken).toEqual(['a\r\n']);
  });

  it('waits for the disk when there is none', async () => {
    const out = slowStream(4);
    let isDone = false;
    const put = putLine(out.stream, 'longer than the room\r\n').then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDone).toBe(false);
    out.finish();
    await put;
    expect(isDone).toBe(true);
  });

  it('tells the error of the disk to whoever waits', async () => {
    const out = slowStream(4);
    const put = putLine(out.stream, 'longer than the room\r\n');
    out.stream.destroy(new Error('no space left'));
    await expect(put).rejects.toThrow('no space left');
  });
});

/** A stream that is done with a line when it is told to. */
function slowStream(highWaterMark: number) {
  const taken: string[] = [];
  let done = () => {};
  const stream = new Writable({
    highWaterMark,
    write: (chunk: Buffer, _encoding, callback) => {
      taken.push(chunk.toString());
      done = callback;
    },
  });
  return { stream, taken, finish: () => done() };
}
