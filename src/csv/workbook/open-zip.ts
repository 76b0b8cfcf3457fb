import { crc32 } from 'node:zlib';
import { type Entry, fromBufferPromise } from 'yauzl';
import { refuse } from './refusal.ts';

/** The parts of a workbook. Their names are compared without regard to case, as the format wants. */
export type Zip = {
  readonly names: readonly string[];
  /** Unpacks a part piece by piece; undefined when there is none of this name. */
  readonly unpack: (name: string, mostBytes?: number) => AsyncIterable<Uint8Array> | undefined;
};

const MOST_PARTS = 2_000;

/** A sheet of a million rows with twelve columns takes 600 MB. */
const LARGEST_PART_BYTES = 2_147_483_648;

/** Sheets shrink to a tenth or twentieth. Small parts may shrink further. */
const LARGEST_RATIO = 100;
const SMALL_PART_BYTES = 1_048_576;

/** Lists the parts of a workbook and unpacks none. */
export async function openZip(bytes: Buffer): Promise<Zip> {
  const zip = await fromBufferPromise(bytes);
  if (zip.entryCount > MOST_PARTS) refuse(`it has more than ${MOST_PARTS} parts`);
  const entries = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase();
    if (entries.has(name)) refuse('it has two parts of the same name');
    if (entry.isEncrypted()) refuse('it is protected with a password');
    entries.set(name, entry);
  }

  async function* unpacked(entry: Entry): AsyncGenerator<Uint8Array> {
    let check = 0;
    for await (const piece of await zip.openReadStreamPromise(entry)) {
      check = crc32(piece as Buffer, check);
      yield piece as Buffer;
    }
    if (check !== entry.crc32) refuse('it is damaged');
  }

  return {
    names: [...entries.keys()],
    unpack: (name, mostBytes = LARGEST_PART_BYTES) => {
      const entry = entries.get(name.toLowerCase());
      if (entry) checkSize(entry, mostBytes);
      return entry && unpacked(entry);
    },
  };
}

/** The sizes are those that the file states. yauzl stops a part that turns out larger. */
function checkSize({ uncompressedSize, compressedSize }: Entry, mostBytes: number): void {
  if (uncompressedSize > mostBytes)
    refuse(`a part of it unpacks to more than ${Math.round(mostBytes / 1_048_576)} MiB`);
  if (uncompressedSize > SMALL_PART_BYTES && uncompressedSize > compressedSize * LARGEST_RATIO) {
    refuse(`a part of it unpacks to more than ${LARGEST_RATIO} times its size`);
  }
}
