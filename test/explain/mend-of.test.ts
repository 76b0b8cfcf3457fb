import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { mendOf } from '../../src/explain/mend-of.ts';

describe('mendOf', () => {
  it('is the sentence of the table', () => {
    expect(mendOf('DUPLICATE_FILE')).toBe(ERRORS.DUPLICATE_FILE.mend);
  });

  it.each([null, '', 'GONE_SINCE', 'constructor'])('is empty for %j', (code) => {
    expect(mendOf(code)).toBe('');
  });
});
