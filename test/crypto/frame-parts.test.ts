import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameParts } from '../../src/crypto/derive-key.ts';

describe('frameParts', () => {
  it('leads every part by its length in bytes', () => {
    expect(frameParts(['a', 'é']).toString('hex')).toBe('000000016100000002c3a9');
  });

  it('gives different bytes for lists that join to the same text', () => {
    expect(frameParts(['a', 'bc'])).not.toEqual(frameParts(['ab', 'c']));
    expect(frameParts(['', 'a'])).not.toEqual(frameParts(['a', '']));
    expect(frameParts([''])).not.toEqual(frameParts([]));
  });

  it('gives bytes from which the parts can be read back, so none are lost or mixed', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), (parts) => {
        expect(readParts(frameParts(parts))).toEqual(parts);
      }),
    );
  });
});

function readParts(framed: Buffer): string[] {
  const parts: string[] = [];
  for (let at = 0; at < framed.length; ) {
    const end = at + 4 + framed.readUInt32BE(at);
    parts.push(framed.toString('utf8', at + 4, end));
    at = end;
  }
  return parts;
}
