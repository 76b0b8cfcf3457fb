import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { codeOf, readTree } from '../support/source-tree.ts';
import { CRASH_POINTS } from '../../src/kernel/crash-point.ts';

const PRODUCT = readTree(fileURLToPath(new URL('../..', import.meta.url))).filter(({ path }) =>
  /^(?:schemas|src|workers)\/.*\.ts$/.test(path),
);

describe('CRASH_POINTS', () => {
  it('are at least 40, each with a sentence of its own', () => {
    const sentences = Object.values(CRASH_POINTS);
    expect(sentences.length).toBeGreaterThanOrEqual(40);
    expect(new Set(sentences).size).toBe(sentences.length);
  });

  it('stand in the code once each, and nothing else is marked', () => {
    const placed = PRODUCT.flatMap(({ text }) =>
      [...codeOf(text).matchAll(/\bcrashPoint\(\s*'([^']+)'/g)].map(([, name]) => name!),
    );
    expect(placed.toSorted()).toEqual(Object.keys(CRASH_POINTS).toSorted());
  });

  it('are armed by nothing in the program', () => {
    const arming = PRODUCT.filter(({ text }) => /\barmCrashPoints\b/.test(codeOf(text))).map(({ path }) => path);
    expect(arming).toEqual(['src/kernel/crash-point.ts']);
  });
});
