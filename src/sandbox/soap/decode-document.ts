const DECLARED = /^(?:\xEF\xBB\xBF)?<\?xml\s[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/;

/**
 * Decodes an XML document by its byte order mark or first bytes, else the charset of the Content-Type, else its own
 * declaration, else UTF-8.
 * @returns undefined when the bytes do not fit the character set, or it is unknown
 */
export function decodeDocument(bytes: Buffer, contentType: string): string | undefined {
  const charset = markedCharset(bytes) ?? parameterOf(contentType, 'charset') ?? declaredCharset(bytes) ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns a parameter of a header value such as `text/xml; charset="utf-8"`. */
export function parameterOf(header: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}\\s*=\\s*(?:"([^"]*)"|([^\\s;"]+))`, 'i').exec(header);
  return found ? (found[1] ?? found[2]) : undefined;
}

function markedCharset(bytes: Buffer): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  // Without a mark the first character, always `<`, shows the width and order of the bytes.
  if (bytes[0] === 0x3c && bytes[1] === 0x00) return 'utf-16le';
  if (bytes[0] === 0x00 && bytes[1] === 0x3c) return 'utf-16be';
  return undefined;
}

function declaredCharset(bytes: Buffer): string | undefined {
  return DECLARED.exec(bytes.toString('latin1', 0, 200))?.[1];
}
