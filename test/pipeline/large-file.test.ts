import { describe, it } from 'vitest';
import { expectLargeDrop } from './support/large-drop.ts';

/** Larger ones in large-file.soak.test.ts. */
describe('2,000 rows, 3 % of them bad, dropped into a running instance', () => {
  it('come back as 2,000 lines in input order, whose totals are those of the books', async () => {
    await expectLargeDrop(2_000, 40_000);
  });
});
