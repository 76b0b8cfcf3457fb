import { expect, it } from 'vitest';
import { tryProperty } from '../../support/random.ts';
import { sameByBytes } from './compare-file.ts';

/** Small files; compare-file.soak.test.ts compares more rows, and shows that an oversight would be detected. */
it('the check by bytes says of many small files what the reference says', async () => {
  const sum = { rows: 0, valid: 0 };
  await tryProperty(sameByBytes(400, sum), 110);
  expect(sum.valid).toBeGreaterThan(sum.rows / 3);
});
