/** Decodes windows-1252; the five undefined bytes become U+FFFD. */
export function readWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (character) => {
    return WINDOWS_1252[character.charCodeAt(0) - 0x80]!;
  });
}

/** Encodes a text; undefined when a character is outside the set. U+0081 and its like map to the undefined bytes. */
export function toWindows1252(text: string): Buffer | undefined {
  const bytes = Buffer.alloc(text.length);
  for (let place = 0; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    const byte = code <= 0xff ? code : 0x80 + WINDOWS_1252.indexOf(text[place]!);
    if (byte < 0x80 && code > 0xff) return undefined;
    bytes[place] = byte;
  }
  return bytes;
}

/** Characters at 0x80 to 0x9F; five of these bytes are undefined. Elsewhere it equals ISO 8859-1. */
const WINDOWS_1252 = [
  ...'\u20ac\ufffd\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\ufffd\u017d\ufffd',
  ...'\ufffd\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\ufffd\u017e\u0178',
];
