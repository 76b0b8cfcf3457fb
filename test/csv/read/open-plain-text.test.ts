import { describe, expect, it } from 'vitest';
import { openPlainText } from '../../../src/csv/read/open-plain-text.ts';
import { chunksOf } from '../support.ts';

async function open(bytes: Buffer, charset: 'utf-8' | 'windows-1252' | 'iso-8859-1', size: number) {
  const { source, decodeLine } = await openPlainText(chunksOf(bytes, size), charset);
  const pieces: Uint8Array[] = [];
  for await (const piece of source) pieces.push(piece);
  return decodeLine(Buffer.concat(pieces));
}

const TEXT = 'a,Zürich,€,👍';
const UTF_16 = Buffer.from(`\ufeff${TEXT}`, 'utf16le');

describe('openPlainText', () => {
  it.each<[string, Buffer, Parameters<typeof open>[1], string]>([
    ['UTF-8', Buffer.from(TEXT), 'utf-8', TEXT],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${TEXT}`), 'iso-8859-1', TEXT],
    ['UTF-16 LE', UTF_16, 'utf-8', TEXT],
    ['UTF-16 BE', Buffer.from(UTF_16).swap16(), 'windows-1252', TEXT],
    ['windows-1252', Buffer.from('Z\u00fcrich \u0080', 'latin1'), 'windows-1252', 'Zürich €'],
    ['ISO 8859-1', Buffer.from('Z\u00fcrich \u0080', 'latin1'), 'iso-8859-1', 'Zürich \u0080'],
    ['nothing', Buffer.alloc(0), 'utf-8', ''],
    ['less than a mark', Buffer.from('a'), 'utf-8', 'a'],
    ['nothing but a mark', Buffer.from('\ufeff'), 'utf-8', ''],
  ])('reads %s, in whatever pieces', async (_, bytes, charset, text) => {
    for (const size of [1, 2, 5, 100]) expect(await open(bytes, charset, size)).toBe(text);
  });

  it('marks what cannot be read', async () => {
    expect(await open(Buffer.from('Z\u00fcrich', 'latin1'), 'utf-8', 3)).toBe('Z\ufffdrich');
    expect(await open(Buffer.concat([UTF_16, Buffer.of(0x00, 0xd8, 0x61, 0x00)]), 'utf-8', 3)).toBe(`${TEXT}\ufffda`);
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
