import { type Cipher, createCipheriv } from 'node:crypto';

/** Length of a MAC in bytes, and the distance from one to the next. */
export const MAC_BYTES = 16;

/**
 * Computes AES-256-CMAC (NIST SP 800-38B, RFC 4493) for many short messages at once. One cipher or hash call for each
 * message costs more than all other work on a row. Here one call takes the first blocks of all messages, the next one
 * the second blocks, and so on.
 * A message is passed in pieces by `addBytes` and `addNumber`, then `end`; `take` returns the MACs of all ended
 * messages.
 */
export class ManyMacs {
  readonly #cipher: Cipher;
  readonly #wholeKey: Buffer;
  readonly #paddedKey: Buffer;
  #text = Buffer.alloc(FIRST_BYTES);
  #at = 0;
  /** First block of each message; the entry after the last is where the next one begins. */
  #starts = new Uint32Array(FIRST_MESSAGES);
  #count = 0;

  /** @param key 32 random bytes */
  constructor(key: Uint8Array) {
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
    [this.#wholeKey, this.#paddedKey] = lastBlockKeys(this.#cipher.update(Buffer.alloc(MAC_BYTES)));
  }

  addBytes(bytes: Uint8Array, from: number, to: number): void {
    this.#makeRoom(to - from);
    const text = this.#text;
    let at = this.#at;
    for (let index = from; index < to; index += 1) {
      text[at] = bytes[index]!;
      at += 1;
    }
    this.#at = at;
  }

  /** @param number a safe integer, in 8 bytes */
  addNumber(number: number): void {
    this.#makeRoom(8);
    const at = this.#text.writeInt32BE(Math.floor(number / 2 ** 32), this.#at);
    this.#at = this.#text.writeUInt32BE(number >>> 0, at);
  }

  #makeRoom(bytes: number): void {
    const needed = this.#at + bytes + MAC_BYTES;
    if (needed > this.#text.length) this.#text = Buffer.concat([this.#text], 2 * needed);
  }

  end(): void {
    const length = this.#at - this.#starts[this.#count]! * MAC_BYTES;
    const isWhole = length > 0 && length % MAC_BYTES === 0;
    if (!isWhole) {
      this.#text[this.#at] = PADDING;
      const next = (Math.floor(this.#at / MAC_BYTES) + 1) * MAC_BYTES;
      this.#text.fill(0, this.#at + 1, next);
      this.#at = next;
    }
    mixIn(this.#text, this.#at - MAC_BYTES, isWhole ? this.#wholeKey : this.#paddedKey);
    this.#count += 1;
    if (this.#count === this.#starts.length) this.#starts = doubled(this.#starts);
    this.#starts[this.#count] = this.#at / MAC_BYTES;
  }

  /** Returns the MACs of the messages ended since the last call, one after another, and starts anew. */
  take(): Buffer {
    const [text, starts, count] = [this.#text, this.#starts, this.#count];
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
      this.#putBack(this.#cipher.update(blocks.subarray(0, used)), macs, round);
    }
    this.#count = 0;
    this.#at = 0;
    return macs;
  }

  #putBack(out: Buffer, macs: Buffer, round: number): void {
    const [starts, count] = [this.#starts, this.#count];
    let from = 0;
    for (let message = 0; message < count; message += 1) {
      if (starts[message]! + round >= starts[message + 1]!) continue;
      for (let index = 0; index < MAC_BYTES; index += 1) macs[message * MAC_BYTES + index] = out[from + index]!;
      from += MAC_BYTES;
    }
  }
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
