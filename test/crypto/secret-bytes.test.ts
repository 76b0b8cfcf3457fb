import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { secretBytes } from '../../src/crypto/derive-key.ts';

describe('secretBytes', () => {
  const holder = () => ({ fileId: 'f', bytes: secretBytes(Buffer.from('0123456789abcdef')) });

  it.each([
    ['JSON', () => JSON.stringify(holder())],
    ['the console', () => inspect(holder(), { depth: 9 })],
    ['a formatted line', () => format('%o', holder())],
    ['a spread copy', () => JSON.stringify({ ...holder() })],
  ])('does not show in %s', (_, show) => {
    expect(show()).toContain('[hidden]');
    expect(show()).not.toMatch(/30 31 32|48,49,50|012345|"data"/);
  });

  it('leaves the bytes as they are', () => {
    const bytes = Buffer.from('0123456789abcdef');
    expect(secretBytes(bytes)).toBe(bytes);
    expect(bytes.toString('latin1')).toBe('0123456789abcdef');
  });
});
