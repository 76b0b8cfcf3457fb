import { describe, expect, it } from 'vitest';
import { bad, ok, warn } from '../../../src/cli/doctor/check.ts';

describe('ok, warn, bad', () => {
  it('make a finding of their level; what is well needs no mend', () => {
    expect([ok('a'), warn('b', 'c'), bad('d', 'e')]).toEqual([
      { level: 'ok', found: 'a' },
      { level: 'warn', found: 'b', mend: 'c' },
      { level: 'bad', found: 'd', mend: 'e' },
    ]);
  });
});
