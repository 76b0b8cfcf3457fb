import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { remedyOf } from '../../src/explain/remedy-of.ts';

describe('remedyOf', () => {
  it('is the sentence of the table', () => {
    expect(remedyOf('DUPLICATE_FILE')).toBe(ERRORS.DUPLICATE_FILE.remedy);
  });

  it.each([null, '', 'GONE_SINCE', 'constructor'])('is empty for %j', (code) => {
    expect(remedyOf(code)).toBe('');
  });
});
