import { describe, it } from 'vitest';
import { tryProperty } from '../../gateway/support/seeds.ts';
import { cutBytes } from '../cut-bytes.ts';

/** check-payment-file.soak.test.ts tries more. */
describe('however the bytes are cut', () => {
  it('the answer is the same', async () => {
    await tryProperty(cutBytes(3_000), 8);
  });
});
