import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../src/cli/doctor/doctor.ts';

describe('CHECKS', () => {
  it('names each once and forgets none', async () => {
    const files = await readdir(new URL('../../../src/cli/doctor/', import.meta.url));
    const others = ['check.ts', 'checks.ts', 'examine.ts', 'finding-of.ts'];
    expect(CHECKS).toHaveLength(files.filter((name) => !others.includes(name)).length);
    expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
  });
});
