import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { seededRandom } from '../support/random.ts';

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
