import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../src/sandbox/handle-request.ts';

describe('readBody', () => {
  it('joins the pieces', async () => {
    expect(await readBody(pieces('ab', 'c'), 3)).toEqual(Buffer.from('abc'));
    expect(await readBody(pieces(), 3)).toEqual(Buffer.alloc(0));
  });

  it('is undefined above the limit, with everything read', async () => {
    const body = pieces('ab', 'cd', 'ef');
    expect(await readBody(body, 5)).toBeUndefined();
    expect(body.readableEnded).toBe(true);
  });

  it('stops reading at ten times the limit', async () => {
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (;;) yield Buffer.alloc(1, given++);
      })(),
    );
    expect(await readBody(endless, 2)).toBeUndefined();
    expect(given).toBeLessThan(100);
    expect(endless.destroyed).toBe(true);
  });

  it('fails when the connection breaks', async () => {
    const broken = new Readable({ read: () => undefined });
    const body = readBody(broken, 10);
    broken.push(Buffer.from('ab'));
    broken.destroy(new Error('aborted'));
    await expect(body).rejects.toThrow('aborted');
  });
});

function pieces(...texts: string[]): Readable {
  return Readable.from(texts.map((text) => Buffer.from(text)));
}
