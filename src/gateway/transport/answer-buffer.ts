/** The bytes of an answer as they arrive, in one block of memory. */
export type AnswerBuffer = {
  /** Makes room for an answer of this length at once, unless it exceeds the limit. */
  expect(bytes: number): void;
  /** @returns false once the answer exceeds the limit; from then on nothing is added and only the start is kept */
  add(chunk: Uint8Array): boolean;
  bytes(): Buffer;
};

const FIRST_BYTES = 16 * 1024;
/** Enough to tell what kind of answer was too large. */
const KEPT_BYTES = 64 * 1024;

/**
 * Creates a buffer that copies each chunk instead of keeping it. Otherwise an answer in one-byte chunks would leave an
 * object for each, a hundred times as large as the byte.
 */
export function createAnswerBuffer(limitBytes: number): AnswerBuffer {
  let memory: Buffer = Buffer.alloc(0);
  let size = 0;
  let isFull = false;
  const moveTo = (larger: Buffer) => {
    memory.copy(larger, 0, 0, size);
    memory = larger;
  };
  const makeRoom = (needed: number) =>
    moveTo(Buffer.allocUnsafe(Math.min(limitBytes, Math.max(needed, memory.length * 2, FIRST_BYTES))));
  const giveUp = () => {
    isFull = true;
    size = Math.min(size, KEPT_BYTES);
    memory = Buffer.from(memory.subarray(0, size));
  };
  return {
    expect(bytes) {
      if (bytes > memory.length && bytes <= limitBytes) moveTo(Buffer.allocUnsafe(bytes));
    },
    add(chunk) {
      const needed = size + chunk.length;
      if (!isFull && needed > limitBytes) giveUp();
      if (isFull) return false;
      if (needed > memory.length) makeRoom(needed);
      memory.set(chunk, size);
      size = needed;
      return true;
    },
    bytes: () => memory.subarray(0, size),
  };
}
