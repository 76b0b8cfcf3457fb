/**
 * Texts put one behind the other, each led by its length in bytes (4 bytes, big end first), so that no two different
 * lists give the same bytes. Simply joined, ['a', 'bc'] and ['ab', 'c'] would be one and the same, and a seal or a
 * fingerprint made for the one would be taken for the other.
 */
export function frameParts(parts: readonly string[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part, 'utf8');
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}
