import { describe, expect, it } from 'vitest';
import { safeCode } from '../../../src/gateway/transport/safe-code.ts';

describe('safeCode', () => {
  it('gives the code of a network error and nothing else of it', () => {
    const error = Object.assign(new Error('secret'), { code: 'ECONNRESET', rawPacket: Buffer.from('secret') });
    expect(safeCode(error)).toBe(' (ECONNRESET)');
  });

  it.each([
    ['no code', new Error('secret')],
    ['a code that is no code', Object.assign(new Error('x'), { code: 'secret text' })],
    ['a code far too long', Object.assign(new Error('x'), { code: 'A'.repeat(80) })],
    ['no error at all', false],
  ])('gives nothing for %s', (_what, error) => {
    expect(safeCode(error)).toBe('');
  });
});
