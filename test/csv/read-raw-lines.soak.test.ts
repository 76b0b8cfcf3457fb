import { describe, it } from 'vitest';
import { tryProperty } from '../gateway/support/seeds.ts';
import { ANY_LINES } from './raw-lines.ts';

/** See read-raw-lines.test.ts. */
describe('readRawLines, for long', () => {
  it('finds the rows that readRecords finds, whatever the bytes', async () => {
    await tryProperty(ANY_LINES, 40_000);
  }, 300_000);
});
