import { createHash } from 'node:crypto';

/** The n-th number of a seed, from 0 to below 1: it looks random and is the same each time. */
export function drawNumber(seed: number, n: number): number {
  return createHash('sha256').update(`${seed} ${n}`).digest().readUInt32BE() / 2 ** 32;
}
