import { describe, expect, it } from 'vitest';
import { readWindows1252, toWindows1252 } from '../../src/rows/windows-1252.ts';

const WITHOUT_MEANING = [0x81, 0x8d, 0x8f, 0x90, 0x9d];
const BYTES = Buffer.from(
  Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !WITHOUT_MEANING.includes(byte)),
);

describe('readWindows1252', () => {
  it('reads what ISO 8859-1 has, and other characters where that has none', () => {
    expect(readWindows1252(Buffer.from([0x41, 0x80, 0x93, 0x9f, 0xa0, 0xe9, 0xff]))).toBe('A€“Ÿ\u00a0éÿ');
    expect(readWindows1252(Buffer.from(WITHOUT_MEANING))).toBe('\ufffd'.repeat(5));
  });
});

describe('toWindows1252', () => {
  it('gives the bytes that a text was read from', () => {
    expect(toWindows1252(readWindows1252(BYTES))).toEqual(BYTES);
    expect(toWindows1252('\u0081')).toEqual(Buffer.from([0x81]));
  });

  it('gives nothing for a text that the set cannot hold', () => {
    expect(toWindows1252('a\u0100')).toBeUndefined();
    expect(toWindows1252('\u0661')).toBeUndefined();
  });
});
