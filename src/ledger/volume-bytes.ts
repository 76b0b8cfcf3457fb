export const VOLUME_BYTES = 4;

/** The number of a volume as it leads fingerprints: big end first, so that the volumes follow each other in the index. */
export function volumeBytes(volume: number): Buffer {
  const bytes = Buffer.alloc(VOLUME_BYTES);
  bytes.writeUInt32BE(volume);
  return bytes;
}
