import { describe, expect, it } from 'vitest';
import { FILE_ID, newFileId, shortId } from '../../src/kernel/ids.ts';

const MANY = Array.from({ length: 5_000 }, newFileId);

describe('newFileId', () => {
  it('is 16 characters that FILE_ID knows again', () => {
    for (const id of MANY) expect(id).toMatch(FILE_ID);
  });

  it('is another each time, also in the part that people read', () => {
    expect(new Set(MANY).size).toBe(MANY.length);
    expect(new Set(MANY.map(shortId)).size).toBe(MANY.length);
  });

  it('uses each of the 32 characters, and none that people misread', () => {
    expect([...new Set(MANY.join(''))].sort().join('')).toBe('0123456789abcdefghjkmnpqrstvwxyz');
  });
});

describe('shortId', () => {
  it('is the first half', () => {
    expect(shortId('0123456789abcdef')).toBe('01234567');
  });
});

describe('FILE_ID', () => {
  it.each(['', '0123456789abcde', '0123456789abcdef0', '0123456789ABCDEF', '../../etc/passwd', '0123456789abcdef\n'])(
    'does not take %j',
    (text) => {
      expect(text).not.toMatch(FILE_ID);
    },
  );

  it.each(['i', 'l', 'o', 'u', '-', '/', '.'])('takes no %j in it', (character) => {
    expect(`0123456789abcde${character}`).not.toMatch(FILE_ID);
  });
});
