import { describe, expect, it } from 'vitest';
import { COMMON_SHAPES } from '../../../src/web/api/shapes.ts';

describe('COMMON_SHAPES', () => {
  it.each(Object.entries(COMMON_SHAPES))('of %s lists no key, no token and no password', (_, shape) => {
    expect(JSON.stringify(shape)).not.toMatch(/_key|token|password|fingerprint|worker|archive/i);
  });

  it('of a file lists what a person asks of it', () => {
    const { properties } = COMMON_SHAPES['File'] as { properties: object };
    for (const name of ['file_id', 'name', 'account', 'state', 'reason', 'valid_rows', 'valid_cents', 'sha256'])
      expect(properties).toHaveProperty(name);
  });
});
