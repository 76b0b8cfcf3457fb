import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../../../workers/watch/take-claim.ts';

/** A separate function, so that only the reference keeps track of the bytes. */
function leaveBehind(): WeakRef<Buffer> {
  return new WeakRef(Buffer.alloc(10_000_000, 1));
}

describe('collectGarbage', () => {
  it('takes back what nobody holds, each time, and nothing else', async () => {
    const held = Buffer.alloc(1_000, 7);
    for (let time = 0; time < 2; time += 1) {
      const left = leaveBehind();
      // The target of a new reference lives until the end of the event-loop turn.
      await setImmediate();
      collectGarbage();
      expect(left.deref()).toBeUndefined();
    }
    expect(held[999]).toBe(7);
    expect('gc' in globalThis).toBe(false);
  });
});
