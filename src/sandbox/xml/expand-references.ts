const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Replaces the references in XML text with the characters they stand for.
 * @returns undefined when an ampersand does not begin a reference that XML itself defines
 */
export function expandReferences(raw: string): string | undefined {
  if (!raw.includes('&')) return raw;
  let isRight = true;
  const text = raw.replace(/&(?:([a-z]{2,4}|#\d{1,7}|#x[\dA-Fa-f]{1,6});)?/g, (_, reference: string | undefined) => {
    const character = reference === undefined ? undefined : characterOf(reference);
    if (character === undefined) isRight = false;
    return character ?? '';
  });
  return isRight ? text : undefined;
}

function characterOf(reference: string): string | undefined {
  if (!reference.startsWith('#')) return ENTITIES[reference];
  const code = reference[1] === 'x' ? Number.parseInt(reference.slice(2), 16) : Number(reference.slice(1));
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return isSurrogate || code > 0x10ffff ? undefined : String.fromCodePoint(code);
}
