import { createCipheriv } from 'node:crypto';

/** Length of a MAC in bytes, and the distance from one to the next. */
export const MAC_BYTES = 16;

/**
 * Computes AES-256-CMAC (NIST SP 800-38B, RFC 4493) for many short messages at once. One cipher or hash call for each
 * message costs more than all other work on a row. Here one call takes the first blocks of all messages, the next one
 * the second blocks, and so on.
 * A message is passed in pieces by `addBytes` and `addNumber`, then `end`; `take` returns the MACs of all ended
 * messages.
 * @param key 32 random bytes
 */
export function manyMacs(key: Uint8Array) {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const [wholeKey, paddedKey] = lastBlockKeys(cipher.update(Buffer.alloc(MAC_BYTES)));
  let text = Buffer.alloc(FIRST_BYTES);
  let at = 0;
  /** First block of each message; the entry after the last is where the next one begins. */
  let starts = new Uint32Array(FIRST_MESSAGES);
  let count = 0;

  function addBytes(bytes: Uint8Array, from: number, to: number): void {
    makeRoom(to - from);
    for (let index = from; index < to; index += 1) {
      text[at] = bytes[index]!;
      at += 1;
    }
  }

  /** @param number a safe integer, in 8 bytes */
  function addNumber(number: number): void {
    makeRoom(8);
    at = text.writeInt32BE(Math.floor(number / 2 ** 32), at);
    at = text.writeUInt32BE(number >>> 0, at);
  }

  function makeRoom(bytes: number): void {
    if (at + bytes + MAC_BYTES > text.length) text = Buffer.concat([text], 2 * (at + bytes + MAC_BYTES));
  }

  function end(): void {
    const length = at - starts[count]! * MAC_BYTES;
    const isWhole = length > 0 && length % MAC_BYTES === 0;
    if (!isWhole) {
      text[at] = PADDING;
      const next = (Math.floor(at / MAC_BYTES) + 1) * MAC_BYTES;
      text.fill(0, at + 1, next);
      at = next;
    }
    mixIn(text, at - MAC_BYTES, isWhole ? wholeKey : paddedKey);
    count += 1;
    if (count === starts.length) starts = doubled(starts);
    starts[count] = at / MAC_BYTES;
  }

  /** Returns the MACs of the messages ended since the last call, one after another, and starts anew. */
  function take(): Buffer {
    const macs = Buffer.alloc(count * MAC_BYTES);
    const blocks = Buffer.allocUnsafe(count * MAC_BYTES);
    for (let round = 0; ; round += 1) {
      let used = 0;
      for (let message = 0; message < count; message += 1) {
        const block = starts[message]! + round;
        if (block >= starts[message + 1]!) continue;
        for (let index = 0; index < MAC_BYTES; index += 1)
          blocks[used + index] = macs[message * MAC_BYTES + index]! ^ text[block * MAC_BYTES + index]!;
        used += MAC_BYTES;
      }
      if (used === 0) break;
      putBack(cipher.update(blocks.subarray(0, used)), macs, round);
    }
    count = 0;
    at = 0;
    return macs;
  }

  function putBack(out: Buffer, macs: Buffer, round: number): void {
    let from = 0;
    for (let message = 0; message < count; message += 1) {
      if (starts[message]! + round >= starts[message + 1]!) continue;
      for (let index = 0; index < MAC_BYTES; index += 1) macs[message * MAC_BYTES + index] = out[from + index]!;
      from += MAC_BYTES;
    }
  }

  return { addBytes, addNumber, end, take };
}

const FIRST_BYTES = 1_024;
const FIRST_MESSAGES = 16;

const PADDING = 0x80;

/** Returns K1 and K2 of the standard, for a whole last block and for a padded one. */
function lastBlockKeys(ofZeros: Buffer): [whole: Buffer, padded: Buffer] {
  const whole = timesX(ofZeros);
  return [whole, timesX(whole)];
}

/** Multiplies a block, as a polynomial, by x modulo x^128 + x^7 + x^2 + x + 1. */
function timesX(block: Buffer): Buffer {
  const product = Buffer.alloc(MAC_BYTES);
  for (let index = 0; index < MAC_BYTES; index += 1)
    product[index] = (block[index]! << 1) | ((block[index + 1] ?? 0) >> 7);
  if (block[0]! & 0x80) product[MAC_BYTES - 1]! ^= 0x87;
  return product;
}

function mixIn(text: Buffer, at: number, key: Buffer): void {
  for (let index = 0; index < MAC_BYTES; index += 1) text[at + index]! ^= key[index]!;
}

function doubled(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
