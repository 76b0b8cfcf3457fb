import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { replay } from '../support/draws.ts';
import { seededRandom } from '../support/random.ts';

/** Makes every choice of a scenario, so that the seed alone determines the story. */
export type Choose = {
  /** From 0 to below `count`. */
  below(count: number): number;
  /** Both ends included. */
  between(least: number, most: number): number;
  /** Returns true with this likelihood, 0 to 1. */
  happens(likelihood: number): boolean;
  one<Item>(items: readonly Item[]): Item;
  /** Likelihoods are proportional to the weights. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): Item[];
  digits(count: number): string;
  bytes(count: number): Buffer;
};

export function chooser(seed: number): Choose {
  const random = seededRandom(seed);
  return chooserOf(random, (likelihood) => random() < likelihood);
}

/** Makes the choices of a property test. Draws of 0 take the first item, and nothing happens. */
export function drawnChooser(drawn: readonly number[]): Choose {
  const random = replay(drawn);
  return chooserOf(random, (likelihood) => random() >= 1 - likelihood);
}

function chooserOf(random: () => number, happens: Choose['happens']): Choose {
  const below = (count: number) => Math.floor(random() * count);
  const one = <Item>(items: readonly Item[]): Item => {
    if (items.length === 0) throw new Error('there is nothing to choose from');
    return items[below(items.length)]!;
  };
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    happens,
    one,
    weighted: (items) => {
      let rest = random() * items.reduce((sum, item) => sum + item.weight, 0);
      for (const item of items) {
        rest -= item.weight;
        if (rest < 0) return item;
      }
      return one(items);
    },
    shuffle: (items) => {
      const left = [...items];
      return items.map(() => left.splice(below(left.length), 1)[0]!);
    },
    digits: (count) => Array.from({ length: count }, () => below(10)).join(''),
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
}

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

/**
 * Makes ids and tokens the same each time a seed is played, so that a replay meets files and claims in the same order.
 * Cuts the program's waits short, because a simulation gains nothing from real time.
 */
export function seedRandomness(seed: number): void {
  const random = seededRandom(seed);
  const draw = (size: number) => Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
  calls['randomBytes'] = (size: number, done?: Parameters<typeof real.randomBytes>[1]) =>
    done ? real.randomBytes(size, done) : draw(size);
  calls['randomUUID'] = () => asUuid(draw(16).toString('hex'));
  waits['setTimeout'] = (_ms: number, value: unknown, options: object) => real.setTimeout(1, value, options);
  syncBuiltinESMExports();
}

/** Restores the real functions, for later tests in the same process. */
export function freeRandomness(): void {
  Object.assign(calls, { randomBytes: real.randomBytes, randomUUID: real.randomUUID });
  waits['setTimeout'] = real.setTimeout;
  syncBuiltinESMExports();
}

const calls = crypto as unknown as Record<string, unknown>;
const waits = timers as unknown as Record<string, unknown>;
const real = { randomBytes: crypto.randomBytes, randomUUID: crypto.randomUUID, setTimeout: timers.setTimeout };

function asUuid(hex: string): string {
  const version = `4${hex.slice(13, 16)}`;
  const variant = `8${hex.slice(17, 20)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), version, variant, hex.slice(20, 32)].join('-');
}
