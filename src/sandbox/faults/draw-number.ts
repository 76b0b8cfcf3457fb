import { createHash } from 'node:crypto';

/** Returns the n-th number of a seed, at least 0 and below 1. It looks random and is the same each time. */
export function drawNumber(seed: number, n: number): number {
  return createHash('sha256').update(`${seed} ${n}`).digest().readUInt32BE() / 2 ** 32;
}
