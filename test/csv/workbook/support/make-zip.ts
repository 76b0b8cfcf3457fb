import { crc32, deflateRawSync } from 'node:zlib';

/** What is wrong with a part of a made zip. */
export type PartFlaw = {
  /** The part that the zip states twice, with other content, or under another size or checksum. */
  readonly name: string;
  readonly statedBytes?: number;
  readonly statedCrc?: number;
  readonly isEncrypted?: true;
};

/** Writes a zip of parts. It knows nothing of the reader of the product. */
export function makeZip(
  parts: readonly (readonly [name: string, content: string | Buffer])[],
  flaw?: PartFlaw,
): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of parts) {
    const own = flaw?.name === name ? flaw : undefined;
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(own?.isEncrypted ? 1 : 0, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(own?.statedCrc ?? crc32(bytes), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(own?.statedBytes ?? bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0'), fields, rest, Buffer.from(name)]));
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end]);
}
