import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { seededRandom } from '../support/random.ts';

/**
 * Makes ids and tokens the same each time a seed is played, so that a replay meets files and claims in the same order.
 * Waits of the program are cut short: in a simulation nothing becomes better by waiting in real time.
 */
export function seedRandomness(seed: number): void {
  random = seededRandom(seed);
  if (isInstalled) return;
  isInstalled = true;
  const calls = crypto as unknown as Record<string, unknown>;
  const realBytes = crypto.randomBytes;
  calls['randomBytes'] = (size: number, done?: Parameters<typeof realBytes>[1]) =>
    done ? realBytes(size, done) : drawBytes(size);
  calls['randomUUID'] = () => asUuid(drawBytes(16).toString('hex'));
  const realWait = timers.setTimeout;
  (timers as unknown as Record<string, unknown>)['setTimeout'] = (_ms: number, value: unknown, options: object) =>
    realWait(1, value, options);
  syncBuiltinESMExports();
}

let random: () => number = () => 0;
let isInstalled = false;

function drawBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => Math.floor(random() * 256)));
}

function asUuid(hex: string): string {
  const version = `4${hex.slice(13, 16)}`;
  const variant = `8${hex.slice(17, 20)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), version, variant, hex.slice(20, 32)].join('-');
}
