import { describe, it } from 'vitest';
import { tryProperty } from '../../gateway/support/seeds.ts';
import { cutBytes } from '../cut-bytes.ts';

/** See check-payment-file-flow.test.ts. */
describe('however the bytes are cut, for long', () => {
  it('the answer is the same', async () => {
    await tryProperty(cutBytes(Number.POSITIVE_INFINITY), 300);
  }, 300_000);
});
