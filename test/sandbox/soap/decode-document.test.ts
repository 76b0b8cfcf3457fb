import { describe, expect, it } from 'vitest';
import { decodeDocument, parameterOf } from '../../../src/sandbox/soap/decode-document.ts';

describe('decodeDocument', () => {
  it.each<[string, Buffer, string]>([
    ['UTF-8 when nothing is said', Buffer.from('<é/>'), ''],
    ['UTF-8 with a mark', Buffer.from('\uFEFF<é/>'), 'text/xml'],
    ['the charset of the Content-Type', Buffer.from('<é/>', 'latin1'), 'text/xml; charset=iso-8859-1'],
    ['a quoted charset', Buffer.from('<é/>'), 'text/xml; charset="UTF-8"'],
    ['the mark of UTF-16', Buffer.from('\uFEFF<é/>', 'utf16le'), 'text/xml; charset=utf-8'],
    ['the other mark of UTF-16', Buffer.from('\uFEFF<é/>', 'utf16le').swap16(), ''],
    ['the bytes of UTF-16 without a mark', Buffer.from('<é/>', 'utf16le'), 'text/xml; charset=utf-16'],
    ['the other bytes of UTF-16 without a mark', Buffer.from('<é/>', 'utf16le').swap16(), 'text/xml; charset=utf-16'],
  ])('goes by %s', (_, bytes, contentType) => {
    expect(decodeDocument(bytes, contentType)).toBe('<é/>');
  });

  it('goes by the declaration when the Content-Type is silent', () => {
    const document = "<?xml version='1.0' encoding='ISO-8859-1'?><é/>";
    expect(decodeDocument(Buffer.from(document, 'latin1'), 'text/xml')).toBe(document);
  });

  it.each<[string, Buffer, string]>([
    ['bytes that are no UTF-8', Buffer.from([0x3c, 0xe9, 0x3e]), 'text/xml; charset=utf-8'],
    ['an unknown charset', Buffer.from('<a/>'), 'text/xml; charset=klingon'],
  ])('is undefined for %s', (_, bytes, contentType) => {
    expect(decodeDocument(bytes, contentType)).toBeUndefined();
  });
});

describe('parameterOf', () => {
  it.each([
    ['text/xml; charset=utf-8; action="https://x/a;b"', 'action', 'https://x/a;b'],
    ['text/xml;ACTION=x', 'action', 'x'],
    ['text/xml; action=""', 'action', ''],
    ['text/xml; charset=utf-8', 'action', undefined],
    ['', 'action', undefined],
  ])('of %j, %s is %j', (header, name, value) => {
    expect(parameterOf(header, name)).toBe(value);
  });
});
