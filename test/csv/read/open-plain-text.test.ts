import { describe, expect, it } from 'vitest';
import { type Charset, openPlainText } from '../../../src/csv/read/open-plain-text.ts';
import { chunksOf } from '../support.ts';

async function open(bytes: Buffer, charset: Charset, size: number): Promise<string> {
  const { source, decodeLine } = await openPlainText(chunksOf(bytes, size), charset);
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return decodeLine(Buffer.concat(pieces));
}

function swapped(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}

const TEXT = 'Ñandú 山 👍,1\r\n';
const CASES: [string, Buffer, Charset, string][] = [
  ['UTF-8', Buffer.from(TEXT), 'utf-8', TEXT],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`), 'utf-8', TEXT],
  ['UTF-8 with a mark in a folder of windows-1252', Buffer.from(`\ufeff${TEXT}`), 'windows-1252', TEXT],
  ['UTF-16 LE', Buffer.from(`\ufeff${TEXT}`, 'utf16le'), 'utf-8', TEXT],
  ['UTF-16 BE', swapped(`\ufeff${TEXT}`), 'windows-1252', TEXT],
  ['half a surrogate pair', Buffer.from('\ufeffa\ud83d\nb', 'utf16le'), 'utf-8', 'a\ufffd\nb'],
  ['UTF-16 of an odd number of bytes', Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x62]), 'utf-8', 'a\ufffd'],
  ['UTF-16 without a mark, NULs and all', Buffer.from('a,b', 'utf16le'), 'utf-8', 'a\0,\0b\0'],
  ['windows-1252', Buffer.from([0x80, 0x92, 0xe9, 0x9f]), 'windows-1252', '€’éŸ'],
  ['bytes that windows-1252 lacks', Buffer.from([0x81, 0x8d, 0x8f, 0x90, 0x9d]), 'windows-1252', '\ufffd'.repeat(5)],
  ['ISO 8859-1', Buffer.from([0xe9, 0x80]), 'iso-8859-1', 'é\u0080'],
  ['a cut character before a line end', Buffer.from([0x61, 0xc3, 0x0a, 0x62]), 'utf-8', 'a\ufffd\nb'],
  ['a cut character at the end', Buffer.from([0x61, 0xc3]), 'utf-8', 'a\ufffd'],
  ['one byte', Buffer.from('a'), 'utf-8', 'a'],
  ['half a mark', Buffer.from([0xef, 0xbb]), 'utf-8', '\ufffd'],
  ['a mark alone', Buffer.from('\ufeff'), 'utf-8', ''],
  ['nothing', Buffer.alloc(0), 'utf-8', ''],
];

describe('openPlainText', () => {
  it.each(CASES)('reads %s, however the bytes are cut', async (_, bytes, charset, expected) => {
    for (const size of [1, 2, 3, 5, 65_536]) {
      const text = await open(bytes, charset, size);
      // How many U+FFFD replace a run of bad bytes depends on the cut; that there is one does not.
      expect(text.replace(/\ufffd+/g, '\ufffd')).toBe(expected.replace(/\ufffd+/g, '\ufffd'));
    }
  });

  it('marks what cannot be read', async () => {
    expect(await open(Buffer.from('Z\u00fcrich', 'latin1'), 'utf-8', 3)).toBe('Z\ufffdrich');
    expect(
      await open(
        Buffer.concat([Buffer.from(`\ufeff${TEXT}`, 'utf16le'), Buffer.of(0x00, 0xd8, 0x61, 0x00)]),
        'utf-8',
        3,
      ),
    ).toBe(`${TEXT}\ufffda`);
  });

  it('closes the source when it is given up', async () => {
    let isClosed = false;
    async function* source() {
      try {
        for (;;) yield Buffer.from('abc\n');
      } finally {
        isClosed = true;
      }
    }
    const { source: opened } = await openPlainText(source(), 'utf-8');
    for await (const _ of opened) break;
    expect(isClosed).toBe(true);
  });
});
