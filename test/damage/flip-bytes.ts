import type { Choose } from '../simulation/choose.ts';

/** Bytes with a meaning in a CSV file, and some without a meaning anywhere. */
const TELLING = Buffer.from(',";\r\n\t \u0000\u001a-+.0=\'\ufeff');

/** Changes, removes, doubles or inserts a few bytes anywhere. */
export function flipBytes(bytes: Buffer, choose: Choose): Buffer {
  let changed = Buffer.from(bytes);
  for (let left = choose.between(1, 6); left > 0; left -= 1) {
    const at = choose.below(changed.length + 1);
    const [before, behind] = [changed.subarray(0, at), changed.subarray(at)];
    const one = Buffer.of(choose.happens(0.7) ? TELLING[choose.below(TELLING.length)]! : choose.below(256));
    changed = choose.one([
      () => Buffer.concat([before, one, behind]),
      () => Buffer.concat([before, one, behind.subarray(1)]),
      () => Buffer.concat([before, behind.subarray(choose.between(1, 12))]),
      () => Buffer.concat([before, behind.subarray(0, choose.between(1, 40)), behind]),
    ])();
  }
  return changed;
}
